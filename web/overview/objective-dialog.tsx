/** Adds an objective, or edits its texts. */
import { useRef } from 'preact/hooks'
import type { Objective } from '../common/api.ts'
import { textIn } from '../common/forms.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { Area, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { texts } from '../texts.ts'
import { addObjective, saveObjective } from './objective-writes.ts'

const words = texts.overview

interface Props {
  store: ProjectStore
  /** The objective to edit; a new one if absent. */
  objective?: Objective
  onClose: () => void
}

export function ObjectiveDialog({ store, objective, onClose }: Props) {
  const base = useRef(objective)
  const send = async (form: FormData) => {
    const fields = { title: textIn(form, 'title').trim(), description: textIn(form, 'description') }
    const { current } = base
    if (current) await saveObjective(store, base as { current: Objective }, fields)
    else await addObjective(store, fields)
    onClose()
  }
  return (
    <FormDialog
      title={objective ? texts.changeOf(objective.title) : words.addObjective}
      onClose={onClose}
      send={send}
      submit={objective ? texts.save : texts.add}
      draft={`objective:${objective?.id ?? `new:${store.id}`}`}
    >
      <Field
        name="title"
        label={texts.fields.title}
        value={objective?.title}
        required
        maxLength={500}
        autofocus
      />
      <Area name="description" label={words.description} value={objective?.description} />
    </FormDialog>
  )
}
