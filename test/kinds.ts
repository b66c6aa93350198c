/**
 * An example of each kind of record, for all tests that cover every kind. It imports nothing of the service, because the
 * black-box suite must not know it.
 */

/** What a freshly made timestamp looks like. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const times = { created_at: TIME, updated_at: TIME }

/** A placeholder for the owner of private records. */
const OWNER = 'whose own it is'

/** The routes of child records of a project or an item. */
interface ExampleRoutes {
  /** The path of one record: `/api/<collection>/{id}`. */
  collection: string
  /** The path of the list below a project or an item, if it differs from the collection. */
  list?: string
  /** A body that creates one besides the example. */
  create: Record<string, unknown>
  /** A body that changes it. */
  update: Record<string, unknown>
  /** Whether they can be reordered. */
  isOrdered?: boolean
  /** Whether it has only the usual five operations, which the black-box suite then tests. */
  isUsual?: boolean
}

interface KindExample {
  kind: string
  table: string
  /** The id of the example; an item's label has none. */
  id?: string
  /** The kind of its parent. */
  of?: 'project' | 'item'
  /** The required columns, besides the id and the parent. */
  row: Record<string, string | number>
  /** The defaults of the other columns. */
  defaults: Record<string, unknown>
  /** Columns that another tool changes. */
  changed?: readonly string[]
  routes?: ExampleRoutes
}

/** An example of each kind, in the order of kinds: parents first. */
export const KIND_EXAMPLES: readonly KindExample[] = [
  {
    kind: 'member',
    table: 'members',
    id: 'ada',
    row: { name: 'Ada', email: 'ada@example.test' },
    defaults: { role: 'member', disabled: 0, password_hash: null, handle: null, ...times },
    changed: ['name', 'email', 'password_hash'],
  },
  {
    kind: 'team',
    table: 'teams',
    id: 'team',
    row: { name: 'Crew' },
    defaults: { description: '', ...times },
    changed: ['name', 'description'],
  },
  {
    kind: 'person',
    table: 'people',
    id: 'person',
    row: { name: 'Bob Builder', kind: 'host' },
    defaults: { source: '', source_id: '', email: null, merged_into: null, seen_at: null, ...times },
    changed: ['name', 'email', 'merged_into', 'seen_at'],
  },
  {
    kind: 'project',
    table: 'projects',
    id: 'project',
    row: { name: 'Apollo' },
    defaults: {
      key: null,
      description: '',
      type: 'technical',
      status: 'backlog',
      phase: '',
      phase_config: '',
      health: 'on-track',
      next_step: '',
      sort_order: 0,
      metadata: '{}',
      lead_id: null,
      team_id: null,
      access: 'everyone',
      sharing: 'members',
      ...times,
    },
    changed: ['name', 'next_step', 'phase_config', 'sort_order', 'metadata'],
  },
  {
    kind: 'kanban-column',
    table: 'kanban_columns',
    id: 'column',
    of: 'project',
    row: { name: 'Parked' },
    defaults: { color: '', sort_order: 0, wip_limit: 0, wip_policy: 'warn', stage: null, ...times },
    changed: ['name', 'color', 'wip_limit'],
    routes: {
      collection: 'kanban-columns',
      create: { name: 'Later' },
      update: { wipLimit: 3, wipPolicy: 'block' },
      isOrdered: true,
      isUsual: true,
    },
  },
  {
    kind: 'kanban-label',
    table: 'kanban_labels',
    id: 'label',
    of: 'project',
    row: { name: 'Bug' },
    defaults: { color: '#3b82f6', ...times },
    changed: ['name', 'color'],
    routes: {
      collection: 'kanban-labels',
      create: { name: 'Idea' },
      update: { color: '#ff0000' },
      isUsual: true,
    },
  },
  {
    kind: 'kanban-item',
    table: 'kanban_items',
    id: 'item',
    of: 'project',
    row: { title: 'Card' },
    defaults: {
      number: null,
      description: '',
      column: 'To Do',
      sort_order: 0,
      priority: 'medium',
      assignee_id: null,
      assignee_ids: '[]',
      due_date: null,
      source: 'manual',
      source_id: '',
      is_new: 0,
      approved: 1,
      dismissed: 0,
      metadata: '{}',
      claimed_until: null,
      reminders: '[]',
      claimed_from: '',
      cover_id: null,
      ...times,
    },
    changed: [
      'title',
      'column',
      'sort_order',
      'due_date',
      'approved',
      'project_id',
      'updated_at',
      'metadata',
    ],
  },
  {
    kind: 'kanban-subtask',
    table: 'kanban_subtasks',
    id: 'subtask',
    of: 'item',
    row: { title: 'Step' },
    defaults: { completed: 0, sort_order: 0, ...times },
    changed: ['title', 'completed'],
    routes: {
      collection: 'kanban-subtasks',
      list: 'subtasks',
      create: { title: 'Step' },
      update: { completed: true },
      isOrdered: true,
    },
  },
  {
    kind: 'kanban-comment',
    table: 'kanban_comments',
    id: 'comment',
    of: 'item',
    row: { author_id: OWNER, content: 'Hm' },
    defaults: { edited_at: null, created_at: TIME },
    changed: ['content', 'edited_at'],
    routes: {
      collection: 'kanban-comments',
      list: 'comments',
      create: { content: 'The harbour hall is free.' },
      update: { content: 'It is free no more.' },
      isUsual: true,
    },
  },
  {
    kind: 'attachment',
    table: 'attachments',
    id: 'attachment',
    of: 'item',
    row: { name: 'plan' },
    defaults: {
      kind: 'link',
      url: null,
      media_type: null,
      size: null,
      sha256: null,
      width: null,
      height: null,
      thumbnail: null,
      created_by: null,
      ...times,
    },
    changed: ['name', 'url'],
    routes: {
      collection: 'attachments',
      create: { url: 'https://example.org/plan' },
      update: { name: 'The plan' },
      isUsual: true,
    },
  },
  {
    kind: 'kanban-item-label',
    table: 'kanban_item_labels',
    of: 'item',
    row: { label_id: 'label' },
    defaults: {},
  },
  {
    kind: 'kanban-activity',
    table: 'kanban_activity',
    id: 'activity',
    of: 'item',
    row: { type: 'priority' },
    defaults: { content: '', metadata: '{}', actor_id: null, created_at: TIME },
  },
  {
    kind: 'objective',
    table: 'objectives',
    id: 'objective',
    of: 'project',
    row: { title: 'Land' },
    defaults: { description: '', status: 'not-started', sort_order: 0, ...times },
    changed: ['title'],
    routes: {
      collection: 'objectives',
      create: { title: 'Return' },
      update: { status: 'completed' },
      isUsual: true,
    },
  },
  {
    kind: 'metric',
    table: 'metrics',
    id: 'metric',
    of: 'project',
    row: { name: 'Velocity', value: 1.5 },
    defaults: { unit: '', category: '', trend: 'stable', history: '[]', ...times },
    changed: ['value', 'history'],
    routes: {
      collection: 'metrics',
      create: { name: 'Height', value: 1 },
      update: { value: 2, trend: 'up' },
      isUsual: true,
    },
  },
  {
    kind: 'transcript-summary',
    table: 'transcript_summaries',
    id: 'transcript',
    of: 'project',
    row: { title: 'Kick-off', date: '2026-01-31T00:00:00.000Z' },
    defaults: { summary: '', participants: '[]', action_items: '[]', source_file: '', ...times },
    changed: ['summary', 'participants'],
    routes: {
      collection: 'transcript-summaries',
      create: { title: 'Review', date: '2026-02-28T00:00:00.000Z', participants: ['Ada'] },
      update: { summary: 'All agreed.' },
      isUsual: true,
    },
  },
  {
    kind: 'team-assignment',
    table: 'team_assignments',
    id: 'assignment',
    of: 'project',
    row: { member_id: 'bob' },
    defaults: { role: 'member', ...times },
    changed: ['role', 'member_id'],
    routes: { collection: 'team-assignments', create: { memberId: 'ada' }, update: { role: 'lead' } },
  },
  {
    kind: 'personal-idea',
    table: 'personal_ideas',
    id: 'idea',
    row: { owner_id: OWNER, title: 'Fly' },
    defaults: {
      description: '',
      priority: 'medium',
      status: 'idea',
      sort_order: 0,
      promoted_project_id: null,
      ...times,
    },
    changed: ['title', 'promoted_project_id', 'owner_id'],
  },
]

