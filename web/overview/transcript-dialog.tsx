/** Adds the transcript of a meeting. */
import { today } from '../common/dates.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { DateField } from '../common/ui/date-field.tsx'
import { Area, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { texts } from '../texts.ts'
import { addTranscript } from './transcript-writes.ts'

const words = texts.overview

export function TranscriptDialog({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  return (
    <FormDialog
      title={words.addTranscript}
      onClose={onClose}
      send={(fields) => addTranscript(store, fields).then(onClose)}
      submit={texts.add}
      draft={`transcript:new:${store.id}`}
    >
      <Field name="title" label={texts.fields.title} required maxLength={500} autofocus />
      <DateField name="date" label={words.date} value={today()} isPast isRequired />
      <Field name="participants" label={words.participants} hint={words.participantsHint} />
      <Area name="summary" label={words.summary} />
      <Area name="actionItems" label={words.actionItems} hint={words.actionItemsHint} />
    </FormDialog>
  )
}
