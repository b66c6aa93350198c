/** Applies edits to text fields. */
import type { Edit, Selected } from './markdown-edit.ts'

type TextField = HTMLTextAreaElement | HTMLInputElement

export const selectedIn = ({ value, selectionStart, selectionEnd }: TextField): Selected => ({
  text: value,
  start: selectionStart ?? value.length,
  end: selectionEnd ?? value.length,
})

/**
 * Applies an edit as if the user had typed it, so that the browser's own undo reverts it: `execCommand` is deprecated, but
 * nothing else writes to that history. Where a browser no longer has it, the edit is applied without the history.
 */
export function applyEdit(field: TextField, { from, to, insert, start, end }: Edit): void {
  field.focus()
  field.setSelectionRange(from, to)
  const isWritten =
    insert === ''
      ? from === to || document.execCommand('delete')
      : document.execCommand('insertText', false, insert)
  if (!isWritten) {
    field.setRangeText(insert, from, to)
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  field.setSelectionRange(start, end)
}
