/** The toolbar of a field for Markdown (the toolbar pattern of the ARIA Authoring Practices), with the keys of the field. */
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { FilesContext, type OnLate } from '../files/files-context.ts'
import { applyEdit, selectedIn } from './apply-edit.ts'
import { continued, type Edit, FORMATS, type Format, formatted, indented, retyped } from './markdown-edit.ts'

const words = texts.editing.formats

/** The icons, 16 by 16 units. */
const SHAPES: Readonly<Record<Format, string>> = {
  bold: 'M4.5 2.5h4a2.6 2.6 0 0 1 0 5.2h-4zM4.5 7.7h4.7a2.9 2.9 0 0 1 0 5.8H4.5z',
  italic: 'M6.5 2.5H12M4 13.5h5.5M9.5 2.5l-3 11',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9',
  list: 'M3 4h.1M3 8h.1M3 12h.1M6 4h8M6 8h8M6 12h8',
  tasks: 'M2 3.5h3.5V7H2zM2 10l1.2 1.2L5.6 9M8 5h6M8 11h6',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  quote: 'M3 3v10M6.5 5H14M6.5 8H14M6.5 11H12',
}

/** The keys of the formats: as screen readers get them, and the code of the key, because characters differ with Shift. */
const KEYS: Readonly<Record<Format, readonly [name: string, code: string]>> = {
  bold: ['Control+B', 'KeyB'],
  italic: ['Control+I', 'KeyI'],
  link: ['Control+K', 'KeyK'],
  code: ['Control+E', 'KeyE'],
  list: ['Control+Shift+8', 'Shift+Digit8'],
  tasks: ['Control+Shift+9', 'Shift+Digit9'],
  quote: ['Control+Shift+.', 'Shift+Period'],
}

/** Apple's devices have the command key; their Control key moves the caret. */
const IS_APPLE = /Mac|iP/.test(navigator.platform)
const COMMAND = IS_APPLE ? 'Meta' : 'Control'

/** The edit of a key; undefined if the key is not for the text. */
function editOf(event: KeyboardEvent, field: HTMLTextAreaElement): Edit | undefined {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
  const isCommand = IS_APPLE ? metaKey && !ctrlKey : ctrlKey && !metaKey
  if (altKey) return undefined
  const selected = selectedIn(field)
  if (isCommand) {
    const pressed = shiftKey ? `Shift+${code}` : code
    const format = FORMATS.find((one) => KEYS[one][1] === pressed)
    return format && formatted(format, selected)
  }
  if (ctrlKey || metaKey) return undefined
  if (key === 'Enter' && !shiftKey) return continued(selected)
  if (key === ' ') return retyped(selected)
  return key === 'Tab' ? indented(selected, shiftKey) : undefined
}

interface MarkdownToolsProps {
  field: { current: HTMLTextAreaElement | null }
  /** The id of the field. */
  controls: string
  isPreviewing?: boolean
  /** Shows or hides the preview, where there is no room for both. */
  onPreview?: () => void
  /** Replaces the placeholder of a file whose upload ends after the field was closed. */
  onLate: OnLate
}

export function MarkdownTools({
  field,
  controls,
  isPreviewing = false,
  onPreview,
  onLate,
}: MarkdownToolsProps) {
  const files = useContext(FilesContext)
  const bar = useRef<HTMLDivElement>(null)
  /** The button that Tab focuses. */
  const [stop, setStop] = useState(0)
  useLayoutEffect(() => {
    const area = field.current
    const onKeyDown = (event: KeyboardEvent) => {
      const edit = area?.readOnly === false ? editOf(event, area) : undefined
      if (!area || edit === undefined) return
      event.preventDefault()
      event.stopPropagation()
      applyEdit(area, edit)
    }
    area?.addEventListener('keydown', onKeyDown)
    return () => area?.removeEventListener('keydown', onKeyDown)
  }, [])
  useLayoutEffect(() => {
    if (field.current) return files?.takeInto(field.current, onLate)
  }, [files])
  const write = (format: Format) => {
    const area = field.current
    const edit = () => area && !area.readOnly && applyEdit(area, formatted(format, selectedIn(area)))
    if (area?.offsetParent !== null) {
      edit()
      return
    }
    // The preview is in its place.
    onPreview?.()
    requestAnimationFrame(edit)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Hidden buttons cannot be focused.
    const buttons = [...(bar.current?.querySelectorAll<HTMLElement>('button') ?? [])]
    const shown = buttons.filter((button) => button.offsetParent !== null)
    const at = shown.indexOf(document.activeElement as HTMLElement)
    const isRightToLeft = bar.current !== null && getComputedStyle(bar.current).direction === 'rtl'
    const step = { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1 }[event.key]
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? -1 : step && (at + step) % shown.length
    if (to === undefined) return
    event.preventDefault()
    const next = shown.at(to)
    next?.focus()
    setStop(buttons.indexOf(next as HTMLElement))
  }
  return (
    <div
      ref={bar}
      class="edit-tools"
      role="toolbar"
      aria-label={texts.editing.tools}
      aria-controls={controls}
      onKeyDown={onKeyDown}
      // The focus and the selection stay in the field, so a phone does not hide its keyboard.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      {FORMATS.map((format, index) => (
        <button
          key={format}
          type="button"
          class="button-icon"
          tabIndex={index === stop ? 0 : -1}
          aria-label={words[format]}
          aria-keyshortcuts={KEYS[format][0].replace('Control', COMMAND)}
          title={`${words[format]} (${KEYS[format][0].replace('Control', IS_APPLE ? '⌘' : 'Ctrl')})`}
          onClick={() => write(format)}
        >
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={SHAPES[format]} />
          </svg>
        </button>
      ))}
      {onPreview && (
        <button
          type="button"
          class="button-link edit-preview-button"
          tabIndex={isPreviewing || stop === FORMATS.length ? 0 : -1}
          aria-pressed={isPreviewing}
          onClick={onPreview}
        >
          {texts.editing.preview}
        </button>
      )}
    </div>
  )
}
