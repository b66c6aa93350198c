/** Keyboard shortcuts. The page has one listener, and its components register functions for keys. */
import { computed } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { store, stored } from './stored.ts'

/** Handlers by key: `f`, `?`, `ArrowUp`, `Escape`, `Ctrl+z`, `Ctrl+Shift+z`, or a sequence of two, `g p`. A handler returns false to let the key pass. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

/** The maximum time between the two keys of a sequence, in milliseconds. */
const TWO_KEYS = 1500
const SETTING = 'phaseboard:single-keys'

/** Whether single letters are shortcuts (WCAG 2.1.4). Users who dictate turn them off. */
export const singleKeys = computed(() => stored(SETTING).value !== 'off')

/** Turns single letters on or off in this browser. */
export const setSingleKeys = (on: boolean): void => store(SETTING, on ? 'on' : 'off')

/** The newest handlers come first. */
const maps: { current: KeyMap }[] = []
let first: { key: string; at: number } | undefined

/** Whether keys are typed into a field. */
export const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(?:checkbox|radio|button|submit)$/.test(target.type))

function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined {
  if (altKey) return undefined
  return ctrlKey || metaKey ? `Ctrl+${shiftKey ? 'Shift+' : ''}${key.toLowerCase()}` : key
}

/** How long typed letters are buffered for a field that does not appear, in milliseconds. */
const AHEAD = 5000
/** Letters typed for a field that is about to appear; undefined if none is expected. */
let ahead: string | undefined
let forgetting: ReturnType<typeof setTimeout> | undefined

/** Buffers typed letters until the expected field appears. They trigger no shortcuts in the meantime. */
export function typeAhead(): void {
  clearTimeout(forgetting)
  ahead = ''
  forgetting = setTimeout(takeTypedAhead, AHEAD)
}

/** Takes the letters that were typed before the field appeared. */
export function takeTypedAhead(): string {
  const text = ahead ?? ''
  ahead = undefined
  return text
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || isField(event.target)) return
  const name = nameOf(event)
  if (ahead !== undefined && name?.length === 1) {
    ahead += name
    event.preventDefault()
    return
  }
  if (name === undefined || (name.length === 1 && !singleKeys.peek())) return
  // A dialog is modal: the page's shortcuts are off while it is open.
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

/** The handlers of a key outside dialogs, the newest first. */
const actsOf = (name: string) => maps.toReversed().flatMap(({ current }) => current[name] ?? [])

/** Whether a key does something on the current page. */
export const hasKey = (name: string): boolean => actsOf(name).length > 0

/** Runs the function of a key, as if it were pressed at the focused element. It also works if single letters are off. */
export function pressKey(name: string): void {
  const event = new KeyboardEvent('keydown', { key: name })
  Object.defineProperty(event, 'target', { value: document.activeElement })
  actsOf(name).some((act) => act(event) !== false)
}

const MODAL = Symbol('modal')
const isInModal = (map: KeyMap) => (map as { [MODAL]?: true })[MODAL] === true

/** Marks a dialog's own shortcuts, which work while it is open. */
export const inModal = (map: KeyMap): KeyMap => Object.assign({}, map, { [MODAL]: true as const })

/** Registers shortcuts while a component is mounted. */
export function useKeys(map: KeyMap): void {
  // Runs before the next key, which is meant for the updated page.
  useLayoutEffect(() => {
    const entry = { current: map }
    maps.push(entry)
    return () => {
      maps.splice(maps.indexOf(entry), 1)
    }
  })
}

/**
 * Keeps the keys of an input method from the page: Enter takes its suggestion, Escape closes its list. Safari ends the
 * composition before it sends that Enter, with the code of such a key.
 */
function keepFromPage(event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation()
}

/** Starts listening. */
export function startKeys(): void {
  addEventListener('keydown', keepFromPage, true)
  document.addEventListener('keydown', onKeyDown)
}
