/** Editing an idea. What is typed is kept until it is saved or discarded. */
import { useId, useState } from 'preact/hooks'
import type { PersonalIdea } from '../shared/api.ts'
import { atTime } from '../shared/dates.ts'
import { drafts } from '../shared/drafts.ts'
import { termsOf, wordsOf } from '../shared/terms.ts'
import { failed } from '../shared/toasts.ts'
import { texts } from '../texts.ts'
import { updateIdea } from './idea-writes.ts'

const PRIORITIES = ['low', 'medium', 'high', 'critical']
const STATUSES = ['idea', 'ready', 'discarded']

type TextField = 'title' | 'description'
const draftOf = ({ id }: PersonalIdea, field: TextField) => `personal-idea:${id}:${field}`

interface SelectProps {
  name: 'priority' | 'status'
  value: string
  terms: readonly string[]
}

function Select({ name, value, terms }: SelectProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{texts.ideaList[name]}</label>
      <select id={id} name={name}>
        {termsOf(terms, [value]).map((term) => (
          <option key={term} value={term} selected={term === value}>
            {wordsOf(term)}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The fields that are other than those of the idea. */
function changesOf(idea: PersonalIdea, fields: FormData): Partial<PersonalIdea> {
  const changes: Partial<PersonalIdea> = {}
  for (const name of ['title', 'description', 'priority', 'status'] as const) {
    const value = String(fields.get(name) ?? '')
    if (value !== idea[name]) changes[name] = value
  }
  return changes
}

export function IdeaForm({ idea, onClose }: { idea: PersonalIdea; onClose: () => void }) {
  const id = useId()
  const [isBusy, setBusy] = useState(false)
  const [kept] = useState({
    title: drafts.read(draftOf(idea, 'title')),
    description: drafts.read(draftOf(idea, 'description')),
  })
  const latest = Math.max(kept.title?.at ?? 0, kept.description?.at ?? 0)
  const keep = (field: TextField) => (event: Event & { currentTarget: { value: string } }) =>
    drafts.keep(draftOf(idea, field), { text: event.currentTarget.value, from: idea[field] })
  const forget = () => {
    drafts.remove(draftOf(idea, 'title'))
    drafts.remove(draftOf(idea, 'description'))
    onClose()
  }
  const submit = async (fields: FormData) => {
    const changes = changesOf(idea, fields)
    setBusy(true)
    try {
      if (Object.keys(changes).length > 0) await updateIdea(idea, changes, texts.ideaList.saved)
      forget()
    } catch (error) {
      failed(error)
      setBusy(false)
    }
  }
  return (
    <form
      class="stack idea-form"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(new FormData(event.currentTarget))
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
        // The draft stays.
        if (event.key === 'Escape') onClose()
      }}
    >
      {latest > 0 && <p class="meta">{texts.ideaList.unsaved(atTime(latest))}</p>}
      <div class="field">
        <label for={`${id}-title`}>{texts.ideaList.title}</label>
        <input
          id={`${id}-title`}
          name="title"
          dir="auto"
          required
          maxLength={500}
          autocomplete="off"
          ref={(input) => {
            if (input && !input.dataset.seen) {
              input.dataset.seen = 'true'
              input.focus()
            }
          }}
          defaultValue={kept.title?.text ?? idea.title}
          onInput={keep('title')}
        />
      </div>
      <div class="field">
        <label for={`${id}-description`}>{texts.ideaList.description}</label>
        <textarea
          id={`${id}-description`}
          name="description"
          dir="auto"
          defaultValue={kept.description?.text ?? idea.description}
          onInput={keep('description')}
        />
      </div>
      <div class="idea-selects">
        <Select name="priority" value={idea.priority} terms={PRIORITIES} />
        <Select name="status" value={idea.status} terms={STATUSES} />
      </div>
      <div class="row">
        <button type="submit" class="button-primary" disabled={isBusy}>
          {texts.save}
        </button>
        <button type="button" class="button" onClick={forget}>
          {latest > 0 ? texts.discard : texts.cancel}
        </button>
      </div>
    </form>
  )
}
