/** Keyboard shortcuts: one listener for the page, and whoever is on the page says what its keys do. */
import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** What keys do: by `f`, `?`, `ArrowUp`, `Escape`, `Ctrl+z`, or two in a row, `g p`. Return false to let the key pass. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

/** How long the second key of two may take, in milliseconds. */
const TWO_KEYS = 1500
const SETTING = 'phaseboard:single-keys'

function storedSetting(): boolean {
  try {
    return localStorage.getItem(SETTING) !== 'off'
  } catch {
    return true
  }
}

/** Whether single letters do anything (WCAG 2.1.4): who dictates turns them off. */
export const singleKeys = signal(storedSetting())

/** Turns single letters on or off, for this browser. */
export function setSingleKeys(on: boolean): void {
  singleKeys.value = on
  try {
    localStorage.setItem(SETTING, on ? 'on' : 'off')
  } catch {
    // Forbidden: then it holds as long as the page.
  }
}

/** The newest is asked first. */
const maps: { current: KeyMap }[] = []
let first: { key: string; at: number } | undefined

/** Whether keys go into a field. */
const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(?:checkbox|radio|button|submit)$/.test(target.type))

function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey) return undefined
  return ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key
}

/** How long letters are kept for a field that does not come, in milliseconds. */
const AHEAD = 5000
/** What was typed for a field that was asked for and is not there yet; undefined where none was. */
let ahead: string | undefined
let forgetting: ReturnType<typeof setTimeout> | undefined

/** Keeps letters, which do nothing else meanwhile, until a field that was asked for is there. */
export function typeAhead(): void {
  clearTimeout(forgetting)
  ahead = ''
  forgetting = setTimeout(takeTypedAhead, AHEAD)
}

/** What was typed before the field was there. */
export function takeTypedAhead(): string {
  const text = ahead ?? ''
  ahead = undefined
  return text
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isField(event.target)) return
  const name = nameOf(event)
  if (ahead !== undefined && name?.length === 1) {
    ahead += name
    event.preventDefault()
    return
  }
  if (name === undefined || (name.length === 1 && !singleKeys.peek())) return
  // A dialog is modal: keys of the page below it rest.
  const isModal = document.querySelector('dialog[open]') !== null
  const both = first && event.timeStamp - first.at < TWO_KEYS ? `${first.key} ${name}` : undefined
  first = undefined
  for (const candidate of [both, name]) {
    if (candidate === undefined) continue
    for (const { current } of maps.toReversed()) {
      const act = current[candidate]
      if (act === undefined || (isModal && !candidate.startsWith('Ctrl+') && !isInModal(current))) continue
      if (act(event) === false) continue
      event.preventDefault()
      return
    }
  }
  if (maps.some(({ current }) => Object.keys(current).some((key) => key.startsWith(`${name} `)))) {
    first = { key: name, at: event.timeStamp }
  }
}

const MODAL = Symbol('modal')
const isInModal = (map: KeyMap) => (map as { [MODAL]?: true })[MODAL] === true

/** Keys that also work while a dialog is open: those of the dialog. */
export const inModal = (map: KeyMap): KeyMap => Object.assign({}, map, { [MODAL]: true as const })

/** Says what keys do while a component is on the page. */
export function useKeys(map: KeyMap): void {
  // Before the next key: it is for what is shown by then.
  useLayoutEffect(() => {
    const entry = { current: map }
    maps.push(entry)
    return () => {
      maps.splice(maps.indexOf(entry), 1)
    }
  })
}

/** Begins to listen. */
export function startKeys(): void {
  document.addEventListener('keydown', onKeyDown)
}
