/**
 * The tables. Names are the records' names in snake_case (written by drizzle's `casing`); timestamps are
 * ISO 8601 text in UTC with milliseconds, booleans 0/1, JSON-text columns TEXT that may be empty or NULL.
 * Every default of a record is the column's SQL default too, because other tools write this file while the
 * service runs.
 *
 * References to people and teams are opaque strings (identity may live in another system), so they carry no
 * foreign key; references inside the service do, and cascade.
 *
 * Triggers keep the full-text index current, which Drizzle knows nothing of (see the migration `search`): a migration
 * that recreates such a table must recreate its triggers, too.
 */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { jsonArrayText, jsonObjectText } from './json-text.ts'

const now = sql`(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`

const id = () => text().primaryKey()
const required = () => text().notNull()
const string = (value: string) => text().notNull().default(value)
const flag = (value: boolean) => integer({ mode: 'boolean' }).notNull().default(value)
const sortOrder = () => real().notNull().default(0)
const jsonArray = () => jsonArrayText().default(sql`'[]'`)
const jsonObject = () => jsonObjectText().default(sql`'{}'`)
const createdAt = () => text().notNull().default(now)
const timestamps = () => ({ createdAt: createdAt(), updatedAt: text().notNull().default(now) })

const projectId = () => required().references(() => projects.id, { onDelete: 'cascade' })
const itemId = () => required().references(() => kanbanItems.id, { onDelete: 'cascade' })
const memberId = () => required().references(() => members.id, { onDelete: 'cascade' })

/** Projects. */
export const projects = sqliteTable(
  'projects',
  {
    id: id(),
    name: required(),
    description: string(''),
    type: string('technical'),
    status: string('backlog'),
    phase: string(''),
    /** No SQL default sequence: which one applies depends on `type`. */
    phaseConfig: jsonArrayText().default(sql`''`),
    health: string('on-track'),
    nextStep: string(''),
    sortOrder: sortOrder(),
    metadata: jsonObject(),
    leadId: text(),
    teamId: text(),
    ...timestamps(),
  },
  (table) => [
    index('projects_order').on(table.sortOrder, table.id),
    index('projects_status').on(table.status, table.sortOrder, table.id),
    index('projects_team').on(table.teamId, table.sortOrder, table.id),
  ],
)

/** The cards of the projects' boards. `column` names one of the project's columns. */
export const kanbanItems = sqliteTable(
  'kanban_items',
  {
    id: id(),
    projectId: projectId(),
    title: required(),
    description: string(''),
    column: string('To Do'),
    sortOrder: sortOrder(),
    priority: string('medium'),
    assigneeId: text(),
    dueDate: text(),
    source: string('manual'),
    sourceId: string(''),
    isNew: flag(false),
    approved: flag(true),
    dismissed: flag(false),
    metadata: jsonObject(),
    /** Until when whoever claimed the item holds it; NULL for an item that nobody claimed. */
    claimedUntil: text(),
    /** Where the item was when it was claimed, `{"column", "sortOrder"}` as JSON; empty for an item that nobody claimed. */
    claimedFrom: string(''),
    ...timestamps(),
  },
  (table) => [
    // `dismissed` and `dueDate` let these filters skip items by the index alone.
    index('kanban_items_project').on(
      table.projectId,
      table.sortOrder,
      table.id,
      table.dismissed,
      table.dueDate,
    ),
    index('kanban_items_column').on(table.projectId, table.column, table.sortOrder, table.id),
    index('kanban_items_project_assignee').on(table.projectId, table.assigneeId, table.sortOrder, table.id),
    index('kanban_items_project_priority').on(table.projectId, table.priority, table.sortOrder, table.id),
    index('kanban_items_order').on(table.sortOrder, table.id, table.dismissed, table.dueDate),
    index('kanban_items_assignee').on(table.assigneeId, table.sortOrder, table.id),
    index('kanban_items_priority').on(table.priority, table.sortOrder, table.id),
    index('kanban_items_due').on(table.dueDate),
    index('kanban_items_source').on(table.sourceId),
    // Few items have one: it costs the others nothing.
    index('kanban_items_claim')
      .on(table.projectId, table.claimedUntil)
      .where(sql`"claimed_until" is not null`),
  ],
)

