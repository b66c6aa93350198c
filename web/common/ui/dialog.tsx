/** A modal dialog: the browser keeps the focus inside and the page behind inert. */
import { computed, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { Icon } from './icon.tsx'
import { Toasts } from './toasts.tsx'

const open = signal<readonly string[]>([])

/** The dialog on top, by its id. What is outside of it cannot be used: messages stand in it then. */
export const topDialog = computed(() => open.value.at(-1))

interface DialogProps {
  /** What it is called; said by screen readers, and shown as its heading unless `heading` is given. */
  title: string
  /** Its heading, if it is more than the title; must hold an element with the id that it is given. */
  heading?: (id: string) => ComponentChildren
  /** Is asked to close it: by Escape, the close button, or a click outside. */
  onClose: () => void
  /** `wide` for what has two columns, `side` for what slides in. */
  size?: 'small' | 'wide'
  /** Whether a click outside closes it; not where text could be lost from sight. */
  closesOutside?: boolean
  /** Buttons beside the one that closes it. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** Shows a dialog as long as it is rendered. The focus goes to what has `autofocus`, else to the heading, and back afterwards. */
export function Dialog({
  title,
  heading,
  onClose,
  size = 'small',
  closesOutside = true,
  actions,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  /** Whether the pointer went down outside: marking text may end there. */
  const isOutside = useRef(false)
  // Before the browser paints, and before the next key: what is typed then goes into the dialog.
  useLayoutEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    open.value = [...open.peek(), id]
    const start = dialog?.querySelector<HTMLElement>('[autofocus]') ?? document.getElementById(id)
    start?.focus()
    return () => {
      dialog?.close()
      open.value = open.peek().filter((one) => one !== id)
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [id])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes it by Escape, which is `cancel`.
    <dialog
      ref={element}
      class={`dialog dialog-${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== element.current) return
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        isOutside.current = event.target === element.current
      }}
      onClick={(event) => {
        if (closesOutside && isOutside.current && event.target === element.current) onClose()
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          {heading?.(id) ?? (
            <h2 id={id} tabIndex={-1} dir="auto">
              {title}
            </h2>
          )}
          <div class="dialog-actions">
            {actions}
            <button type="button" class="button-icon" aria-label={texts.close} onClick={onClose}>
              <Icon name="close" />
            </button>
          </div>
        </header>
        {children}
      </div>
      {topDialog.value === id && <Toasts />}
    </dialog>
  )
}

/** The end of a dialog's form: to leave it, and to send it. @param props `submit`: what the button that sends it says */
export const DialogFoot = ({ submit, onCancel }: { submit: string; onCancel: () => void }) => (
  <footer class="dialog-foot">
    <button type="button" class="button" onClick={onCancel}>
      {texts.cancel}
    </button>
    <button type="submit" class="button-primary">
      {submit}
    </button>
  </footer>
)
