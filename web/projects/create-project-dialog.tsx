/** Making a project: its type chooses its phases. What is typed is kept until the project is made. */
import { useId, useState } from 'preact/hooks'
import { go, paths } from '../router.ts'
import { api } from '../shared/api.ts'
import { drafts } from '../shared/drafts.ts'
import { activeMembers, teams } from '../shared/people.ts'
import { defaultPhaseConfig } from '../shared/phases.ts'
import { wordsOf } from '../shared/terms.ts'
import { done, failed } from '../shared/toasts.ts'
import { Dialog } from '../shared/ui/dialog.tsx'
import { write } from '../shared/writes.ts'
import { texts } from '../texts.ts'
import { TYPES } from './project-groups.ts'

const DRAFTS = { name: 'project:new:name', description: 'project:new:description' }

const textOf = (form: FormData, name: string) => String(form.get(name) ?? '')

async function create(fields: FormData): Promise<string> {
  const body = {
    name: textOf(fields, 'name').trim(),
    description: textOf(fields, 'description'),
    type: textOf(fields, 'type'),
    status: 'active',
    leadId: textOf(fields, 'leadId') || null,
    teamId: textOf(fields, 'teamId') || null,
  }
  const answer = await write({
    record: 'projects',
    send: (idempotencyKey) => api.request('post', '/api/projects', { body, idempotencyKey }),
  })
  done(answer.seq)
  return answer.data.id
}

export default function CreateProjectDialog({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [type, setType] = useState<string>(TYPES[0])
  const [isBusy, setBusy] = useState(false)
  const list = texts.projectList
  const keep = (field: keyof typeof DRAFTS) => (event: Event & { currentTarget: { value: string } }) =>
    drafts.keep(DRAFTS[field], { text: event.currentTarget.value, from: '' })

  const submit = async (fields: FormData) => {
    setBusy(true)
    try {
      const made = await create(fields)
      for (const draft of Object.values(DRAFTS)) drafts.remove(draft)
      onClose()
      go(paths.board(made))
    } catch (error) {
      failed(error)
      setBusy(false)
    }
  }

  return (
    <Dialog title={list.create} onClose={onClose} closesOutside={false}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <div class="field">
          <label for={`${id}-name`}>{list.name}</label>
          <input
            id={`${id}-name`}
            name="name"
            dir="auto"
            required
            pattern=".*\S.*"
            maxLength={200}
            autocomplete="off"
            autofocus
            defaultValue={drafts.read(DRAFTS.name)?.text}
            onInput={keep('name')}
          />
        </div>
        <div class="field">
          <label for={`${id}-type`}>{list.type}</label>
          <select
            id={`${id}-type`}
            name="type"
            value={type}
            aria-describedby={`${id}-phases`}
            onChange={(event) => setType(event.currentTarget.value)}
          >
            {TYPES.map((one) => (
              <option key={one} value={one}>
                {wordsOf(one)}
              </option>
            ))}
          </select>
          <p class="meta" id={`${id}-phases`} role="status">
            {list.phases(
              defaultPhaseConfig(type)
                .map(({ name }) => name)
                .join(' → '),
            )}
          </p>
        </div>
        <div class="field">
          <label for={`${id}-description`}>{list.description}</label>
          <textarea
            id={`${id}-description`}
            name="description"
            dir="auto"
            defaultValue={drafts.read(DRAFTS.description)?.text}
            onInput={keep('description')}
          />
        </div>
        <div class="field">
          <label for={`${id}-lead`}>{list.leadField}</label>
          <select id={`${id}-lead`} name="leadId">
            <option value="">{list.nobody}</option>
            {activeMembers.value.map((member) => (
              <option key={member.id} value={member.id}>
                {member.name}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-team`}>{list.team}</label>
          <select id={`${id}-team`} name="teamId">
            <option value="">{list.noTeam}</option>
            {teams.value.map((team) => (
              <option key={team.id} value={team.id}>
                {team.name}
              </option>
            ))}
          </select>
        </div>
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" class="button-primary" disabled={isBusy}>
            {list.create}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
