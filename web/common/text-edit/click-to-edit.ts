/** Editing that begins with a click on the text. */

/** Elements with their own click action. */
const OWN = 'a, button, input, label, select, textarea, summary'

/** Whether a click means to edit the text: not a link or checkbox in it, and not the end of a selection. */
export function startsEditing({ target, defaultPrevented }: MouseEvent): boolean {
  const isOwn = target instanceof Element && target.closest(OWN) !== null
  return !defaultPrevented && !isOwn && (getSelection()?.isCollapsed ?? true)
}
