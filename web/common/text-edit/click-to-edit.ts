/** Editing that begins with a click on the text. */

/** Elements with their own click action. */
const OWN = 'a, button, input, label, select, textarea, summary'

/** The place in a text where a click falls, as an index; undefined where the browser does not tell. @param event on the element of the text alone */
export function caretOf({ clientX, clientY, currentTarget }: MouseEvent): number | undefined {
  const place = document.caretPositionFromPoint?.(clientX, clientY)
  return place && (currentTarget as Element).contains(place.offsetNode) ? place.offset : undefined
}

/** Whether a click means to edit the text: not a link or checkbox in it, and not the end of a selection. */
export function startsEditing({ target, defaultPrevented }: MouseEvent): boolean {
  const isOwn = target instanceof Element && target.closest(OWN) !== null
  return !defaultPrevented && !isOwn && (getSelection()?.isCollapsed ?? true)
}
