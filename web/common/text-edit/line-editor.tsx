/** A field for a text of one line. Enter saves. Escape closes the field and keeps the draft. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { takeTypedAhead } from '../keys.ts'
import type { TextEdit } from './use-text-edit.ts'

/** Takes the focus when it appears, and selects the text. What was typed before takes its place. */
export function LineEditor({ label, edit }: { label: string; edit: TextEdit }) {
  const field = useRef<HTMLInputElement>(null)
  // Runs before the next key, which belongs to the field.
  useLayoutEffect(() => {
    field.current?.select()
    const ahead = takeTypedAhead()
    if (ahead === '' || !field.current) return
    field.current.value = ahead
    edit.type(ahead)
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
