/** How to call every operation: a table by operation id. An operation that it does not have fails the test of the matrix. */
import { ROUTED } from '../kinds.ts'
import type { Ids } from './world.ts'

/** How to call an operation that concerns the project of a record in its path. */
export interface Call {
  /** What each id in the path names, in order: see `idsOf`. */
  path: readonly string[]
  /** A string is sent as it is. */
  body?: (own: Ids) => object | string
  query?: string
  /** Other answers to who may do it than 2xx: `<status> <error>`. */
  also?: readonly string[]
  /** Whether only admins may do it. */
  isForAdmins?: boolean
  /** Whether only who may write the project may do it, although no change tells of it. */
  isForWriters?: boolean
  /** Whether guests are refused who may write the project. */
  isNotForGuests?: boolean
  /** Whether it only changes what is the caller's own: who may read the project may do it. */
  isOwn?: boolean
  /** The answer for an unknown record, as the specification has it, if it is not 404. */
  unknown?: string
}

const PARENTS = { project: 'project', item: 'kanban-item' } as const

/** The conventional operation ids of a kind: `listObjectives`, `createObjective` and so on. */
const camel = (kind: string) => kind.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
const plural = (name: string) => name.replace(/y$/, 'ie').concat('s')

const ofKinds = ROUTED.flatMap(({ kind, of, routes }): [string, Call][] => {
  const name = camel(kind)
  const parent = PARENTS[of as 'project' | 'item']
  return [
    [`list${plural(name)}`, { path: [parent] }],
    [`create${name}`, { path: [parent], body: () => routes.create }],
    [`get${name}`, { path: [kind] }],
    [`update${name}`, { path: [kind], body: () => routes.update }],
    [`delete${name}`, { path: [kind] }],
    ...(routes.isOrdered
      ? [
          [
            `reorder${plural(name)}`,
            { path: [parent], body: (own: Ids) => ({ items: [{ id: own[kind], sortOrder: 5 }] }) },
          ] as [string, Call],
        ]
      : []),
  ]
})

/** An image that is ASCII, too. */
export const GIF = 'GIF89a  !! ;'

const OTHERS_COMMENT = "403 Forbidden: another member's comment"
const UNSPECIFIC = '500 Internal server error'
const NOT_HOLDER = '409 Kanban item is claimed by another member'

