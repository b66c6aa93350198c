/** A popover at an anchor, which is open while it is rendered. A click elsewhere and Escape close it. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Anchor, placeBelow } from './place-below.ts'

interface PopupProps {
  id?: string
  label: string
  anchor: Anchor
  class?: string
  onClose: () => void
  children: ComponentChildren
}

export function Popup({ id, label, anchor, class: className = '', onClose, children }: PopupProps) {
  const element = useRef<HTMLDivElement>(null)
  // Before the next key, which is meant for the popup.
  useLayoutEffect(() => {
    const popup = element.current
    popup?.showPopover()
    placeBelow(anchor, popup)
    const first =
      popup?.querySelector<HTMLElement>('[autofocus]') ?? popup?.querySelector<HTMLElement>('input, button')
    first?.focus({ preventScroll: true })
  }, [anchor])
  return (
    <div
      ref={element}
      id={id}
      class={`menu popup ${className}`}
      role="dialog"
      aria-label={label}
      popover="auto"
      onToggle={(event) => event.newState === 'closed' && onClose()}
      onKeyDown={(event) => {
        // The keys of the page are not meant.
        if (event.key !== 'Tab') event.stopPropagation()
        if (event.key !== 'Escape') return
        event.preventDefault()
        element.current?.hidePopover()
      }}
    >
      {children}
    </div>
  )
}
