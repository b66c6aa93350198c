/** The form for the name and colour of a new or existing label. */
import { useState } from 'preact/hooks'
import { drafts } from '../common/drafts.ts'
import { LONGEST_LABEL } from '../common/labels.ts'
import { useDraft } from '../common/use-draft.ts'
import { texts } from '../texts.ts'
import type { LabelFields } from './label-writes.ts'

interface LabelFormProps {
  draftName: string
  /** The current label; undefined for a new one. */
  label?: LabelFields
  /** The suggested colour, if it has none that the field can show. */
  suggested: string
  /** The label of the name field. */
  called: string
  submit: string
  /** @returns whether it was accepted */
  onSave: (fields: LabelFields) => Promise<boolean>
}

export function LabelForm({ draftName, label, suggested, called, submit, onSave }: LabelFormProps) {
  const { draft, keep, remove } = useDraft(draftName)
  const [chosen, setChosen] = useState<string | undefined>()
  const color = chosen ?? label?.color ?? suggested
  const from = label?.name ?? ''
  const name = draft?.text ?? from
  const save = async () => {
    const fields = { name: name.trim(), color }
    if (fields.name === '') return
    // The field is free for the next name before the response.
    remove()
    setChosen(undefined)
    if ((await onSave(fields)) || drafts.read(draftName) !== undefined) return
    keep(fields.name, from)
    setChosen(color)
  }
  return (
    <form
      class="card-label-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <input
        type="color"
        aria-label={texts.colour}
        value={/^#[\da-f]{6}$/i.test(color) ? color : suggested}
        onInput={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <input
        aria-label={called}
        placeholder={called}
        dir="auto"
        autocomplete="off"
        maxLength={LONGEST_LABEL}
        value={name}
        onInput={({ currentTarget }) => keep(currentTarget.value, from)}
      />
      <button type="submit" class="button">
        {submit}
      </button>
    </form>
  )
}
