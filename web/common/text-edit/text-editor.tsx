/** A field for a text of several lines. Ctrl+Enter saves. Escape closes the field and keeps the draft. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'

interface TextEditorProps {
  label: string
  text: string
  onType: (text: string) => void
  onSave: () => void
  onLeave: () => void
  /** The label of the save button, "Save" by default. */
  submit?: string
  /** Whether saving is disabled. */
  isDisabled?: boolean
}

/** Takes the focus when it appears, with the caret at the end. */
export function TextEditor({ label, text, onType, onSave, onLeave, submit, isDisabled }: TextEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  // Runs before the next key, which belongs to the field.
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(text.length, text.length)
  }, [])
  return (
    <form
      class="edit-editor"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isDisabled) onSave()
      }}
    >
      <textarea
        ref={field}
        aria-label={label}
        dir="auto"
        value={text}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
        onKeyDown={(event) => {
          const isSaving = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
          if (!isSaving && event.key !== 'Escape') return
          // Otherwise Escape would also close the dialog.
          event.preventDefault()
          event.stopPropagation()
          if (!isSaving) onLeave()
          else if (!isDisabled) onSave()
        }}
      />
      <div class="row">
        <button type="submit" class="button-primary" disabled={isDisabled}>
          {submit ?? texts.save}
        </button>
        <button type="button" class="button" onClick={onLeave}>
          {texts.cancel}
        </button>
        <span class="meta">{texts.editing.saveHint}</span>
      </div>
    </form>
  )
}
