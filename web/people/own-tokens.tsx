/** The user's own API tokens, for scripts, agents and calendars. */
import { useState } from 'preact/hooks'
import { api, type NewToken, root, sending, type Token } from '../common/api.ts'
import { ago, atMoment, today } from '../common/dates.ts'
import { useLiveList } from '../common/live-list.ts'
import { bySortOrder } from '../common/order.ts'
import { projectList, projectName } from '../common/projects.ts'
import { mayWrite } from '../common/session.ts'
import { shownTitle } from '../common/titles.ts'
import { toast } from '../common/toasts.ts'
import { DateField } from '../common/ui/date-field.tsx'
import { Check, Choice, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { useReading, WhenRead } from '../common/ui/reading.tsx'
import { NewSecret } from '../common/ui/secret.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { Confirm } from './confirm.tsx'
import { Table } from './table.tsx'
import { calendarAddress, tokenOf } from './tokens.ts'

/** The projects that a new token is limited to. */
function OnlyProjects() {
  const projects = projectList.records.list(bySortOrder)
  if (projects.length === 0) return null
  return (
    <fieldset class="field">
      <legend>{texts.people.onlyProjects}</legend>
      <div class="choices">
        {projects.map(({ id, name }) => (
          <Check key={id} name="projectIds" value={id} label={shownTitle(name)} />
        ))}
      </div>
      <p class="meta">{texts.people.onlyProjectsHint}</p>
    </fieldset>
  )
}

function NewTokenDialog({ onMade, onClose }: { onMade: (token: NewToken) => void; onClose: () => void }) {
  const scopes = Object.entries(texts.people.scopes).filter(([scope]) => scope !== 'write' || mayWrite.value)
  const send = async (fields: FormData) => {
    const body = tokenOf(fields)
    const { data } = await write(sending('post', '/api/tokens', { body }))
    onMade(data)
  }
  return (
    <FormDialog
      title={texts.people.newToken}
      onClose={onClose}
      send={send}
      submit={texts.people.createToken}
      draft="token:new"
    >
      <Field
        name="name"
        label={texts.fields.name}
        hint={texts.people.tokenNameHint}
        required
        maxLength={200}
        autofocus
      />
      <Choice name="scope" label={texts.people.scope} options={scopes} value="read" />
      <OnlyProjects />
      <DateField
        name="expiresAt"
        label={texts.people.expires}
        hint={texts.people.expiresHint}
        min={today()}
      />
    </FormDialog>
  )
}

/** The projects that a token is limited to, by name. */
const namesOf = (projectIds: Token['projectIds']) =>
  projectIds === null
    ? texts.people.allProjects
    : projectIds.map((id) => projectName(id) ?? texts.people.unseenProject).join(', ')

function TokenLine({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { name, scope, projectIds, lastUsedAt, expiresAt } = token
  const isOver = expiresAt !== null && Date.parse(expiresAt) < Date.now()
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td>{texts.people.scopeNames[scope]}</td>
      <td>
        <bdi>{namesOf(projectIds)}</bdi>
      </td>
      <td>{lastUsedAt === null ? texts.people.never : ago(lastUsedAt)}</td>
      <td class={isOver ? 'danger' : undefined}>
        {isOver && `${texts.people.expired} `}
        {expiresAt === null ? texts.people.never : atMoment(expiresAt)}
      </td>
      <td>
        <button type="button" class="button" aria-label={texts.people.revokeOf(name)} onClick={onRevoke}>
          {texts.people.revoke}
        </button>
      </td>
    </tr>
  )
}

export function OwnTokens() {
  const reading = useReading(() => api.get('/api/tokens'))
  useLiveList(projectList)
  const [leaving, setLeaving] = useState<Token | undefined>()
  const revoke = async ({ id }: Token) => {
    await write(sending('delete', '/api/tokens/{id}', { path: { id } }))
    await reading.reload()
    toast(texts.people.revoked)
  }
  return (
    <section class="panel stack" aria-labelledby="own-tokens">
      <div class="spread">
        <h2 id="own-tokens">{texts.people.tokens}</h2>
        <NewSecret
          form={(props) => <NewTokenDialog {...props} />}
          secretOf={({ name, scope, token }: NewToken) => ({
            title: texts.people.tokenMade(name),
            label: texts.people.token,
            secret: token,
            address:
              scope === 'calendar'
                ? { label: texts.people.calendar, text: calendarAddress(location.origin + root, token) }
                : undefined,
          })}
          onMade={() => void reading.reload()}
        >
          {texts.people.newToken}
        </NewSecret>
      </div>
      <p class="meta">{texts.people.tokensHint}</p>
      <WhenRead of={reading}>
        {(tokens) =>
          tokens.length > 0 && (
            <Table label={texts.people.tokenList} columns={texts.people.tokenColumns}>
              {tokens.map((token) => (
                <TokenLine key={token.id} token={token} onRevoke={() => setLeaving(token)} />
              ))}
            </Table>
          )
        }
      </WhenRead>
      {leaving && (
        <Confirm
          title={texts.people.revokeOf(leaving.name)}
          action={texts.people.revoke}
          run={() => revoke(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>{texts.people.revokeText}</p>
        </Confirm>
      )}
    </section>
  )
}