/** The operations on a project, or a record of one. */
export const OF_PROJECTS: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(ofKinds),
  updateKanbanComment: {
    path: ['kanban-comment'],
    body: () => ({ content: 'No more.' }),
    also: [OTHERS_COMMENT],
  },
  deleteKanbanComment: { path: ['kanban-comment'], also: [OTHERS_COMMENT] },
  deleteKanbanColumn: { path: ['kanban-column'], query: 'moveTo=Done' },
  updateKanbanSubtask: { path: ['kanban-subtask'], body: () => ({ completed: true }), unknown: UNSPECIFIC },
  deleteKanbanSubtask: { path: ['kanban-subtask'], unknown: UNSPECIFIC },
  getProject: { path: ['project'], query: 'expand=people' },
  updateProject: { path: ['project'], body: () => ({ status: 'active' }) },
  deleteProject: { path: ['project'], isForAdmins: true },
  listKanbanItems: { path: ['project'] },
  getKanbanCounts: { path: ['project'] },
  createKanbanItem: { path: ['project'], body: () => ({ title: 'New' }) },
  reorderKanbanItems: {
    path: ['project'],
    body: (own) => ({ items: [{ id: own['kanban-item'], column: 'Done', sortOrder: 1 }] }),
  },
  claimKanbanItem: { path: ['project'] },
  getKanbanItem: { path: ['kanban-item'], query: 'expand=people' },
  updateKanbanItem: { path: ['kanban-item'], body: () => ({ priority: 'high' }) },
  deleteKanbanItem: { path: ['kanban-item'] },
  moveKanbanItem: { path: ['kanban-item'], body: () => ({ column: 'Done' }) },
  renewKanbanClaim: { path: ['kanban-item'], also: [NOT_HOLDER] },
  releaseKanbanClaim: { path: ['kanban-item'], also: ["403 Forbidden: another member's claim"] },
  listKanbanActivity: { path: ['kanban-item'] },
  attachKanbanLabel: { path: ['kanban-item', 'kanban-label'] },
  detachKanbanLabel: { path: ['kanban-item', 'kanban-label'] },
  getAttachmentContent: { path: ['attachment'] },
  getAttachmentThumbnail: { path: ['attachment'] },
  setAttachmentThumbnail: { path: ['attachment'], body: () => GIF },
  exportProjectAsCsv: { path: ['project'] },
  exportProjectAsJson: { path: ['project'] },
  getFlow: { path: ['project'] },
  listProjectChanges: { path: ['project'] },
  listKanbanItemChanges: { path: ['kanban-item'] },
  undoChange: { path: ['seq'] },
  getProjectWatch: { path: ['project'] },
  watchProject: { path: ['project'], isOwn: true },
  unwatchProject: { path: ['project'], isOwn: true },
  getKanbanItemWatch: { path: ['kanban-item'] },
  watchKanbanItem: { path: ['kanban-item'], isOwn: true },
  unwatchKanbanItem: { path: ['kanban-item'], isOwn: true },
  listShareLinks: { path: ['project'], isForWriters: true, isNotForGuests: true },
  createShareLink: { path: ['project'], isForWriters: true, isNotForGuests: true },
  getShareLink: { path: ['share-link'], isForWriters: true, isNotForGuests: true },
  revokeShareLink: { path: ['share-link'], isForWriters: true, isNotForGuests: true },
  replaceTeamAssignments: {
    path: ['project'],
    body: () => ({ members: [{ memberId: 'ada' }] }),
    also: ['400 You would lose this project'],
  },
}

/** An id of a project in a body or query, of an operation whose path names none, or one that the caller may write. */
export interface Naming {
  operation: string
  /** The ids of a project that the caller may write. */
  path?: (own: Ids) => readonly string[]
  body?: (other: Ids, own: Ids) => object
  query?: (other: Ids, own: Ids) => string
}

const place = (id: string | undefined) => ({ id, sortOrder: 3 })

