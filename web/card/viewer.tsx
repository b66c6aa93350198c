/** The viewer of a card's pictures: a dialog, with arrow keys and swipes from one to the next. */
import { useEffect, useRef } from 'preact/hooks'
import { contentOf } from '../common/files/addresses.ts'
import { sizeText } from '../common/files/kinds.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import type { CardFiles } from './card-files.ts'

const words = texts.files

/** How far a finger moves for the next picture, in pixels. */
const SWIPE = 50

export interface ViewerProps {
  files: CardFiles
}

export default function Viewer({ files }: ViewerProps) {
  const figure = useRef<HTMLElement>(null)
  const start = useRef<{ x: number; y: number } | undefined>(undefined)
  const { pictures } = files
  const at = pictures.findIndex(({ id }) => id === files.viewed.value)
  const current = pictures[at]
  const close = () => {
    files.viewed.value = undefined
  }
  /** @param step 1 for the next one */
  const show = (step: number) => {
    const next = pictures.at((at + step) % pictures.length)
    if (next) files.viewed.value = next.id
  }
  const turn = useRef(show)
  turn.current = show
  /** The direction of "next" on the screen. */
  const forward = () => (figure.current && getComputedStyle(figure.current).direction === 'rtl' ? -1 : 1)
  const isGone = current === undefined
  useEffect(() => {
    // It was deleted.
    if (isGone) close()
  }, [isGone])
  useEffect(() => {
    const dialog = figure.current?.closest('dialog')
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const step = { ArrowRight: forward(), ArrowLeft: -forward() }[event.key]
      if (step === undefined) return
      event.preventDefault()
      event.stopPropagation()
      turn.current(step)
    }
    dialog?.addEventListener('keydown', onKeyDown)
    return () => dialog?.removeEventListener('keydown', onKeyDown)
  }, [])
  if (current === undefined) return null
  const { id, name, size, width, height } = current
  const isOne = pictures.length === 1
  return (
    <Dialog title={name} size="full" onClose={close}>
      <figure
        ref={figure}
        class="viewer"
        onTouchStart={({ touches: [touch, more] }) => {
          // Two fingers enlarge it.
          start.current = touch && !more ? { x: touch.clientX, y: touch.clientY } : undefined
        }}
        onTouchEnd={({ changedTouches: [touch] }) => {
          if (start.current === undefined || touch === undefined) return
          const x = touch.clientX - start.current.x
          const y = touch.clientY - start.current.y
          start.current = undefined
          if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) show(x < 0 ? forward() : -forward())
        }}
      >
        <img key={id} src={contentOf(id)} alt={name} width={width} height={height} draggable={false} />
      </figure>
      <div class="spread">
        <p class="meta" role="status">
          {words.placeOf(at + 1, pictures.length)} · <bdi>{name}</bdi> · {sizeText(size ?? 0)}
        </p>
        <div class="row">
          {!isOne && (
            <>
              <button type="button" class="button-icon" aria-label={words.previous} onClick={() => show(-1)}>
                <Icon name="back" />
              </button>
              <button type="button" class="button-icon" aria-label={words.next} onClick={() => show(1)}>
                <Icon name="forward" />
              </button>
            </>
          )}
          <a class="button" href={contentOf(id)} download={name}>
            {words.download}
          </a>
        </div>
      </div>
    </Dialog>
  )
}
