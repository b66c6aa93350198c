/** The form for the name and colour of a new or existing label. */
import { useState } from 'preact/hooks'
import { drafts } from '../common/drafts.ts'
import { LONGEST_LABEL } from '../common/labels.ts'
import { LeftTexts } from '../common/ui/left-texts.tsx'
import { useDraft } from '../common/use-draft.ts'
import { useUnsent } from '../common/use-unsent.ts'
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
  const unsent = useUnsent(draftName)
  const [chosen, setChosen] = useState<string | undefined>()
  const color = chosen ?? label?.color ?? suggested
  const from = label?.name ?? ''
  const name = draft?.text ?? from
  const send = async (fields: LabelFields) => {
    // A reload does not lose changes of a label.
    if (label === undefined) unsent.begin(fields.name)
    const isSaved = await onSave(fields)
    const isBack = !isSaved && drafts.read(draftName) === undefined
    unsent.end(fields.name, isSaved || isBack)
    if (!isBack) return
    keep(fields.name, from)
    setChosen(fields.color)
  }
  const save = () => {
    const fields = { name: name.trim(), color }
    if (fields.name === '') return
    // The field is free for the next name before the response.
    remove()
    setChosen(undefined)
    void send(fields)
  }
  return (
    <>
      <LeftTexts unsent={unsent} add={(left) => void send({ name: left, color: suggested })} />
      <form
        class="card-label-form"
        onSubmit={(event) => {
          event.preventDefault()
          save()
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
    </>
  )
}
