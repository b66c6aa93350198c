/** Says that something typed is not saved, and offers to go on. */
import { atTime } from '../shared/dates.ts'
import { texts } from '../texts.ts'
import type { TextEdit } from './use-text-edit.ts'

export function LeftDraft({ edit }: { edit: TextEdit }) {
  if (edit.left === undefined) return null
  return (
    <p class="card-left" role="note">
      <span>{texts.card.unsaved(atTime(edit.left.at))}</span>
      <button type="button" class="button-link" onClick={edit.begin}>
        {texts.card.keepEditing}
      </button>
      <button type="button" class="button-link" onClick={edit.discard}>
        {texts.discard}
      </button>
    </p>
  )
}
