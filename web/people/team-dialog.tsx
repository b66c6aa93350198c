/** Creates a team, or changes one. */
import { api, sending, type Team } from '../common/api.ts'
import { changedFields, textIn } from '../common/forms.ts'
import { onLatest } from '../common/latest.ts'
import { useLiveList } from '../common/live-list.ts'
import { byId } from '../common/order.ts'
import { personName } from '../common/people.ts'
import { readTeams } from '../common/teams.ts'
import { toast } from '../common/toasts.ts'
import { Area, Check, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { memberList } from './member-list.ts'
import { inOrder } from './members.ts'
import { withChanges } from './teams.ts'

const words = texts.people

interface Fields {
  name: string
  description: string
  memberIds: string[]
}

const createTeam = (body: Fields) => write(sending('post', '/api/teams', { body }))

/** Sends only the changed fields, so that others' changes are kept. */
function changeTeam(team: Team, fields: Fields) {
  const path = { id: team.id }
  const { memberIds, ...body } = changedFields<Fields>(team, fields)
  return write({
    send: (idempotencyKey) => {
      if (memberIds === undefined)
        return api.request('patch', '/api/teams/{id}', { path, body, idempotencyKey })
      return onLatest(
        () => api.request('get', '/api/teams/{id}', { path }),
        (latest, ifMatch) => {
          const changed = { ...body, memberIds: withChanges(latest.memberIds, team.memberIds, memberIds) }
          return api.request('patch', '/api/teams/{id}', { path, body: changed, ifMatch, idempotencyKey })
        },
      )
    },
  })
}

/** @param team the team to change; a new one if absent */
export function TeamDialog({ team, onClose }: { team?: Team; onClose: () => void }) {
  useLiveList(memberList)
  const known = inOrder(memberList.records.list(byId))
  // People who are not members may be in a team too.
  const others = (team?.memberIds ?? []).filter((id) => !known.some((member) => member.id === id))
  const send = async (form: FormData) => {
    const fields = {
      name: textIn(form, 'name').trim(),
      description: textIn(form, 'description'),
      memberIds: form.getAll('memberIds').map(String).sort(),
    }
    await (team ? changeTeam(team, fields) : createTeam(fields))
    await readTeams()
    toast(texts.people.savedOne(fields.name))
    onClose()
  }
  return (
    <FormDialog
      title={team ? texts.changeOf(team.name) : words.addTeam}
      onClose={onClose}
      send={send}
      submit={team ? texts.save : words.addTeam}
    >
      <Field name="name" label={texts.fields.name} value={team?.name} required maxLength={200} autofocus />
      <Area name="description" label={texts.fields.description} value={team?.description} />
      <fieldset class="field">
        <legend>{texts.members}</legend>
        <div class="choices">
          {known.map(({ id, name }) => (
            <Check
              key={id}
              name="memberIds"
              value={id}
              label={name}
              isTicked={team?.memberIds.includes(id) ?? false}
            />
          ))}
          {others.map((id) => (
            <Check key={id} name="memberIds" value={id} label={personName(id)} isTicked />
          ))}
        </div>
      </fieldset>
    </FormDialog>
  )
}
