/** A text of a record that is edited in place: the text, a button, the field, and the notice of a conflict. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { Icon } from '../ui/icon.tsx'
import { startsEditing } from './click-to-edit.ts'
import { ConflictNotice } from './conflict-notice.tsx'
import { LeftDraft } from './left-draft.tsx'
import { LineEditor } from './line-editor.tsx'
import { TextEditor } from './text-editor.tsx'
import { type EditedText, useTextEdit } from './use-text-edit.ts'
import { type Tick, useTicks } from './use-ticks.ts'

interface Props extends EditedText {
  /** The name of the field, e.g. "Next step". */
  label: string
  canEdit: boolean
  /** Whether the text has one line or several. A text of one line must not be empty. */
  kind: 'line' | 'lines'
  /** Renders the text. */
  children: (text: string, onTick: Tick | undefined) => ComponentChildren
}

export function EditableText({ label, canEdit, kind, children, ...text }: Props) {
  const edit = useTextEdit(text)
  const { value, save } = text
  const tick = useTicks({ edit, value, save, canEdit: canEdit && kind === 'lines' })
  const button = useRef<HTMLButtonElement>(null)
  const former = useRef(edit.mode)
  useLayoutEffect(() => {
    // The field that had the focus has been removed.
    if (former.current !== 'shown' && edit.mode === 'shown') button.current?.focus()
    former.current = edit.mode
  }, [edit.mode])
  return (
    <div class="edit">
      {edit.mode === 'shown' && (
        <div class="edit-shown">
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same. */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same. */}
          <div
            class={canEdit ? 'edit-text edit-by-click' : 'edit-text'}
            onClick={(event) => canEdit && startsEditing(event) && edit.begin()}
          >
            {children(edit.shown, tick)}
          </div>
          {canEdit && (
            <button
              ref={button}
              type="button"
              class="button-icon"
              aria-label={texts.editing.begin(label)}
              onClick={edit.begin}
            >
              <Icon name="edit" />
            </button>
          )}
        </div>
      )}
      {edit.mode === 'editing' && kind === 'line' && <LineEditor label={label} edit={edit} />}
      {edit.mode === 'editing' && kind === 'lines' && (
        <TextEditor
          label={label}
          text={edit.text}
          onType={edit.type}
          onLate={edit.replace}
          onSave={edit.save}
          onLeave={edit.leave}
          isDisabled={!canEdit}
        />
      )}
      {edit.mode === 'conflict' && <ConflictNotice edit={edit} called={text.called} />}
      <LeftDraft edit={edit} />
    </div>
  )
}
