/** A field for a text in Markdown, with its toolbar and preview. Ctrl+Enter saves. Escape closes the field and keeps the draft. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { isUploadingInto, type OnLate } from '../files/files-context.ts'
import { refocus } from '../focus.ts'
import { MarkdownTools } from './markdown-tools.tsx'
import { Mentions } from './mentions.tsx'
import { Preview } from './preview.tsx'

interface TextEditorProps {
  label: string
  text: string
  onType: (text: string) => void
  /** Replaces the placeholder of a file whose upload ends after the field was closed. */
  onLate: OnLate
  onSave: () => void
  onLeave: () => void
  /** The label of the save button, "Save" by default. */
  submit?: string
  /** Whether saving is disabled. */
  isDisabled?: boolean
  /** Whether the text mentions members, who are suggested. */
  hasMentions?: boolean
}

/** Takes the focus when it appears, with the caret at the end. */
export function TextEditor({
  label,
  text,
  onType,
  onLate,
  onSave,
  onLeave,
  submit,
  hasMentions = false,
  ...rest
}: TextEditorProps) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [isPreviewing, setPreviewing] = useState(false)
  const isDisabled = rest.isDisabled || isUploadingInto(text)
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
      <MarkdownTools
        field={field}
        controls={id}
        isPreviewing={isPreviewing}
        onLate={onLate}
        onPreview={() => {
          // The field cannot take the focus before it is shown again.
          if (isPreviewing) refocus(() => field.current?.focus())
          setPreviewing(!isPreviewing)
        }}
      />
      <div class={isPreviewing ? 'edit-sides is-previewing' : 'edit-sides'}>
        <textarea
          ref={field}
          id={id}
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
        {hasMentions && <Mentions text={text} field={field} />}
        <Preview text={text} />
      </div>
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
