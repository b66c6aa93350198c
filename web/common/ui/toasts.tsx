/** The toasts at the edge of the page. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { closeToast, STAYS, type Toast, toasts } from '../toasts.ts'
import { Icon } from './icon.tsx'

function ToastView({ toast }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld || toast.tone === 'alert') return
    const timer = setTimeout(() => closeToast(toast.id), STAYS)
    return () => clearTimeout(timer)
  }, [isHeld, toast])
  const box = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLElement>(null)
  useLayoutEffect(
    () => () => {
      // The focused element is about to be removed, and keyboard users would lose their place.
      if (!box.current?.contains(document.activeElement)) return
      const place = before.current?.isConnected ? before.current : document.querySelector('h1')
      place?.focus({ preventScroll: true })
    },
    [],
  )
  return (
    <div
      ref={box}
      class={`toast toast-${toast.tone}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={({ relatedTarget }) => {
        setHeld(true)
        const isOutside = relatedTarget instanceof HTMLElement && !relatedTarget.closest('.toasts')
        if (isOutside) before.current = relatedTarget
      }}
      onFocusOut={() => setHeld(false)}
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

/** All messages, newest last. The live region exists before them, because screen readers only announce what is added to a known one. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </div>
  )
}