export function exampleOf(kind: string): KindExample {
  const example = KIND_EXAMPLES.find((one) => one.kind === kind)
  if (!example) throw new Error(`test/kinds.ts has no example of a ${kind}`)
  return example
}

/** The tables whose rows belong to a project and are deleted with it. */
export const TABLES_OF_A_PROJECT: readonly string[] = KIND_EXAMPLES.filter(({ of }) => of).map(
  ({ table }) => table,
)

/** An example with its routes, and the path of the list below the parent. */
interface RoutedExample extends KindExample {
  id: string
  routes: ExampleRoutes
  /** In the document's form, e.g. `/api/projects/{id}/objectives`. */
  listPath: string
}

/** The examples of child records with routes. */
export const ROUTED: readonly RoutedExample[] = KIND_EXAMPLES.flatMap((example) => {
  const { id, of, routes } = example
  if (!routes || !id) return []
  const parent = of === 'item' ? 'kanban-items' : 'projects'
  return { ...example, id, routes, listPath: `/api/${parent}/{id}/${routes.list ?? routes.collection}` }
})

/** The parent of an example. */
interface Parents {
  project: string
  item: string
}

/** The stored row of an example. @param parents the ids of the parents, by default the examples' */
export const rowOf = (
  { id, of, row }: KindExample,
  { owner, project, item }: Partial<Parents> & { owner: string },
): Record<string, string | number> => ({
  ...(id && { id }),
  ...(of === 'project' && { project_id: project ?? 'project' }),
  ...(of === 'item' && { item_id: item ?? 'item' }),
  ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === OWNER ? owner : value])),
})

/** A value as SQL. */
export const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`

/** The statement that inserts a row. */
export const insertion = (table: string, row: Record<string, string | number>): string =>
  `insert into ${table} (${Object.keys(row)
    .map((name) => `"${name}"`)
    .join(', ')}) values (${Object.values(row).map(literal).join(', ')});`

/** The statements that insert the examples of child records, except some kinds. */
export const insertions = (owner: string, ...but: string[]): string =>
  KIND_EXAMPLES.filter(({ kind, of }) => of && !but.includes(kind))
    .map((example) => insertion(example.table, rowOf(example, { owner })))
    .join('\n')