/** What is to be ticked off on an item. */
export const kanbanSubtasks = sqliteTable(
  'kanban_subtasks',
  {
    id: id(),
    itemId: itemId(),
    title: required(),
    completed: flag(false),
    sortOrder: sortOrder(),
    ...timestamps(),
  },
  (table) => [index('kanban_subtasks_item').on(table.itemId, table.sortOrder, table.id)],
)

/** What happened to the tracked fields of an item. Never changed once written. */
export const kanbanActivity = sqliteTable(
  'kanban_activity',
  {
    id: id(),
    itemId: itemId(),
    type: required(),
    content: string(''),
    metadata: jsonObject(),
    actorId: text(),
    createdAt: createdAt(),
  },
  (table) => [index('kanban_activity_item').on(table.itemId, table.id)],
)

/** What people say about an item. */
export const kanbanComments = sqliteTable(
  'kanban_comments',
  {
    id: id(),
    itemId: itemId(),
    authorId: required(),
    content: required(),
    editedAt: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index('kanban_comments_item').on(table.itemId, table.id),
    index('kanban_comments_author').on(table.authorId),
  ],
)

/** The columns of the projects' boards. Items refer to them by name. */
export const kanbanColumns = sqliteTable(
  'kanban_columns',
  {
    id: id(),
    projectId: projectId(),
    name: required(),
    color: string(''),
    sortOrder: sortOrder(),
    wipLimit: integer().notNull().default(0),
    wipPolicy: string('warn'),
    /** `todo`, `doing` or `done`; NULL for what its place says (see `src/board/stages.ts`). */
    stage: text({ enum: ['todo', 'doing', 'done'] }),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('kanban_columns_name').on(table.projectId, table.name),
    index('kanban_columns_project').on(table.projectId, table.sortOrder, table.id),
  ],
)

/** The labels of a project's board. */
export const kanbanLabels = sqliteTable(
  'kanban_labels',
  {
    id: id(),
    projectId: projectId(),
    name: required(),
    color: string('#3b82f6'),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('kanban_labels_name').on(table.projectId, table.name),
    index('kanban_labels_project').on(table.projectId, table.id),
    index('kanban_labels_any_project').on(table.name),
  ],
)

/** Which item has which label. */
export const kanbanItemLabels = sqliteTable(
  'kanban_item_labels',
  {
    itemId: itemId(),
    labelId: required().references(() => kanbanLabels.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.itemId, table.labelId] }),
    index('kanban_item_labels_label').on(table.labelId, table.itemId),
  ],
)

/** Summaries of meetings. */
export const transcriptSummaries = sqliteTable(
  'transcript_summaries',
  {
    id: id(),
    projectId: projectId(),
    title: required(),
    date: required(),
    summary: string(''),
    participants: jsonArray(),
    actionItems: jsonArray(),
    sourceFile: string(''),
    ...timestamps(),
  },
  (table) => [index('transcript_summaries_project').on(table.projectId, table.id)],
)

/** Numbers that projects watch. */
export const metrics = sqliteTable(
  'metrics',
  {
    id: id(),
    projectId: projectId(),
    name: required(),
    value: real().notNull(),
    unit: string(''),
    category: string(''),
    trend: string('stable'),
    history: jsonArray(),
    ...timestamps(),
  },
  (table) => [
    index('metrics_project').on(table.projectId, table.id),
    index('metrics_name').on(table.projectId, table.name),
  ],
)

/** What projects want to achieve. */
export const objectives = sqliteTable(
  'objectives',
  {
    id: id(),
    projectId: projectId(),
    title: required(),
    description: string(''),
    status: string('not-started'),
    sortOrder: sortOrder(),
    ...timestamps(),
  },
  (table) => [index('objectives_project').on(table.projectId, table.sortOrder, table.id)],
)

/** Who works on which project. */
export const teamAssignments = sqliteTable(
  'team_assignments',
  {
    id: id(),
    projectId: projectId(),
    memberId: required(),
    role: string('member'),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('team_assignments_member').on(table.projectId, table.memberId),
    index('team_assignments_project').on(table.projectId, table.id),
  ],
)