/** Every place where a request may name a record besides its path. */
export const NAMINGS: readonly Naming[] = [
  { operation: 'listProjects', query: ({ 'team-assignment': id }) => `leadId=${id}` },
  { operation: 'listProjects', query: ({ project }) => `teamId=${project}` },
  { operation: 'listAllKanbanItems', query: ({ project }) => `projectId=${project}` },
  { operation: 'listAllKanbanItems', query: ({ 'kanban-label': id }) => `label=${id}` },
  { operation: 'search', query: ({ project }) => `q=words&projectId=${project}` },
  { operation: 'getCalendar', query: ({ project }) => `projectId=${project}` },
  { operation: 'listTrash', query: ({ project }) => `projectId=${project}` },
  { operation: 'listChanges', query: ({ project }) => `projectId=${project}` },
  { operation: 'listChanges', query: ({ 'kanban-item': id }) => `itemId=${id}` },
  {
    operation: 'listKanbanItems',
    path: (own) => [own.project as string],
    query: (other) => `label=${other['kanban-label']}`,
  },
  {
    operation: 'getKanbanCounts',
    path: (own) => [own.project as string],
    query: (other) => `itemId=${other['kanban-item']}`,
  },
  {
    operation: 'getFlow',
    path: (own) => [own.project as string],
    query: (other) => `label=${other['kanban-label']}`,
  },
  { operation: 'createProject', body: ({ project }) => ({ name: 'New', teamId: project, leadId: project }) },
  {
    operation: 'updateProject',
    path: (own) => [own.project as string],
    body: ({ project }) => ({ teamId: project }),
  },
  {
    operation: 'reorderProjects',
    body: (other, own) => ({ items: [place(own.project), place(other.project)] }),
  },
  {
    operation: 'updateKanbanItems',
    body: (other, own) => ({ ids: [own['kanban-item'], other['kanban-item']], update: { priority: 'low' } }),
  },
  {
    operation: 'deleteKanbanItems',
    body: (other, own) => ({ ids: [own['kanban-item'], other['kanban-item']] }),
  },
  {
    operation: 'reorderKanbanItems',
    path: (own) => [own.project as string],
    body: (other) => ({ items: [{ ...place(other['kanban-item']), column: 'Done' }] }),
  },
  {
    operation: 'reorderKanbanColumns',
    path: (own) => [own.project as string],
    body: (other) => ({ items: [place(other['kanban-column'])] }),
  },
  {
    operation: 'reorderKanbanSubtasks',
    path: (own) => [own['kanban-item'] as string],
    body: (other) => ({ items: [place(other['kanban-subtask'])] }),
  },
  ...[
    ({ project }: Ids) => ({ projectId: project }),
    ({ 'kanban-item': id }: Ids) => ({ beforeId: id }),
    ({ 'second-item': id }: Ids) => ({ afterId: id }),
    ({ project, 'kanban-item': id }: Ids) => ({ projectId: project, column: 'To Do', beforeId: id }),
  ].map(
    (body): Naming => ({ operation: 'moveKanbanItem', path: (own) => [own['kanban-item'] as string], body }),
  ),
  { operation: 'attachKanbanLabel', path: (own) => [own['kanban-item'] as string, ''] },
  { operation: 'detachKanbanLabel', path: (own) => [own['kanban-item'] as string, ''] },
  {
    operation: 'claimKanbanItem',
    path: (own) => [own.project as string],
    body: (other) => ({ from: 'Done', label: other['kanban-label'] }),
  },
  {
    operation: 'ingestTranscript',
    body: ({ project }) => ({ projectId: project, title: 'Met', date: '2026-01-31', actionItems: ['One'] }),
  },
  {
    operation: 'ingestMetrics',
    body: ({ project }) => ({ projectId: project, metrics: [{ name: 'Speed', value: 1 }] }),
  },
  { operation: 'promotePersonalIdea', path: () => ['idea'], body: ({ project }) => ({ teamId: project }) },
  {
    operation: 'runBatch',
    body: (other) => ({
      requests: [
        { method: 'POST', path: '/api/personal-ideas', body: { title: 'In' }, as: 'idea' },
        {
          method: 'POST',
          path: `/api/projects/${other.project}/objectives`,
          body: { title: '{{idea.title}}' },
        },
      ],
      dryRun: true,
    }),
  },
  {
    operation: 'runBatch',
    body: (other, own) => ({
      requests: [
        {
          method: 'POST',
          path: `/api/projects/${own.project}/kanban-items`,
          body: { title: 'New' },
          as: 'card',
        },
        { method: 'POST', path: '/api/kanban-items/{{card.id}}/move', body: { projectId: other.project } },
      ],
    }),
  },
  {
    operation: 'runBatch',
    body: (other) => ({
      requests: [
        { method: 'GET', path: '/api/projects' },
        { method: 'GET', path: `/api/projects/${other.project}` },
      ],
    }),
  },
  ...(
    [
      ['search', (other) => ({ q: 'words', projectId: other.project })],
      ['find_items', (other) => ({ projectId: other.project })],
      ['list_projects', (other) => ({ teamId: other.project })],
      ['read_board', (other) => ({ projectId: other.project })],
      ['read_item', (other) => ({ itemId: other['kanban-item'] })],
      ['find_people', (other) => ({ ids: other.project })],
      ['notifications', () => ({})],
      ['flow', (other) => ({ projectId: other.project })],
      ['create_item', (other) => ({ projectId: other.project, title: 'New' })],
      ['create_item', (other) => ({ projectId: other.project, title: 'New', column: 'None' })],
      ['change_item', (other) => ({ itemId: other['kanban-item'], title: 'New', ifMatch: '"x"' })],
      ['move_item', (other, own) => ({ itemId: own['kanban-item'], projectId: other.project })],
      ['move_item', (other) => ({ itemId: other['kanban-item'], column: 'None' })],
      ['comment', (other) => ({ itemId: other['kanban-item'], content: 'Hm' })],
      ['attach_file', (other) => ({ itemId: other['kanban-item'], name: 'x.txt', text: 'Hm' })],
      ['tick_subtask', (other) => ({ subtaskId: other['kanban-subtask'] })],
      ['claim', (other) => ({ projectId: other.project })],
      ['renew', (other) => ({ itemId: other['kanban-item'] })],
      ['finish', (other) => ({ itemId: other['kanban-item'] })],
      ['release', (other) => ({ itemId: other['kanban-item'] })],
      ['ingest', (other) => ({ projectId: other.project, metrics: [{ name: 'Speed', value: 1 }] })],
      [
        'batch',
        (other) => ({ requests: [{ method: 'DELETE', path: `/api/objectives/${other.objective}` }] }),
      ],
    ] as [string, (other: Ids, own: Ids) => object][]
  ).map(
    ([name, args]): Naming => ({
      operation: 'mcp',
      body: (other, own) => ({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args(other, own) },
      }),
    }),
  ),
  {
    operation: 'mcp',
    body: (other) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri: `phaseboard://projects/${other.project}` },
    }),
  },
]

