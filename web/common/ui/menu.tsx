/** A button with a menu of actions (the menu button pattern of the ARIA Authoring Practices). */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { placeBelow } from './place-below.ts'

/** An action or a link. Undefined entries are skipped, so that conditions stay short. */
export type MenuItem =
  | { label: string; run: () => void; key?: string; isDanger?: boolean; isDisabled?: boolean }
  | { label: string; href: string }
  | undefined
  | false

interface MenuProps {
  /** The accessible name of the button. */
  label: string
  /** The content of the button. */
  children: ComponentChildren
  items: readonly MenuItem[]
  class?: string
  tabIndex?: number
}

export function Menu({ label, children, items, class: className = 'button-icon', tabIndex }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)

  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const close = (focus: boolean) => {
    list.current?.hidePopover()
    if (focus) button.current?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    placeBelow(button.current, list.current)
    entries()[0]?.focus()
  }, [isOpen])

  const onKeyDown = (event: KeyboardEvent) => {
    const all = entries()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const focus = (index: number) => all.at(index % all.length)?.focus()
    if (event.key === 'ArrowDown') focus(at + 1)
    else if (event.key === 'ArrowUp') focus(at - 1)
    else if (event.key === 'Home') focus(0)
    else if (event.key === 'End') focus(-1)
    else if (event.key === 'Escape') close(true)
    else if (event.key === 'Tab') close(false)
    else if (/^\S$/.test(event.key)) {
      const from = [...all.slice(at + 1), ...all.slice(0, at + 1)]
      from.find((entry) => entry.textContent?.toLowerCase().startsWith(event.key.toLowerCase()))?.focus()
    } else return
    if (event.key !== 'Tab') event.preventDefault()
    event.stopPropagation()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        tabIndex={tabIndex}
        onClick={() => list.current?.togglePopover()}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          event.stopPropagation()
          list.current?.showPopover()
        }}
      >
        {children}
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        tabIndex={-1}
        onToggle={(event) => setOpen(event.newState === 'open')}
        onKeyDown={onKeyDown}
      >
        {isOpen &&
          items.map((item) => {
            if (!item) return null
            if ('href' in item) {
              return (
                <a
                  key={item.label}
                  role="menuitem"
                  tabIndex={-1}
                  href={item.href}
                  onClick={() => close(false)}
                >
                  {item.label}
                </a>
              )
            }
            return (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                class={item.isDanger ? 'danger' : undefined}
                aria-disabled={item.isDisabled}
                onClick={() => {
                  if (item.isDisabled) return
                  close(true)
                  item.run()
                }}
              >
                <span>{item.label}</span>
                {item.key && <kbd aria-hidden="true">{item.key}</kbd>}
              </button>
            )
          })}
      </div>
    </>
  )
}
