/** Positions of popovers at buttons, fields and points. */

/** The anchor of a popover: an element, or anything else with a rectangle in the window. */
export interface Anchor {
  getBoundingClientRect: () => DOMRect
}

/** A point in the window, in pixels. */
export const pointAt = (x: number, y: number): Anchor => ({ getBoundingClientRect: () => new DOMRect(x, y) })

/** Places a popover within the window: below its anchor, or above it if there is more room. */
export function placeBelow(anchor: Anchor | null, list: HTMLElement | null): void {
  if (!anchor || !list) return
  const { left, right, top, bottom } = anchor.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = list
  const isRightToLeft = getComputedStyle(list).direction === 'rtl'
  const x = isRightToLeft ? right - offsetWidth : left
  const isBelow = bottom + offsetHeight <= innerHeight || top < innerHeight - bottom
  list.style.left = `${Math.max(4, Math.min(x, innerWidth - offsetWidth - 4))}px`
  list.style.top = `${Math.max(4, isBelow ? Math.min(bottom + 4, innerHeight - offsetHeight - 4) : top - offsetHeight - 4)}px`
}
