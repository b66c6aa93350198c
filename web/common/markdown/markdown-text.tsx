/**
 * Shows Markdown. The renderer is loaded lazily with the first text. Until a text is rendered, its place
 * shows as lines; if it exceeds the limits, it shows as plain text.
 */
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { hasNumbers, linkNumbers } from '../card-numbers.ts'
import { FilesContext } from '../files/files-context.ts'
import { loadPart, type NoPart } from '../part.ts'
import { projectKeys, projectList } from '../projects.ts'
import type { Tick } from '../text-edit/use-ticks.ts'
import { NotLoaded } from '../ui/late.tsx'

type Rendering = typeof import('./markdown.ts')

let rendering: Rendering | undefined

/** Loads the renderer, whose worker fails if its script cannot be loaded either. */
const load = () => import('./markdown.ts')

type Shown =
  | { as: 'waiting' | 'text' }
  | { as: 'failed'; why: NoPart }
  | { as: 'markdown'; nodes: DocumentFragment }

const shownOf = (nodes: DocumentFragment | undefined): Shown =>
  nodes === undefined ? { as: 'text' } : { as: 'markdown', nodes }

/** The longest name of a checkbox, in characters. */
const LONGEST_NAME = 200

/** The text of a list item, without that of the lists in it. */
function nameOf(item: Element): string {
  const own = [...item.childNodes].filter(({ nodeName }) => nodeName !== 'UL' && nodeName !== 'OL')
  const text = own.map((node) => node.textContent).join('')
  return (
    text
      .replace(/^[☐☑\s]+/, '')
      .trim()
      .slice(0, LONGEST_NAME) || texts.editing.task
  )
}

/** Replaces the characters of tasks by checkboxes. @param focused the index of the one that takes the focus */
function addBoxes(element: Element, onTick: () => Tick | undefined, focused: number): void {
  for (const [index, mark] of element.querySelectorAll<HTMLElement>('[data-task]').entries()) {
    const box = document.createElement('input')
    box.type = 'checkbox'
    box.checked = mark.dataset.task === '1'
    box.ariaLabel = nameOf(mark.closest('li') ?? mark)
    box.onchange = () => {
      const isTicked = box.checked
      void onTick()?.(index, isTicked).then(
        (isFound) => {
          if (!isFound) box.checked = !isTicked
        },
        () => {
          box.checked = !isTicked
        },
      )
    }
    const label = document.createElement('label')
    label.className = 'markdown-task'
    label.append(box)
    mark.closest('li')?.classList.add('has-task')
    mark.replaceWith(label)
    if (index === focused) box.focus({ preventScroll: true })
  }
}

/** Lets the keyboard scroll the code and tables that are wider than their place. @returns stops */
function focusWide(element: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    for (const one of element.querySelectorAll<HTMLElement>('pre, table')) {
      if (one.scrollWidth > one.clientWidth) one.tabIndex = 0
      else one.removeAttribute('tabindex')
    }
  })
  observer.observe(element)
  return () => observer.disconnect()
}

/** @param onTick ticks a task of the text; without it tasks are text */
export function MarkdownText({ text, onTick }: { text: string; onTick?: Tick | undefined }) {
  const element = useRef<HTMLDivElement>(null)
  const [attempt, setAttempt] = useState(0)
  const [shown, setShown] = useState<Shown>({ as: 'waiting' })
  const tick = useRef(onTick)
  tick.current = onTick
  const canTick = onTick !== undefined
  const files = useContext(FilesContext)
  const existing = shown.as === 'markdown' ? files?.existingIn(shown.nodes) : undefined
  useLayoutEffect(() => {
    const before = rendering?.renderedBefore(text)
    if (before) {
      setShown(shownOf(before.nodes))
      return
    }
    const leaving = new AbortController()
    const show = (next: Shown) => {
      if (!leaving.signal.aborted) setShown(next)
    }
    const render = async () => {
      const part = await load()
      rendering = part
      return { nodes: await part.renderMarkdown(text, leaving.signal) }
    }
    void loadPart(render).then((found) =>
      show(typeof found === 'string' ? { as: 'failed', why: found } : shownOf(found.nodes)),
    )
    return () => leaving.abort()
  }, [text, attempt])
  useLayoutEffect(() => {
    const place = element.current
    if (shown.as !== 'markdown' || place === null) return
    const boxes = [...place.querySelectorAll('.markdown-task input')]
    const focused = boxes.indexOf(document.activeElement as Element)
    // The nodes are those of the last text, if only ticking is possible now, or no longer.
    place.replaceChildren(shown.nodes.cloneNode(true))
    if (canTick) addBoxes(place, () => tick.current, focused)
    return focusWide(place)
  }, [shown, canTick])
  useLayoutEffect(() => {
    if (element.current && shown.as === 'markdown') files?.fill(element.current)
  }, [shown, canTick, existing])
  // Behind a share link there is no list of projects.
  const isNumbered = files !== undefined && shown.as === 'markdown' && hasNumbers(shown.nodes)
  useEffect(() => (isNumbered ? projectList.use() : undefined), [isNumbered])
  const keys = isNumbered ? projectKeys.value : ''
  useLayoutEffect(() => {
    if (element.current && keys !== '') linkNumbers(element.current, new Set(keys.split(' ')))
  }, [shown, canTick, keys])
  if (shown.as === 'markdown') return <div key="ready" ref={element} class="markdown" dir="auto" />
  return (
    <>
      <p key="plain" class="markdown-plain" dir="auto" aria-busy={shown.as === 'waiting'}>
        {text}
      </p>
      {shown.as === 'text' && <p class="muted">{texts.plainMarkdown}</p>}
      {shown.as === 'failed' && <NotLoaded why={shown.why} retry={() => setAttempt(attempt + 1)} />}
    </>
  )
}
