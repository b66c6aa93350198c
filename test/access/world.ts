/** The world of the tests of access: the projects of the model with a record of each kind, and its principals. */

import { hashToken } from '../../src/members/secrets.ts'
import { sha256 } from '../attachments.ts'
import type { App } from '../helper.ts'
import { insertion, KIND_EXAMPLES, rowOf } from '../kinds.ts'
import { PERSON_OF, PRINCIPALS, PROJECTS, type Principal, type Project, RELIC } from './model.ts'

/** The ids of a project's records, by kind; `seq` is the `seq` of one of its changes. */
export type Ids = Record<string, string>

const kinds = KIND_EXAMPLES.filter(({ of }) => of !== undefined)

/** The id of a record. */
const idOf = (word: string, kind: string) => (kind === 'project' ? word : `${word}-${kind}`)

/** The ids of a project's records. The records of no project have such ids, of the same length: for comparison with a hidden one. */
export const idsOf = (word: string): Ids => ({
  ...Object.fromEntries(
    ['project', ...kinds.map(({ kind }) => kind)].map((kind) => [kind, idOf(word, kind)]),
  ),
  'second-item': `${word}-second-item`,
  'gone-item': `${word}-gone-item`,
  'share-link': `${word}-share-link`,
})

/** Ids of nothing. */
export const UNKNOWN = idsOf('zzzzz')

/** Texts by which a record is recognised. */
const TEXTS: Record<string, string> = {
  'kanban-column': 'name',
  'kanban-label': 'name',
  'kanban-item': 'title',
  'kanban-subtask': 'title',
  'kanban-comment': 'content',
  attachment: 'name',
  'kanban-activity': 'metadata',
  objective: 'title',
  metric: 'name',
  'transcript-summary': 'title',
}

const contentOf = (word: string) => `The bytes of ${word}`
const thumbnailOf = (word: string) => `GIF89a  !! ${word};`

/** The statements that store a file. */
const storing = (bytes: string): string[] => [
  insertion('file_contents', { size: bytes.length, sha256: sha256(bytes) }),
  `insert into file_chunks (place, bytes) select id * 65536, cast('${bytes}' as blob) from file_contents where sha256 = '${sha256(bytes)}'`,
]

/** The statements that make a project with a record of each kind. */
function statementsFor(word: string, person: string): string[] {
  const ids = idsOf(word)
  const project = insertion('projects', {
    id: word,
    name: `${word} project`,
    description: `Work on ${word}`,
    access: word === 'ozone' ? 'everyone' : 'assigned',
    lead_id: person,
    team_id: `${person}-team`,
    metadata: JSON.stringify({ word }),
  })
  const children = kinds.map((example) => {
    const { kind, table } = example
    const text = TEXTS[kind]
    return insertion(table, {
      ...rowOf(example, { owner: person, project: word, item: ids['kanban-item'] as string }),
      ...(example.id && { id: idOf(word, kind) }),
      ...(text && { [text]: text === 'metadata' ? JSON.stringify({ word }) : `${word} words` }),
      ...(kind === 'kanban-item' && {
        column: `${word} words`,
        description: `The words of ${word}`,
        assignee_id: person,
        due_date: '2027-03-01T00:00:00.000Z',
        source_id: `${word} source`,
        claimed_until: '2001-01-01T00:00:00.000Z',
        claimed_from: JSON.stringify({ column: `${word} words`, sortOrder: 1 }),
      }),
      ...(kind === 'kanban-item-label' && { label_id: ids['kanban-label'] as string }),
      ...(kind === 'attachment' && {
        kind: 'file',
        media_type: 'text/plain',
        size: contentOf(word).length,
        sha256: sha256(contentOf(word)),
        thumbnail: sha256(thumbnailOf(word)),
        created_by: person,
      }),
      ...(kind === 'team-assignment' && { member_id: person }),
    })
  })
  const items = ['second-item', 'gone-item'].map((name) =>
    insertion('kanban_items', {
      id: ids[name] as string,
      project_id: word,
      title: `${word} more words`,
      column: `${word} words`,
      sort_order: 7,
    }),
  )
  const done = insertion('kanban_columns', {
    id: `${word}-done`,
    project_id: word,
    name: 'Done',
    sort_order: 9,
  })
  const link = insertion('share_links', {
    id: ids['share-link'] as string,
    project_id: word,
    name: `${word} link`,
    secret_hash: `hash of ${word}`,
  })
  return [
    project,
    done,
    link,
    ...storing(contentOf(word)),
    ...storing(thumbnailOf(word)),
    ...children,
    ...items,
  ]
}

