/** The teams, for admins. */
import { useEffect, useState } from 'preact/hooks'
import { sending, type Team } from '../common/api.ts'
import { personName } from '../common/people.ts'
import { readTeams, teams } from '../common/teams.ts'
import { toast } from '../common/toasts.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { AdminPage } from './admin-page.tsx'
import { Confirm } from './confirm.tsx'
import { Table } from './table.tsx'
import { TeamDialog } from './team-dialog.tsx'

const words = texts.people

type Doing = { what: 'add' } | { what: 'change' | 'delete'; team: Team }

async function deleteTeam({ id, name }: Team): Promise<void> {
  await write(sending('delete', '/api/teams/{id}', { path: { id } }))
  await readTeams()
  toast(texts.deleted(name))
}

function TeamRow({ team, onDo }: { team: Team; onDo: (doing: Doing) => void }) {
  return (
    <tr>
      <th scope="row">
        <bdi>{team.name}</bdi>
      </th>
      <td>
        <bdi>{team.description}</bdi>
      </td>
      <td>
        <ul class="names" aria-label={words.membersOf(team.name)}>
          {team.memberIds.map((id) => (
            <li key={id} dir="auto">
              {personName(id)}
            </li>
          ))}
        </ul>
      </td>
      <td>
        <Menu
          label={texts.actions(team.name)}
          items={[
            { label: texts.change, run: () => onDo({ what: 'change', team }) },
            { label: texts.delete, run: () => onDo({ what: 'delete', team }), isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      </td>
    </tr>
  )
}

export default function TeamsPage() {
  const [doing, setDoing] = useState<Doing | undefined>()
  const close = () => setDoing(undefined)
  useEffect(() => void readTeams(), [])
  return (
    <AdminPage
      title={texts.teams}
      aside={
        <button type="button" class="button-primary" onClick={() => setDoing({ what: 'add' })}>
          <Icon name="add" /> {words.addTeam}
        </button>
      }
    >
      {() => (
        <>
          {teams.value.length === 0 ? (
            <p class="notice">{words.noTeams}</p>
          ) : (
            <Table label={texts.teams} columns={words.teamColumns}>
              {teams.value
                .toSorted((a, b) => a.name.localeCompare(b.name))
                .map((team) => (
                  <TeamRow key={team.id} team={team} onDo={setDoing} />
                ))}
            </Table>
          )}
          {doing?.what === 'add' && <TeamDialog onClose={close} />}
          {doing?.what === 'change' && <TeamDialog team={doing.team} onClose={close} />}
          {doing?.what === 'delete' && (
            <Confirm
              title={words.deleteOf(doing.team.name)}
              action={texts.delete}
              run={() => deleteTeam(doing.team)}
              onClose={close}
            >
              <p>{words.deleteTeamText}</p>
            </Confirm>
          )}
        </>
      )}
    </AdminPage>
  )
}
