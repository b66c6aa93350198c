/** Edits an idea. Typed text is kept as a draft until it is saved or discarded. */

import { useLayoutEffect, useRef } from 'preact/hooks'
import type { PersonalIdea, UpdatePersonalIdea } from '../common/api.ts'
import { changedFields, textIn } from '../common/forms.ts'
import { termName } from '../common/terms.ts'
import { Area, Choice, Field, Form } from '../common/ui/field.tsx'
import { texts } from '../texts.ts'
import { updateIdea } from './idea-writes.ts'

const list = texts.ideaList
const PRIORITIES = ['low', 'medium', 'high', 'critical']
const STATUSES = ['idea', 'ready', 'discarded']

const optionsOf = (kind: 'priority' | 'idea', terms: readonly string[]) =>
  terms.map((term) => [term, termName(kind, term)] as const)

function typed(fields: FormData): UpdatePersonalIdea {
  return {
    title: textIn(fields, 'title').trim(),
    description: textIn(fields, 'description'),
    priority: textIn(fields, 'priority'),
    status: textIn(fields, 'status'),
  }
}

export function IdeaForm({ idea, onClose }: { idea: PersonalIdea; onClose: () => void }) {
  const element = useRef<HTMLDivElement>(null)
  const { id, title, description, priority, status } = idea
  useLayoutEffect(() => element.current?.querySelector('input')?.focus(), [])
  const send = async (fields: FormData) => {
    const changes = changedFields<UpdatePersonalIdea>({ title, description, priority, status }, typed(fields))
    if (Object.keys(changes).length > 0) await updateIdea(idea, changes, list.saved)
    onClose()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to the fields in it.
    <div
      ref={element}
      class="idea-form"
      onKeyDown={(event) => {
        const { target, key, ctrlKey, metaKey } = event
        // The draft stays.
        if (key === 'Escape') onClose()
        if (key === 'Enter' && (ctrlKey || metaKey) && target instanceof HTMLTextAreaElement) {
          target.form?.requestSubmit()
        }
      }}
    >
      <Form send={send} submit={texts.save} onCancel={onClose} draft={`personal-idea:${id}`}>
        <Field
          name="title"
          label={texts.fields.title}
          value={title}
          required
          autocomplete="off"
          maxLength={500}
        />
        <Area name="description" label={texts.fields.description} value={description} />
        <div class="idea-selects">
          <Choice
            name="priority"
            label={texts.fields.priority}
            value={priority}
            options={optionsOf('priority', PRIORITIES)}
          />
          <Choice
            name="status"
            label={texts.fields.status}
            value={status}
            options={optionsOf('idea', STATUSES)}
          />
        </div>
      </Form>
    </div>
  )
}
