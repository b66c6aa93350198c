/** Positions of popovers at buttons and fields. */

/** Places a popover within the window: below its element, or above it if there is more room. */
export function placeBelow(anchor: HTMLElement | null, list: HTMLElement | null): void {
  if (!anchor || !list) return
  const { left, right, top, bottom } = anchor.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = list
  const isRightToLeft = getComputedStyle(anchor).direction === 'rtl'
  const x = isRightToLeft ? right - offsetWidth : left
  const isBelow = bottom + offsetHeight <= innerHeight || top < innerHeight - bottom
  list.style.left = `${Math.max(4, Math.min(x, innerWidth - offsetWidth - 4))}px`
  list.style.top = `${Math.max(4, isBelow ? Math.min(bottom + 4, innerHeight - offsetHeight - 4) : top - offsetHeight - 4)}px`
}
