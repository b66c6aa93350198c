/** Moves the focus before or after its element is removed. */

/** Moves the focus after the next rendering, unless somebody has moved it elsewhere meanwhile. */
export function refocus(move: () => void): void {
  const before = document.activeElement
  requestAnimationFrame(() => {
    const now = document.activeElement
    // The body has the focus when its element was removed.
    if (now === before || now === document.body) move()
  })
}

/** Focuses the last button of the next row of a list, or of the previous row, or the heading of the page. */
export function leaveRow(row: Element | null | undefined): void {
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
  const buttons = neighbour?.querySelectorAll<HTMLElement>(':scope > button') ?? []
  const target = [...buttons].at(-1) ?? document.querySelector<HTMLElement>('h1')
  target?.focus({ preventScroll: true })
}
