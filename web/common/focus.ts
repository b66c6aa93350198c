/** Moves the focus before its element is removed. */

/** Focuses the last button of the next row of a list, or of the previous row, or the heading of the page. */
export function leaveRow(row: Element | null | undefined): void {
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
  const buttons = neighbour?.querySelectorAll<HTMLElement>(':scope > button') ?? []
  const target = [...buttons].at(-1) ?? document.querySelector<HTMLElement>('h1')
  target?.focus({ preventScroll: true })
}