export const memberIdOf = ({ name }: Principal): string => `m ${name}`

const secretOf = (principal: Principal) => `pbt_${memberIdOf(principal)}`.replaceAll(/[^\w]/g, '_')

/** The statements that make a principal, with the assignments that the model names, and own records that name hidden projects. */
function principalStatements(principal: Principal): string[] {
  const { role, assigned = {}, teams = [], token, mode } = principal
  const id = memberIdOf(principal)
  const account =
    mode === undefined
      ? [
          insertion('members', {
            id,
            name: principal.name,
            email: `${secretOf(principal)}@example.test`,
            role,
          }),
          insertion('api_tokens', {
            id: `t ${principal.name}`,
            member_id: id,
            name: 'mine',
            scope: token?.isReadOnly ? 'read' : 'write',
            token_hash: hashToken(secretOf(principal)),
            last_used_at: '9999-12-31T00:00:00.000Z',
            ...(token?.only && { project_ids: JSON.stringify(token.only) }),
          }),
          insertion('api_tokens', {
            id: `u ${principal.name}`,
            member_id: id,
            name: 'of before',
            token_hash: `hash of ${principal.name}`,
            project_ids: JSON.stringify(['ozone', 'vault']),
          }),
        ]
      : []
  return [
    ...account,
    ...Object.entries(assigned).map(([project, as]) =>
      insertion('team_assignments', {
        id: `${project} as ${principal.name}`,
        project_id: project,
        member_id: id,
        role: as,
      }),
    ),
    ...teams.map((project) =>
      insertion('team_members', { team_id: `${PERSON_OF[project]}-team`, member_id: id }),
    ),
    insertion('personal_ideas', {
      id: `idea of ${principal.name}`,
      owner_id: id,
      title: 'Fly',
      promoted_project_id: 'vault',
    }),
    // Made while it saw them.
    ...[...PROJECTS, RELIC].map((word) =>
      insertion('notifications', {
        id: `notification of ${word} for ${principal.name}`,
        member_id: id,
        kind: 'moved',
        item_id: `${word}-kanban-item`,
        project_id: word,
        title: `${word} words`,
      }),
    ),
    insertion('imports', {
      id: `import of ${principal.name}`,
      format: 'trello',
      member_id: id,
      status: 'done',
      project_id: 'vault',
      counts: JSON.stringify({
        counts: { items: 1 },
        notes: ['a column of vault'],
      }),
      matches: JSON.stringify([
        { id: 'x', name: 'valda', items: 1, comments: 0, memberId: null, matched: null },
      ]),
    }),
  ]
}

/** Makes the world, for the principals of one mode. @returns the ids of each project's records */
export async function populate(app: App, mode: Principal['mode']): Promise<Record<Project, Ids>> {
  const { $client: client } = app.db
  const words = [...PROJECTS, RELIC]
  const personOf = (word: string) => PERSON_OF[word as Project] ?? 'valda'
  const people = PROJECTS.flatMap((project) => {
    const id = PERSON_OF[project]
    return [
      insertion('members', { id, name: `${id} Smith`, email: `${id}@example.test` }),
      insertion('teams', { id: `${id}-team`, name: `The team of ${id}` }),
      insertion('team_members', { team_id: `${id}-team`, member_id: id }),
    ]
  })
  const statements = [
    ...people,
    insertion('members', { id: 'somebody', name: 'Ada', email: 'ada@example.test', role: 'admin' }),
    ...words.flatMap((word) => statementsFor(word, personOf(word))),
    ...words.map((word) => `delete from kanban_items where id = '${word}-gone-item'`),
    `delete from projects where id = '${RELIC}'`,
    ...PRINCIPALS.filter((one) => one.mode === mode).flatMap(principalStatements),
    insertion('webhooks', { id: 'webhook', url: 'http://127.0.0.1/', secret: 'whsec_c2VjcmV0', active: 0 }),
  ]
  for (const statement of statements) client.exec(statement)
  const ids = {} as Record<Project, Ids>
  for (const project of PROJECTS) {
    const own = idsOf(project)
    const change = app.projects.objectives.update(own.objective as string, { status: 'completed' })
    const { seq } = await app.perform(change, { actorId: 'somebody' })
    ids[project] = { ...own, seq: String(seq) }
  }
  return ids
}

/** The headers of a principal's requests. */
export const headersOf = (principal: Principal): Record<string, string> => {
  if (principal.mode === 'open') return {}
  if (principal.mode === 'host') return { 'x-member': principal.name }
  return { authorization: `Bearer ${secretOf(principal)}` }
}
