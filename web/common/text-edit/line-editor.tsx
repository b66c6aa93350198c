/** A field for a text of one line. Enter saves. Escape closes the field and keeps the draft. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { takeTypedAhead } from '../keys.ts'
import type { TextEdit } from './use-text-edit.ts'

interface Props {
  label: string
  edit: TextEdit
  /** Where the caret begins, as an index; by default the whole text is selected. */
  caret?: number | undefined
}

/** Takes the focus when it appears. What was typed before takes the place of the selected text. */
export function LineEditor({ label, edit, caret }: Props) {
  const field = useRef<HTMLInputElement>(null)
  // Runs before the next key, which belongs to the field.
  useLayoutEffect(() => {
    const input = field.current
    if (input === null) return
    input.focus()
    if (caret === undefined) input.select()
    else input.setSelectionRange(caret, caret)
    const ahead = takeTypedAhead()
    if (ahead === '') return
    input.setRangeText(ahead, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end')
    edit.type(input.value)
  }, [])
  const isEmpty = edit.text.trim() === ''
  return (
    <form
      class="edit-line"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty) edit.save()
      }}
    >
      <input
        ref={field}
        aria-label={label}
        dir="auto"
        autocomplete="off"
        value={edit.text}
        onInput={({ currentTarget }) => edit.type(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          // Otherwise Escape would also close the dialog.
          event.preventDefault()
          event.stopPropagation()
          edit.leave()
        }}
      />
      <button type="submit" class="button-primary" disabled={isEmpty}>
        {texts.save}
      </button>
      <button type="button" class="button" onClick={edit.leave}>
        {texts.cancel}
      </button>
    </form>
  )
}