/** What else is called, to search the responses: a query, or bodies, by operation. */
export const OTHERS: Readonly<
  Record<string, { queries?: readonly string[]; bodies?: readonly object[]; isForAdmins?: boolean }>
> = {
  health: {},
  readiness: {},
  scrapeMetrics: { isForAdmins: true },
  signIn: { bodies: [{}] },
  whoAmI: {},
  signOut: {},
  beginOpenIdSignIn: {},
  endOpenIdSignIn: {},
  checkLink: { bodies: [{}] },
  useLink: { bodies: [{}] },
  listSessions: {},
  getSession: {},
  revokeSession: {},
  listTokens: {},
  createToken: {
    bodies: [
      { name: 'CI', projectIds: ['vault'] },
      { name: 'CI', projectIds: ['zzzzz'] },
    ],
  },
  getToken: {},
  revokeToken: {},
  listTeams: { queries: ['', 'limit=2'] },
  createTeam: { isForAdmins: true, bodies: [{ name: 'Crew' }] },
  getTeam: {},
  updateTeam: { isForAdmins: true, bodies: [{ name: 'Crew' }] },
  deleteTeam: { isForAdmins: true },
  listMembers: { queries: ['', 'limit=3'] },
  createMember: { isForAdmins: true, bodies: [{ name: 'Bob', email: 'bob@example.test' }] },
  getMember: {},
  updateMember: { isForAdmins: true, bodies: [{ name: 'Bob' }] },
  deleteMember: { isForAdmins: true },
  listPeople: { queries: ['', 'q=a', 'limit=2', 'ids=olga,mirko,tessa,valda'] },
  getPerson: {},
  forgetPerson: { isForAdmins: true },
  mergePerson: { isForAdmins: true, bodies: [{ into: 'somebody' }] },
  createPasswordLink: { isForAdmins: true },
  createInvitation: { isForAdmins: true, bodies: [{ role: 'viewer' }] },
  listMemberLinks: { isForAdmins: true },
  getMemberLink: { isForAdmins: true },
  revokeMemberLink: { isForAdmins: true },
  listProjects: {
    queries: [
      '',
      'view=summary',
      'limit=2',
      'sort=-name',
      'q=work',
      'status=backlog',
      'teamId=valda-team&teamId=tessa-team',
      'leadId=valda&leadId=mirko',
      'type=technical&health=on-track',
      'updatedAfter=2001-01-01',
      'view=summary&limit=1',
    ],
  },
  createProject: { bodies: [{ name: 'New' }, { name: 'New', access: 'assigned' }] },
  reorderProjects: { bodies: [] },
  listAllKanbanItems: {
    queries: [
      '',
      'limit=2',
      'q=words',
      'assigneeId=valda&assigneeId=mirko',
      'assigneeId=me',
      'label=vault%20words&label=mango%20words',
      'column=vault%20words&column=mango%20words',
      'dismissed=all&sort=-dueDate&limit=1',
      'ready=true',
      'dueAfter=2001-01-01',
      'source=manual',
    ],
  },
  updateKanbanItems: { bodies: [] },
  deleteKanbanItems: { bodies: [] },
  ingestTranscript: { bodies: [] },
  ingestMetrics: { bodies: [] },
  getCalendar: { queries: ['', 'assigneeId=valda', 'assigneeId=mirko'] },
  createImport: { queries: ['format=trello&dryRun=true', 'format=trello&map=a=valda@example.test'] },
  listImports: {},
  getImport: {},
  listPersonalIdeas: { queries: ['', 'status=idea'] },
  createPersonalIdea: { bodies: [{ title: 'Dive' }] },
  reorderPersonalIdeas: { bodies: [] },
  getPersonalIdea: {},
  updatePersonalIdea: { bodies: [{ title: 'Dive' }, { status: 'ready', title: 'x' }] },
  deletePersonalIdea: {},
  promotePersonalIdea: {},
  search: {
    queries: [
      'q=words',
      'q=work',
      'q=vault',
      'q=relic',
      'q=words&limit=1',
      'q=words&kind=kanban-comment',
      'q=tul',
    ],
  },
  listWebhooks: { isForAdmins: true },
  createWebhook: { isForAdmins: true, bodies: [{ url: 'https://example.org/', active: false }] },
  getWebhook: { isForAdmins: true },
  updateWebhook: { isForAdmins: true, bodies: [{ description: 'Chat' }] },
  deleteWebhook: { isForAdmins: true },
  testWebhook: { isForAdmins: true },
  rotateWebhookSecret: { isForAdmins: true },
  listWebhookDeliveries: { isForAdmins: true },
  replayWebhook: { isForAdmins: true, bodies: [{ after: 0 }] },
  getSharedProject: {},
  listNotifications: { queries: ['', 'unread=true', 'kind=moved', 'limit=1'] },
  countNotifications: {},
  readNotifications: { bodies: [{ upTo: 'zzzzz' }] },
  updateNotification: { bodies: [{ read: true }] },
  getPreferences: {},
  updatePreferences: { bodies: [{ timeZone: 'Europe/Berlin' }] },
  sendTestMail: {},
  listTrash: { queries: ['', 'limit=1'] },
  listAuditLog: { isForAdmins: true },
  exportAll: { isForAdmins: true },
  runBatch: {
    bodies: [
      {
        requests: [
          '/api/projects',
          '/api/projects?view=summary',
          '/api/kanban-items',
          '/api/search?q=words',
          '/api/changes?limit=1000',
          '/api/trash',
          '/api/people',
          '/api/teams',
          '/api/members',
          '/api/personal-ideas',
          '/api/imports',
        ].map((path) => ({ method: 'GET', path })),
      },
    ],
  },
  mcp: {
    bodies: [
      { method: 'resources/list' },
      ...(
        [
          ['list_projects', {}],
          ['find_items', {}],
          ['find_items', { q: 'words' }],
          ['search', { q: 'words' }],
          ['find_people', {}],
          ['notifications', {}],
        ] as const
      ).map(([name, args]) => ({ method: 'tools/call', params: { name, arguments: args } })),
    ].map((message) => ({ jsonrpc: '2.0', id: 1, ...message })),
  },
  listChanges: {
    queries: [
      'limit=1000',
      'kind=kanban-item',
      'kind=person,team,member',
      'kind=personal-idea',
      'wait=0.001&after=0',
    ],
  },
  streamChanges: {},
}

/** The tools whose arguments name no record. */
export const TOOLS = NAMINGS.flatMap(({ operation, body }) =>
  operation === 'mcp' ? [Object(body?.({}, {})).params.name] : [],
)
