/** Moves the focus to a neighbour if its element was removed, by somebody else's change or by an action that does not move it. */

/** The pause before it, in milliseconds, in which the page may move the focus itself. */
const AFTER = 200
const FOCUSABLE = 'a[href], :is(button, input, select, textarea):enabled'
/** With the focus, these open the keyboard of a phone. */
const FIELDS: readonly string[] = ['INPUT', 'SELECT', 'TEXTAREA']

/** A focused element, and the path of its page. */
interface Focused {
  element: HTMLElement
  path: string
}

let last: Focused | undefined

const isNowhere = () => document.activeElement === null || document.activeElement === document.body

function remember(element: EventTarget | null): void {
  last = { element: element as HTMLElement, path: location.pathname }
}

/** The removal of a node from what is still in the document. */
function removalOf(node: Node, records: readonly MutationRecord[]): MutationRecord | undefined {
  const root = node.getRootNode()
  const record = records.findLast(({ removedNodes }) => [...removedNodes].some((one) => one === root))
  return record === undefined || record.target.isConnected ? record : removalOf(record.target, records)
}

/** The places that take the focus, best first: the same card in another column, the neighbours, and all that it was in. */
function* placesOf(
  element: HTMLElement,
  { target, nextSibling, previousSibling }: MutationRecord,
): Generator<Node | null> {
  const card = element.closest<HTMLElement>('[data-card]')?.dataset.card
  if (card) yield document.querySelector(`[data-card="${CSS.escape(card)}"]`)
  yield nextSibling
  yield previousSibling
  for (let one: Node | null = target; one && one !== document.body; one = one.parentNode) yield one
}

/** The element of a place that takes the focus: one of the lost one's kind, or a menu, or the first. */
function bestIn(place: Node | null, lost: HTMLElement): HTMLElement | undefined {
  if (!(place instanceof HTMLElement) || !place.isConnected) return undefined
  const all = [place, ...place.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (one) =>
      one.matches(FOCUSABLE) &&
      one.checkVisibility() &&
      (one.tagName === lost.tagName || !FIELDS.includes(one.tagName)),
  )
  const isMenu = (one: HTMLElement) => one.ariaHasPopup !== null
  const isAlike = (one: HTMLElement) => one.tagName === lost.tagName && lost.tagName !== 'BUTTON'
  return all.find(isAlike) ?? all.find(isMenu) ?? all[0]
}

function restore({ element, path }: Focused, removal: MutationRecord | undefined): void {
  // After a navigation, the new page has the focus.
  if (last?.element !== element || location.pathname !== path) return
  if (element.isConnected && isNowhere()) element.focus({ preventScroll: true })
  if (removal === undefined) return
  for (const place of placesOf(element, removal)) {
    if (!isNowhere()) return
    // What is behind a dialog does not take it.
    bestIn(place, element)?.focus({ preventScroll: true })
  }
}

/** Starts watching the focus. */
export function keepFocus(): void {
  // A dialog may have taken it before this script was loaded.
  if (!isNowhere()) remember(document.activeElement)
  document.addEventListener('focusin', ({ target }) => remember(target))
  // A press beside everything takes the focus away.
  document.addEventListener(
    'pointerdown',
    () => {
      last = undefined
    },
    true,
  )
  const observer = new MutationObserver((records) => {
    if (last === undefined || !isNowhere()) return
    const { element } = last
    const isMoved = records.some(({ addedNodes }) => [...addedNodes].some((one) => one.contains(element)))
    const removal = removalOf(element, records)
    if (isMoved || removal) setTimeout(restore, AFTER, last, removal)
  })
  observer.observe(document.body, { childList: true, subtree: true })
}
