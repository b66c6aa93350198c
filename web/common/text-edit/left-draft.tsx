/** Shows that there is an unsaved draft, and offers to continue editing it. */

import { texts } from '../../texts.ts'
import { atTime } from '../dates.ts'
import type { TextEdit } from './use-text-edit.ts'

export function LeftDraft({ edit }: { edit: TextEdit }) {
  if (edit.left === undefined) return null
  return (
    <p class="edit-left" role="note">
      <span>{texts.editing.unsaved(atTime(edit.left.at))}</span>
      <button type="button" class="button-link" onClick={edit.begin}>
        {texts.editing.keepEditing}
      </button>
      <button type="button" class="button-link" onClick={edit.discard}>
        {texts.discard}
      </button>
    </p>
  )
}
