/**
 * Shows Markdown. The renderer is loaded lazily with the first text. Until a text is rendered, or if it exceeds the limits, it
 * shows as plain text.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { Updated } from '../ui/late.tsx'

type Rendering = typeof import('./markdown.ts')

let rendering: Rendering | undefined

async function load(): Promise<Rendering> {
  rendering ??= await import('./markdown.ts')
  return rendering
}

type Shown = { as: 'waiting' | 'text' | 'failed' } | { as: 'markdown'; nodes: DocumentFragment }

const shownOf = (nodes: DocumentFragment | undefined): Shown =>
  nodes === undefined ? { as: 'text' } : { as: 'markdown', nodes }

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

export function MarkdownText({ text }: { text: string }) {
  const element = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState<Shown>({ as: 'waiting' })
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
    load()
      .then(({ renderMarkdown }) => renderMarkdown(text, leaving.signal))
      .then(
        (nodes) => show(shownOf(nodes)),
        () => show({ as: 'failed' }),
      )
    return () => leaving.abort()
  }, [text])
  useLayoutEffect(() => {
    if (shown.as !== 'markdown' || !element.current) return
    element.current.replaceChildren(shown.nodes)
    return focusWide(element.current)
  }, [shown])
  if (shown.as === 'markdown') return <div key="ready" ref={element} class="markdown" dir="auto" />
  return (
    <>
      <p key="plain" class="markdown-plain" dir="auto">
        {text}
      </p>
      {shown.as === 'text' && <p class="muted">{texts.plainMarkdown}</p>}
      {shown.as === 'failed' && <Updated />}
    </>
  )
}
