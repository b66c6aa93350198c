/** A modal dialog. The browser traps the focus in it and makes the page behind it inert. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { Icon } from './icon.tsx'
import { openDialogs, topDialog } from './open-dialogs.ts'
import { Toasts } from './toasts.tsx'

interface DialogProps {
  /** The accessible name, which is also the heading unless `heading` is given. */
  title: string
  /** The heading, if it is more than the title. One of its elements must have the given id. */
  heading?: (id: string) => ComponentChildren
  /** Called when the user closes it by Escape, the close button, or a click outside. */
  onClose: () => void
  /** `wide` for two columns, `full` for all of the window. */
  size?: 'small' | 'wide' | 'full'
  /** Whether a click outside closes it. False if typed text could be hidden. */
  closesOutside?: boolean
  /** Buttons beside the close button. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** Shows a dialog while it is rendered. The focus goes to the `autofocus` element or the heading, and returns afterwards. */
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
  /** Whether the pointer went down outside. A text selection may end there. */
  const isOutside = useRef(false)
  // Runs before the browser paints and before the next key, so that typed text goes into the dialog.
  useLayoutEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    openDialogs.value = [...openDialogs.peek(), id]
    const start = dialog?.querySelector<HTMLElement>('[autofocus]') ?? document.getElementById(id)
    start?.focus()
    return () => {
      dialog?.close()
      openDialogs.value = openDialogs.peek().filter((one) => one !== id)
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
        // If the browser closes it in any case, that is `close`.
        if (event.target !== element.current || !event.cancelable) return
        event.preventDefault()
        onClose()
      }}
      onClose={({ currentTarget }) => {
        if (currentTarget !== element.current) return
        // Chrome closes it when Escape is pressed twice. Whether it stays is up to its owner.
        currentTarget.showModal()
        onClose()
      }}
      onPointerDown={(event) => {
        isOutside.current = event.target === element.current
      }}
      onClick={(event) => {
        // The second click of a double click may be outside of the dialog that the first one opened.
        const isSingle = event.detail < 2
        if (closesOutside && isSingle && isOutside.current && event.target === element.current) onClose()
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

/** The buttons of a dialog's form: cancel and submit. @param props `submit`: the label of the submit button */
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
