/** Adds an objective, or edits its texts. */
import { useRef } from 'preact/hooks'
import type { Objective } from '../common/api.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Area, Field, Form } from '../common/ui/field.tsx'
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
    const fields = { title: String(form.get('title')).trim(), description: String(form.get('description')) }
    const { current } = base
    if (current) await saveObjective(store, base as { current: Objective }, fields)
    else await addObjective(store, fields)
    onClose()
  }
  return (
    <Dialog
      title={objective ? texts.changeOf(objective.title) : words.addObjective}
      onClose={onClose}
      closesOutside={false}
    >
      <Form
        send={send}
        submit={objective ? texts.save : texts.add}
        onCancel={onClose}
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
      </Form>
    </Dialog>
  )
}
