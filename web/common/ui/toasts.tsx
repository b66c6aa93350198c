/** The toast at the bottom of the page, and the live region of the page. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { announcement, closeToast, currentToast, STAYS, type Toast } from '../toasts.ts'
import { Icon } from './icon.tsx'

/**
 * Reserves the space of the toast: a page that scrolls gets it at its end, and a dialog ends above it if the toast would reach into
 * it. The toast lies over a board, whose columns would jump.
 */
function makeRoom(box: HTMLElement): () => void {
  const root = document.documentElement
  const dialog = box.closest('dialog')
  const measure = () => {
    const taken = innerHeight - box.getBoundingClientRect().top
    root.style.setProperty('--toast-room', `${Math.ceil(taken)}px`)
    if (dialog && dialog.getBoundingClientRect().bottom > innerHeight - taken) dialog.dataset.room = ''
  }
  const observer = new ResizeObserver(measure)
  observer.observe(box)
  if (dialog) observer.observe(dialog)
  addEventListener('resize', measure)
  measure()
  return () => {
    observer.disconnect()
    removeEventListener('resize', measure)
    root.style.removeProperty('--toast-room')
    if (dialog) delete dialog.dataset.room
  }
}

function ToastView({ toast }: { toast: Toast }) {
  const [isHovered, setHovered] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const isHeld = isHovered || hasFocus
  useLayoutEffect(() => {
    if (isHeld || toast.tone === 'alert') return
    const timer = setTimeout(() => closeToast(toast.id), STAYS)
    return () => clearTimeout(timer)
  }, [isHeld, toast])
  const box = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const end = box.current ? makeRoom(box.current) : undefined
    return () => {
      end?.()
      // The focused element is about to be removed, and keyboard users would lose their place.
      if (!box.current?.contains(document.activeElement)) return
      const place = before.current?.isConnected ? before.current : document.querySelector('h1')
      place?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <div
      ref={box}
      class={`toast toast-${toast.tone}`}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocusIn={({ relatedTarget }) => {
        setFocus(true)
        const isOutside = relatedTarget instanceof HTMLElement && !relatedTarget.closest('.toasts')
        if (isOutside) before.current = relatedTarget
      }}
      onFocusOut={() => setFocus(false)}
    >
      <p role={toast.tone === 'alert' ? 'alert' : undefined} dir="auto">
        {toast.text}
      </p>
      {toast.actions.map(({ label, run }) => (
        <button
          key={label}
          type="button"
          class="button-link"
          onClick={() => {
            closeToast(toast.id)
            run()
          }}
        >
          {label}
        </button>
      ))}
      <button type="button" class="button-icon" aria-label={texts.close} onClick={() => closeToast(toast.id)}>
        <Icon name="close" />
      </button>
    </div>
  )
}

/** The current message. The live regions exist before their texts, because screen readers only announce what is added to a known one. */
export function Toasts() {
  const toast = currentToast.value
  return (
    <>
      <div class="toasts" role="status">
        {toast && <ToastView key={toast.id} toast={toast} />}
      </div>
      <div class="visually-hidden" role="status">
        {announcement.value && <p key={announcement.value}>{announcement.value.text}</p>}
      </div>
    </>
  )
}
