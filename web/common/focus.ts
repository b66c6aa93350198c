/** Where the focus goes when what has it is about to go. */

/** Focuses the last button of the next row of a list, else of the one before, else the heading of the page. */
export function leaveRow(row: Element | null | undefined): void {
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
  const buttons = neighbour?.querySelectorAll<HTMLElement>(':scope > button') ?? []
  const target = [...buttons].at(-1) ?? document.querySelector<HTMLElement>('h1')
  target?.focus({ preventScroll: true })
}