/** The members' private ideas. */
export const personalIdeas = sqliteTable(
  'personal_ideas',
  {
    id: id(),
    ownerId: required(),
    title: required(),
    description: string(''),
    priority: string('medium'),
    status: string('idea'),
    sortOrder: sortOrder(),
    promotedProjectId: text().references(() => projects.id, { onDelete: 'set null' }),
    ...timestamps(),
  },
  (table) => [
    index('personal_ideas_owner').on(table.ownerId, table.sortOrder, table.id),
    index('personal_ideas_project').on(table.promotedProjectId),
  ],
)

/** Who can sign in. */
export const members = sqliteTable(
  'members',
  {
    id: id(),
    name: required(),
    email: required(),
    role: text({ enum: ['admin', 'member', 'viewer'] })
      .notNull()
      .default('member'),
    disabled: flag(false),
    /** The argon2id hash in PHC format; NULL when the member cannot sign in with a password. */
    passwordHash: text(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('members_email').on(sql`lower(${table.email})`),
    // Emails with letters that SQLite's `lower` does not know: few, and scanned (see `emails.ts`).
    index('members_email_beyond_ascii').on(table.email).where(sql`"email" glob '*[^ -~]*'`),
    index('members_role').on(table.role),
  ],
)

/**
 * Who has a name here and is no member: people of the host application, those that imported boards name, and members that were
 * deleted. Members are people by their own rows, which count before these.
 */
export const people = sqliteTable(
  'people',
  {
    /** What records hold in `assigneeId`, `authorId` and the like. */
    id: id(),
    name: required(),
    /** `member`: it was one. */
    kind: text({ enum: ['member', 'host', 'import'] }).notNull(),
    /** Where an imported board came from, e.g. `trello`, and what the person is called there; empty for others. */
    source: string(''),
    sourceId: string(''),
    /** Only to find the same person again: it is shown to nobody. */
    email: text(),
    /** The person that this one turned out to be; NULL for one by itself. */
    mergedInto: text(),
    /** When the host named the person last; NULL for one that it did not. */
    seenAt: text(),
    ...timestamps(),
  },
  (table) => [
    index('people_source').on(table.source, table.sourceId),
    // Few have one, and each import looks for them.
    index('people_email').on(table.email).where(sql`"email" is not null`),
    index('people_merged').on(table.mergedInto).where(sql`"merged_into" is not null`),
  ],
)

/** Who is signed in. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: id(),
    memberId: memberId(),
    /** SHA-256 of the cookie's token, hexadecimal. The token itself is never stored. */
    tokenHash: required(),
    lastUsedAt: required(),
    expiresAt: required(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('sessions_token').on(table.tokenHash),
    index('sessions_member').on(table.memberId, table.id),
    index('sessions_expiry').on(table.expiresAt),
  ],
)

/** What scripts and integrations sign in with. */
export const apiTokens = sqliteTable(
  'api_tokens',
  {
    id: id(),
    memberId: memberId(),
    name: required(),
    scope: text({ enum: ['read', 'write', 'calendar'] })
      .notNull()
      .default('read'),
    /** SHA-256 of the token, hexadecimal. The token itself is never stored. */
    tokenHash: required(),
    lastUsedAt: text(),
    expiresAt: text(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('api_tokens_token').on(table.tokenHash),
    index('api_tokens_member').on(table.memberId, table.id),
  ],
)

/** One-time links: to set a password, or to become a member. A used, revoked or expired one is deleted. */
export const memberLinks = sqliteTable(
  'member_links',
  {
    id: id(),
    kind: text({ enum: ['password', 'invitation'] }).notNull(),
    /** Whose password it sets; NULL for an invitation. */
    memberId: text().references(() => members.id, { onDelete: 'cascade' }),
    /** What the invited member will be; where name and email are NULL, whoever uses the link chooses them. */
    name: text(),
    email: text(),
    role: text({ enum: ['admin', 'member', 'viewer'] })
      .notNull()
      .default('member'),
    /** SHA-256 of the link's token, hexadecimal. The token itself is never stored. */
    tokenHash: required(),
    /** The admin who made it; NULL for the command line. */
    createdBy: text(),
    createdAt: createdAt(),
    expiresAt: required(),
  },
  (table) => [
    uniqueIndex('member_links_token').on(table.tokenHash),
    index('member_links_member').on(table.memberId),
  ],
)

/** Teams. */
export const teams = sqliteTable('teams', {
  id: id(),
  name: required(),
  description: string(''),
  ...timestamps(),
})

/** Who is in which team. */
export const teamMembers = sqliteTable(
  'team_members',
  {
    teamId: required().references(() => teams.id, { onDelete: 'cascade' }),
    memberId: required(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.memberId] }),
    index('team_members_member').on(table.memberId),
  ],
)

