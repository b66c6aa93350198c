/** A button with a menu of actions (the menu button pattern of the ARIA Authoring Practices), and a menu without a button. */
import type { ComponentChildren, RefObject } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Anchor, placeBelow } from './place-below.ts'

/** An action or a link. Undefined entries are skipped, so that conditions stay short. */
export type MenuItem =
  | { label: string; run: () => void; key?: string; isDanger?: boolean; isDisabled?: boolean }
  | { label: string; href: string }
  | undefined
  | false

interface MenuListProps {
  id?: string
  list: RefObject<HTMLDivElement | null>
  label: string
  items: readonly MenuItem[]
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  /** Closes the menu. @param focus whether the focus goes back to where the menu was opened */
  close: (focus: boolean) => void
}

function MenuList({ id, list, label, items, isOpen, onToggle, close }: MenuListProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const all = entriesOf(list.current)
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
    <div
      ref={list}
      id={id}
      class="menu"
      role="menu"
      aria-label={label}
      popover="auto"
      tabIndex={-1}
      onToggle={(event) => onToggle(event.newState === 'open')}
      onKeyDown={onKeyDown}
    >
      {isOpen &&
        items.map((item) => {
          if (!item) return null
          if ('href' in item) {
            return (
              <a key={item.label} role="menuitem" tabIndex={-1} href={item.href} onClick={() => close(false)}>
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
  )
}

const entriesOf = (list: HTMLElement | null) => [
  ...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
]

interface MenuProps {
  /** The accessible name of the button. */
  label: string
  /** The content of the button. */
  children: ComponentChildren
  items: readonly MenuItem[]
  class?: string
}

export function Menu({ label, children, items, class: className = 'button-icon' }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = (focus: boolean) => {
    list.current?.hidePopover()
    if (focus) button.current?.focus()
  }
  // At once, so that the next key goes to the menu, and a later focus of an entry stays.
  useLayoutEffect(() => {
    if (!isOpen) return
    placeBelow(button.current, list.current)
    entriesOf(list.current)[0]?.focus()
  }, [isOpen])

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
        popovertarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          event.stopPropagation()
          list.current?.showPopover()
        }}
      >
        {children}
      </button>
      <MenuList
        id={id}
        list={list}
        label={label}
        items={items}
        isOpen={isOpen}
        onToggle={setOpen}
        close={close}
      />
    </>
  )
}

interface OpenMenuProps {
  label: string
  items: readonly MenuItem[]
  /** Where it opens. */
  anchor: Anchor
  /** Called when it closes. @param focus whether the focus should go back */
  onClose: (focus: boolean) => void
}

/** A menu that is open while it is rendered, e.g. at the pointer. */
export function OpenMenu({ label, items, anchor, onClose }: OpenMenuProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    list.current?.showPopover()
    placeBelow(anchor, list.current)
    entriesOf(list.current)[0]?.focus()
  }, [anchor])
  return (
    <MenuList
      list={list}
      label={label}
      items={items}
      isOpen
      onToggle={(isOpen) => !isOpen && onClose(false)}
      close={onClose}
    />
  )
}
