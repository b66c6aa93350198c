/** The title of the dialog, which is the card's title, edited in place. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { caretOf, startsEditing } from '../common/text-edit/click-to-edit.ts'
import { ConflictNotice } from '../common/text-edit/conflict-notice.tsx'
import { LeftDraft } from '../common/text-edit/left-draft.tsx'
import { LineEditor } from '../common/text-edit/line-editor.tsx'
import type { TextEdit } from '../common/text-edit/use-text-edit.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'

const CALLED = texts.inSentence(texts.card.title)

/** @param id the id of the heading, which labels the dialog */
export function CardTitle({ id, edit, canEdit }: { id: string; edit: TextEdit; canEdit: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isEditing = edit.mode === 'editing'
  const canBegin = canEdit && edit.mode === 'shown'
  const caret = useRef<number | undefined>(undefined)
  const wasEditing = useRef(isEditing)
  useLayoutEffect(() => {
    // The field that had the focus has been removed.
    if (wasEditing.current && edit.mode === 'shown') {
      heading.current?.focus()
      // The next time it may begin by a key.
      caret.current = undefined
    }
    wasEditing.current = isEditing
  }, [edit.mode])
  return (
    <div class="card-title">
      <div class="row">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button beside it does the same. */}
        <h2
          ref={heading}
          id={id}
          tabIndex={-1}
          dir="auto"
          class={isEditing ? 'visually-hidden' : canBegin ? 'edit-by-click' : undefined}
          onClick={(event) => {
            if (!canBegin || !startsEditing(event)) return
            caret.current = caretOf(event)
            edit.begin()
          }}
        >
          {shownTitle(edit.shown)}
        </h2>
        {canBegin && (
          <button type="button" class="button-icon" aria-label={texts.card.editTitle} onClick={edit.begin}>
            <Icon name="edit" />
          </button>
        )}
      </div>
      {isEditing && <LineEditor label={texts.card.title} edit={edit} caret={caret.current} />}
      {edit.mode === 'conflict' && <ConflictNotice edit={edit} called={CALLED} />}
      <LeftDraft edit={edit} />
    </div>
  )
}