/** Sign-ins and their failures, and changes of access rights. Append-only; never holds a secret. */
export const auditLog = sqliteTable('audit_log', {
  id: id(),
  action: required(),
  /** The member who acted; NULL for an unknown one, the command line and the service itself. */
  actorId: text(),
  /** The name of who acted, as it was then: also `command line` and `service`. NULL for an unknown one. */
  actor: text(),
  /** What was acted on: a member, token, session or project. It may be gone by now. */
  subjectId: text(),
  /** Its name as it was then; of a token, session or link the name of its member. */
  subject: text(),
  /** The address that the request came from; NULL for the command line. */
  address: text(),
  metadata: jsonObject(),
  createdAt: createdAt(),
})

/**
 * The append-only sequence of changes, filled by triggers (see `change-triggers.ts`). `before` and `after` hold the values
 * as they are stored, under the names of the API; `src/changes/told.ts` turns them into the API's types.
 *
 * No index but its key: each would cost every write. Which changes a record has is told by {@link changeSubjects}.
 */
export const changes = sqliteTable('changes', {
  /** The place in the sequence, which is the order of commits. The last row is never pruned, so none is used twice. */
  seq: integer().primaryKey(),
  at: createdAt(),
  /** The member who made it, or `:command-line`; NULL for the service itself and for another tool. */
  actorId: text(),
  /** The first `seq` of the write; NULL for another tool's, which tells it from the service's (see `src/changes/told.ts`). */
  group: integer(),
  kind: required(),
  id: required(),
  action: text({ enum: ['created', 'updated', 'deleted'] }).notNull(),
  projectId: text(),
  itemId: text(),
  /** The project that an item was moved out of. */
  fromProjectId: text(),
  /** Whose idea it is: nobody else's, whatever it shows. */
  ownerId: text(),
  before: text(),
  after: text(),
})

/**
 * The index of the sequence, written behind it in slices: which changes belong to a project or an item, and which
 * deleted one (`subject` is '' for these).
 */
export const changeSubjects = sqliteTable(
  'change_subjects',
  { subject: required(), seq: integer().notNull() },
  (table) => [primaryKey({ columns: [table.subject, table.seq] })],
)

/** What triggers of one statement, or statements of one write, leave for each other; empty between writes. */
export const changesPending = sqliteTable(
  'changes_pending',
  {
    kind: required(),
    id: required(),
    projectId: text(),
    itemId: text(),
    ownerId: text(),
    before: text(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)

/** Responses to writes that carried an Idempotency-Key, kept for a day. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    memberId: required(),
    method: required(),
    path: required(),
    key: required(),
    /** SHA-256 of the request's body, hexadecimal. */
    bodyHash: required(),
    /** The role that the member had, where the response depends on it. */
    role: text(),
    status: integer().notNull(),
    /** The response's body; NULL where it showed a secret, was large, or had to make room. */
    body: text(),
    etag: text(),
    /** The last change of the write, where it made any. */
    seq: integer(),
    /** How many keys of the member were kept up to this one, it included: what is oldest, and how many there are. */
    nth: integer().notNull().default(0),
    /** How many bytes of bodies were kept up to this one, it included. */
    upTo: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.memberId, table.method, table.path, table.key] }),
    index('idempotency_keys_age').on(table.createdAt),
    index('idempotency_keys_member').on(table.memberId, table.nth),
    index('idempotency_keys_bodies').on(table.upTo).where(sql`body is not null`),
  ],
)

/** Who is told of changes over HTTP. */
export const webhooks = sqliteTable('webhooks', {
  id: id(),
  url: required(),
  description: string(''),
  /** Whose changes; NULL for those of all. No foreign key: the deletion of the project is told, too. */
  projectId: text(),
  kinds: jsonArray(),
  active: flag(true),
  /** The change up to which all that match are delivered. */
  after: integer().notNull().default(0),
  failingSince: text(),
  /** Failed attempts in a row of the delivery that is next, and when to try it again; NULL for at once. */
  attempts: integer().notNull().default(0),
  retryAt: text(),
  /** What deliveries are signed with (`whsec_...`): it has to be known, so it is stored as it is. */
  secret: required(),
  /** The one before it, with which they are signed, too, for a time after the other took its place; NULL without one. */
  formerSecret: text(),
  rotatedAt: text(),
  ...timestamps(),
})

/** The latest attempts to deliver a change. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: id(),
    webhookId: required().references(() => webhooks.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    /** The response's status; NULL where there was none. */
    status: integer(),
    /** Why it failed; NULL where it did not. */
    error: text(),
    /** The beginning of the response's body. */
    response: string(''),
    /** Milliseconds that it took. */
    duration: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [index('webhook_deliveries_webhook').on(table.webhookId, table.id)],
)

/** Imports over HTTP and by commands: how far each has come. */
export const imports = sqliteTable('imports', {
  id: id(),
  format: required(),
  /** Who asked for it; NULL for the command line. */
  memberId: text(),
  status: text({ enum: ['waiting', 'reading', 'writing', 'done', 'failed'] })
    .notNull()
    .default('waiting'),
  /** Records written, of how many. */
  done: integer().notNull().default(0),
  total: integer().notNull().default(0),
  projectId: text(),
  /** What was made, by name, as JSON; empty before it is done. */
  counts: string(''),
  error: text(),
  ...timestamps(),
})

/**
 * Writes that are too large for one transaction and are done in slices: hidden until the last (see `src/db/large-writes.ts`).
 * Those that are done stay until all that they tell is in the sequence.
 */
export const largeWrites = sqliteTable('large_writes', {
  number: integer().primaryKey(),
  /** The import that it writes; NULL for any other. */
  importId: text(),
  /** What is to be done, as JSON: for whoever goes on with it once its process is gone. Empty where nobody does. */
  task: required(),
  /** The places in the sequence that its staged changes have; NULL before they are told. */
  firstSeq: integer(),
  lastSeq: integer(),
  /** The first of these changes among the staged ones. */
  firstPlace: integer(),
  /** What is said of all of them: see {@link changes}. */
  at: text(),
  actorId: text(),
  group: integer(),
})

/** Projects that a large write makes or takes away. Nobody sees them: their own rows are not there, whatever else is. */
export const hiddenProjects = sqliteTable(
  'hidden_projects',
  {
    projectId: required().primaryKey(),
    write: integer()
      .notNull()
      .references(() => largeWrites.number, { onDelete: 'cascade' }),
  },
  (table) => [index('hidden_projects_write').on(table.write)],
)

/** Records that a large write makes and that belong to no project: nobody sees them before it is told. */
export const hiddenRecords = sqliteTable(
  'hidden_records',
  {
    /** The name of their table. */
    recordTable: required(),
    id: required(),
    write: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.recordTable, table.id] }),
    index('hidden_records_write').on(table.write),
  ],
)

/**
 * Changes of large writes: those that are not told yet, and those that are and have to get into {@link changes}, in slices.
 * Each write has a run of places.
 */
export const stagedChanges = sqliteTable('staged_changes', {
  place: integer().primaryKey(),
  /** Where a change has its own, as one of an archive has; else those of its write. */
  at: text(),
  actorId: text(),
  /** How many places before its group the write has; NULL for none. It counts where there is an `at`. */
  group: integer(),
  kind: required(),
  id: required(),
  action: text({ enum: ['created', 'updated', 'deleted'] }).notNull(),
  projectId: text(),
  itemId: text(),
  fromProjectId: text(),
  ownerId: text(),
  before: text(),
  after: text(),
})

/** The accounts of an OpenID provider that members sign in with. */
export const memberIdentities = sqliteTable(
  'member_identities',
  {
    issuer: required(),
    subject: required(),
    memberId: required().references(() => members.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index('member_identities_member').on(table.memberId),
  ],
)
