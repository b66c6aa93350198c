/**
 * The tables. Names are the records' names in snake_case (written by drizzle's `casing`); timestamps are
 * ISO 8601 text in UTC with milliseconds, booleans 0/1, JSON-text columns TEXT that may be empty or NULL.
 * Every default of a record is the column's SQL default too, because other tools write this file while the
 * service runs.
 *
 * References to people and teams are opaque strings (identity may live in another system), so they carry no
 * foreign key; references inside the service do, and cascade.
 *
 * Triggers update the full-text index, which is not in this schema (see the migration `search`): a migration
 * that recreates such a table must recreate its triggers, too.
 */
import { sql } from 'drizzle-orm'
import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { idsText, jsonArrayText, jsonObjectText, remindersText } from './json-text.ts'

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

export const projects = sqliteTable(
  'projects',
  {
    id: id(),
    name: required(),
    /** The beginning of its cards' numbers, as in `WEB-12`; NULL until the service gives it one. */
    key: text(),
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
    /** The access: for every member, or only for those assigned to it (see `src/access/policy.ts`). */
    access: string('everyone'),
    /** Who may create share links (see `src/members/sharing.ts`). The table of the links has the usual name of this column. */
    shareLinks: text('sharing').notNull().default('members'),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('projects_key').on(table.key),
    // Usually few, or none: then every member sees every project.
    index('projects_assigned').on(table.id).where(sql`"access" <> 'everyone'`),
    // Usually few, too. It has both columns, because the row of a project may be long.
    index('projects_sharing').on(table.id, table.shareLinks).where(sql`"sharing" <> 'members'`),
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
    /** Ascending in its project, from 1; NULL until the service gives it one (see `src/board/card-numbers.ts`). */
    number: integer(),
    title: required(),
    description: string(''),
    column: string('To Do'),
    sortOrder: sortOrder(),
    priority: string('medium'),
    assigneeId: text(),
    /**
     * All assignees in order, if there are several: the first is `assigneeId`, which a trigger ensures. Empty for one or none, so that
     * nobody who writes `assigneeId` alone needs to know of it (see `src/board/assignees.ts`).
     */
    assigneeIds: idsText().default(sql`'[]'`),
    dueDate: text(),
    source: string('manual'),
    sourceId: string(''),
    isNew: flag(false),
    approved: flag(true),
    dismissed: flag(false),
    metadata: jsonObject(),
    /** The end of the claim's lease; NULL for an unclaimed item. */
    claimedUntil: text(),
    /** The place the item was claimed from, `{"column", "sortOrder"}` as JSON; empty for an unclaimed item. */
    claimedFrom: string(''),
    /**
     * The attachment that the board shows on its card; NULL for none. No foreign key: an undo restores an item before its
     * attachments.
     */
    coverId: text(),
    /** When its watchers are reminded: objects with either `at`, a time, or `before`, a duration before the due date. */
    reminders: remindersText().default(sql`'[]'`),
    ...timestamps(),
  },
  (table) => [
    // `dismissed` and `dueDate` let these filters skip items using only the index.
    index('kanban_items_project').on(
      table.projectId,
      table.sortOrder,
      table.id,
      table.dismissed,
      table.dueDate,
    ),
    // `dismissed`, too, of a column of which most has been archived.
    index('kanban_items_column').on(
      table.projectId,
      table.column,
      table.sortOrder,
      table.id,
      table.dismissed,
    ),
    index('kanban_items_project_assignee').on(table.projectId, table.assigneeId, table.sortOrder, table.id),
    index('kanban_items_project_priority').on(table.projectId, table.priority, table.sortOrder, table.id),
    index('kanban_items_order').on(table.sortOrder, table.id, table.dismissed, table.dueDate),
    index('kanban_items_assignee').on(table.assigneeId, table.sortOrder, table.id),
    index('kanban_items_priority').on(table.priority, table.sortOrder, table.id),
    index('kanban_items_due').on(table.dueDate),
    index('kanban_items_source').on(table.sourceId),
    // Not unique: another tool may move a card to a project where its number is taken. A trigger then clears it.
    index('kanban_items_number').on(table.projectId, table.number),
    // Usually none.
    index('kanban_items_unnumbered').on(table.id).where(sql`"number" is null`),
    // Few items have a claim: the index costs others nothing.
    index('kanban_items_claim')
      .on(table.projectId, table.claimedUntil)
      .where(sql`"claimed_until" is not null`),
  ],
)

/** Which items have a person among the assignees, but not first. Triggers keep it. */
export const kanbanItemAssignees = sqliteTable(
  'kanban_item_assignees',
  { personId: required(), itemId: required() },
  (table) => [
    primaryKey({ columns: [table.personId, table.itemId] }),
    index('kanban_item_assignees_item').on(table.itemId),
  ],
)

/** The last number that a project has given to a card. No foreign key: an undo may restore the project. */
export const cardNumbers = sqliteTable('card_numbers', {
  projectId: id(),
  last: integer().notNull(),
})

/** The numbers that items had in other projects. A trigger adds them; no foreign keys, as for {@link cardNumbers}. */
export const formerCardNumbers = sqliteTable(
  'former_card_numbers',
  { projectId: required(), number: integer().notNull(), itemId: required() },
  (table) => [primaryKey({ columns: [table.projectId, table.number] })],
)

/** The keys that projects had, until another project takes them. Triggers keep it; no foreign key, as for {@link cardNumbers}. */
export const formerProjectKeys = sqliteTable('former_project_keys', {
  key: id(),
  projectId: required(),
})

/** The checklist entries of items. */
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

/** The changes of items' tracked fields. Append-only. */
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

/** The comments on items. */
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

/** The attachments of items: files, whose bytes are a {@link fileContents}, and links. */
export const attachments = sqliteTable(
  'attachments',
  {
    id: id(),
    itemId: itemId(),
    name: required(),
    kind: text({ enum: ['file', 'link'] })
      .notNull()
      .default('link'),
    /** Of a link; NULL for a file. */
    url: text(),
    /** The following are NULL for a link. */
    mediaType: text(),
    size: integer(),
    /** The content. No foreign key: the content stays as long as an undo can restore the record. */
    sha256: text(),
    /** In pixels; NULL if unknown. */
    width: integer(),
    height: integer(),
    /** The hash of a small image of it, another content; NULL for none. */
    thumbnail: text(),
    /** The member, or an imported person; NULL if unknown. */
    createdBy: text(),
    ...timestamps(),
  },
  (table) => [
    index('attachments_item').on(table.itemId, table.id),
    index('attachments_creator').on(table.createdBy).where(sql`"created_by" is not null`),
    index('attachments_content').on(table.sha256),
    index('attachments_thumbnail').on(table.thumbnail).where(sql`"thumbnail" is not null`),
  ],
)

/**
 * The bytes of files, once for each hash (see `file-contents.ts`). Without a hash it is incomplete: being uploaded, or left over, or
 * being removed.
 */
export const fileContents = sqliteTable(
  'file_contents',
  {
    id: integer().primaryKey(),
    /** SHA-256, hexadecimal. */
    sha256: text(),
    /** In bytes, so far. */
    size: integer().notNull().default(0),
    /** When its latest chunk was written, in milliseconds since 1970. */
    touchedAt: integer().notNull().default(0),
    /** The newest change when it lost its last reference: it is removed after the changes up to this one are pruned. A trigger resets it. */
    unnamedSince: integer(),
  },
  (table) => [
    uniqueIndex('file_contents_hash').on(table.sha256),
    index('file_contents_size').on(table.size),
    index('file_contents_incomplete').on(table.touchedAt).where(sql`"sha256" is null`),
    index('file_contents_unnamed').on(table.unnamedSince).where(sql`"unnamed_since" is not null`),
  ],
)

/** The chunks of contents, in order: the id of the content times 65,536 plus the number of the chunk. */
export const fileChunks = sqliteTable('file_chunks', {
  place: integer().primaryKey(),
  bytes: blob({ mode: 'buffer' }).notNull(),
})

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
    /** `todo`, `doing` or `done`; NULL: derived from its place (see `src/board/stages.ts`). */
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

/** Metrics of projects. */
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

/** Objectives of projects. */
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

/** The members assigned to projects. */
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
    index('team_assignments_of_member').on(table.memberId, table.projectId),
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

/** Members, who can sign in. */
export const members = sqliteTable(
  'members',
  {
    id: id(),
    name: required(),
    email: required(),
    role: text({ enum: ['admin', 'member', 'viewer', 'guest'] })
      .notNull()
      .default('member'),
    disabled: flag(false),
    /** The argon2id hash in PHC format; NULL if the member cannot sign in with a password. */
    passwordHash: text(),
    /** The name in mentions, as in `@ada`. NULL only until the service gives one to a member that another tool has added. */
    handle: text(),
    ...timestamps(),
  },
  (table) => [
    uniqueIndex('members_handle').on(table.handle),
    uniqueIndex('members_email').on(sql`lower(${table.email})`),
    // Emails with letters that SQLite's `lower` does not know: few, and scanned (see `emails.ts`).
    index('members_email_beyond_ascii').on(table.email).where(sql`"email" glob '*[^ -~]*'`),
    index('members_role').on(table.role),
  ],
)

/**
 * People who are not members: of the host application, of imported boards, and deleted members.
 * Members are people by their own rows, which take precedence.
 */
export const people = sqliteTable(
  'people',
  {
    /** The id in `assigneeId`, `authorId` and the like. */
    id: id(),
    name: required(),
    /** `member`: a former member. */
    kind: text({ enum: ['member', 'host', 'import'] }).notNull(),
    /** The format of the imported board, e.g. `trello`, and the person's id there; empty for others. */
    source: string(''),
    sourceId: string(''),
    /** To recognise the same person again: in lower case, or the whole id in the other tool if that holds several addresses. Only admins and the person see it. */
    email: text(),
    /** The person that this one was merged into; NULL if not merged. */
    mergedInto: text(),
    /** When the host last returned the person; NULL for never. */
    seenAt: text(),
    ...timestamps(),
  },
  (table) => [
    index('people_source').on(table.source, table.sourceId),
    // Few have one, and every import looks it up.
    index('people_email').on(table.email).where(sql`"email" is not null`),
    index('people_merged').on(table.mergedInto).where(sql`"merged_into" is not null`),
  ],
)

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

/** API tokens of scripts and integrations. */
export const apiTokens = sqliteTable(
  'api_tokens',
  {
    id: id(),
    memberId: memberId(),
    name: required(),
    scope: text({ enum: ['read', 'write', 'calendar'] })
      .notNull()
      .default('read'),
    /** The projects that it may access, as a JSON array; NULL: all that its member sees. */
    projectIds: text(),
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
    /** The member whose password it sets; NULL for an invitation. */
    memberId: text().references(() => members.id, { onDelete: 'cascade' }),
    /** The fields of the invited member; if name and email are NULL, the user of the link chooses them. */
    name: text(),
    email: text(),
    role: text({ enum: ['admin', 'member', 'viewer', 'guest'] })
      .notNull()
      .default('member'),
    /** SHA-256 of the link's token, hexadecimal. The token itself is never stored. */
    tokenHash: required(),
    /** The admin who created it; NULL for the command line. */
    createdBy: text(),
    createdAt: createdAt(),
    expiresAt: required(),
  },
  (table) => [
    uniqueIndex('member_links_token').on(table.tokenHash),
    index('member_links_member').on(table.memberId),
  ],
)

/** Share links: anybody with the address can read the board, without signing in. A revoked link is deleted. */
export const shareLinks = sqliteTable(
  'share_links',
  {
    id: id(),
    projectId: projectId(),
    name: string(''),
    /** SHA-256 of the link's secret, hexadecimal. The secret itself is never stored. */
    secretHash: required(),
    /** The member who created it; NULL for the command line. */
    createdBy: text(),
    createdAt: createdAt(),
    /** NULL: never. */
    expiresAt: text(),
  },
  (table) => [
    uniqueIndex('share_links_secret').on(table.secretHash),
    index('share_links_project').on(table.projectId, table.id),
  ],
)

export const teams = sqliteTable('teams', {
  id: id(),
  name: required(),
  description: string(''),
  ...timestamps(),
})

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
  /** The name of the actor at that time, also `command line` and `service`. NULL for an unknown one. */
  actor: text(),
  /** The id of the member, token, session or project; it may be deleted by now. */
  subjectId: text(),
  /** Its name at that time; for a token, session or link the name of its member. */
  subject: text(),
  /** The address that the request came from; NULL for the command line. */
  address: text(),
  metadata: jsonObject(),
  createdAt: createdAt(),
})

/**
 * The append-only sequence of changes, filled by triggers (see `change-triggers.ts`). `before` and `after` have stored
 * values under the names of the API; `src/changes/api-changes.ts` converts them to the API's types.
 *
 * It has no index but its key: each would slow down every write. {@link changeSubjects} lists the changes of a record.
 */
export const changes = sqliteTable('changes', {
  /** The place in the sequence, in the order of commits. The last row is never pruned, so no `seq` is used twice. */
  seq: integer().primaryKey(),
  at: createdAt(),
  /** The member who made it, or `:command-line`; NULL for the service itself and for another tool. */
  actorId: text(),
  /** The first `seq` of the write; NULL for another tool, which distinguishes it from the service (see `src/changes/api-changes.ts`). */
  group: integer(),
  kind: required(),
  id: required(),
  action: text({ enum: ['created', 'updated', 'deleted'] }).notNull(),
  projectId: text(),
  itemId: text(),
  /** The project that an item was moved out of. */
  fromProjectId: text(),
  /** The owner of the idea; no other member may see the change. */
  ownerId: text(),
  before: text(),
  after: text(),
})

/**
 * The index of the sequence, written asynchronously in slices: the changes of a project or an item, and deletions
 * (`subject` is '' for these).
 */
export const changeSubjects = sqliteTable(
  'change_subjects',
  { subject: required(), seq: integer().notNull() },
  (table) => [primaryKey({ columns: [table.subject, table.seq] })],
)

/**
 * The parts of the sequence in which projects were `assigned`. Triggers write it (see the migration `restrictions`), so it is right for every write of
 * any tool, and outlives the changes that tell when a project was opened.
 */
export const restrictions = sqliteTable(
  'restrictions',
  {
    projectId: required(),
    /** The first change that it applied to. */
    firstSeq: integer().notNull(),
    /** The last one, before the project was opened to everyone; NULL while it is `assigned`, and for one that was deleted as such. */
    lastSeq: integer(),
    /** The members who were assigned to it when it was opened, as a JSON array. */
    memberIds: string('[]'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.firstSeq] })],
)

/** Scratch rows between triggers of one statement, or statements of one write; empty between writes. */
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

/** The idempotency store: responses to writes with an Idempotency-Key, for a day. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    memberId: required(),
    method: required(),
    path: required(),
    key: required(),
    /** SHA-256 of the request's body, hexadecimal. */
    bodyHash: required(),
    /** The member's role at that time, if the response depends on it. */
    role: text(),
    /** A digest of what the caller saw at that time, if the response contains reads. */
    seen: text(),
    status: integer().notNull(),
    /** The response's body; NULL if it showed a secret, was too large, or was dropped for space. */
    body: text(),
    etag: text(),
    /** The last change of the write, if any. */
    seq: integer(),
    /** The running number of the member's keys: gives their order and count. */
    nth: integer().notNull().default(0),
    /** The running sum of bytes of bodies, including this one. */
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

export const webhooks = sqliteTable('webhooks', {
  id: id(),
  url: required(),
  description: string(''),
  /** Only changes of this project; NULL: of all. No foreign key: the deletion of the project is delivered, too. */
  projectId: text(),
  kinds: jsonArray(),
  /** `standard`: signed changes; or the chat tool that gets messages (see `src/webhooks/chat-formats.ts`). */
  format: string('standard'),
  /** What a chat is told of; empty: everything it may be. */
  events: jsonArray(),
  /** The language of messages to a chat. */
  language: string('en'),
  active: flag(true),
  /** The last change up to which all matching ones are delivered. */
  after: integer().notNull().default(0),
  failingSince: text(),
  /** Consecutive failed attempts of the next delivery, and the time of its retry; NULL: at once. */
  attempts: integer().notNull().default(0),
  retryAt: text(),
  /** The secret that signs deliveries (`whsec_...`); signing needs it in plain text. */
  secret: required(),
  /** The previous secret, which also signs for a time after a rotation; NULL without one. */
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
    /** The response's status; NULL without a response. */
    status: integer(),
    /** Why it failed; NULL if it succeeded. */
    error: text(),
    /** The beginning of the response's body. */
    response: string(''),
    /** Duration in milliseconds. */
    duration: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [index('webhook_deliveries_webhook').on(table.webhookId, table.id)],
)

/** Imports over HTTP and by commands, with their progress. */
export const imports = sqliteTable('imports', {
  id: id(),
  format: required(),
  /** The member who started it; NULL for the command line. */
  memberId: text(),
  status: text({ enum: ['waiting', 'reading', 'writing', 'done', 'failed'] })
    .notNull()
    .default('waiting'),
  /** Written records, and their total. */
  done: integer().notNull().default(0),
  total: integer().notNull().default(0),
  projectId: text(),
  /** Numbers of created records, by name, and notes, as JSON; empty before it is done. */
  counts: string(''),
  /** The people of the board with their matches, as JSON; empty for none. They are large, and lists have none. */
  matches: string(''),
  error: text(),
  ...timestamps(),
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

/**
 * Watches of items, including explicit unwatches. No foreign key, so that an item restored by an undo still has its watchers.
 * `since` is the last change before the watch: only later ones cause notifications.
 */
export const itemWatches = sqliteTable(
  'item_watches',
  {
    itemId: required(),
    memberId: required(),
    /** False: an explicit unwatch, which also overrides a watch of its project. */
    watching: flag(true),
    since: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.itemId, table.memberId] }),
    index('item_watches_member').on(table.memberId),
  ],
)

/** Watches of all items of a project. No foreign key, as for {@link itemWatches}. */
export const projectWatches = sqliteTable(
  'project_watches',
  { projectId: required(), memberId: required(), since: integer().notNull().default(0) },
  (table) => [
    primaryKey({ columns: [table.projectId, table.memberId] }),
    index('project_watches_member').on(table.memberId),
  ],
)

/** Notifications of members. They do not change with the item. No foreign keys, since the member may be a host's. */
export const notifications = sqliteTable(
  'notifications',
  {
    id: id(),
    memberId: required(),
    kind: text({
      enum: ['assigned', 'mentioned', 'commented', 'moved', 'due', 'unblocked', 'lease-lapsed'],
    }).notNull(),
    /** NULL for several items. */
    itemId: text(),
    /** NULL for items of several projects. */
    projectId: text(),
    /** The actor; NULL for the service, a command or another tool, and for reminders and leases. */
    actorId: text(),
    /** The change, or the last one of several; NULL for reminders and leases. */
    seq: integer(),
    /** The title of the item; for several items, the name of their project. */
    title: string(''),
    /** The beginning of the comment or description, the column of a move, the due date. */
    text: string(''),
    /** The number of items. */
    count: integer().notNull().default(1),
    /** The time of a reminder or lease; NULL for a change. */
    dueAt: text(),
    createdAt: createdAt(),
    readAt: text(),
  },
  (table) => [
    uniqueIndex('notifications_change').on(table.memberId, table.seq),
    uniqueIndex('notifications_time')
      .on(table.itemId, table.kind, table.dueAt, table.memberId)
      .where(sql`"due_at" is not null`),
    index('notifications_member').on(table.memberId, table.id),
    index('notifications_unread').on(table.memberId, table.id).where(sql`"read_at" is null`),
    index('notifications_kind').on(table.memberId, table.kind, table.id),
    index('notifications_age').on(table.createdAt),
  ],
)

/** The times of items at which watchers are notified: reminders, and the ends of leases. */
export const itemTimes = sqliteTable(
  'item_times',
  {
    itemId: required(),
    kind: text({ enum: ['due', 'lease-lapsed'] }).notNull(),
    /** A timestamp; of a reminder of a day, a local time: a timestamp without its `Z`. */
    at: required(),
    /** The time when a local time was set; NULL for a timestamp. */
    since: text(),
  },
  (table) => [
    primaryKey({ columns: [table.itemId, table.kind, table.at] }),
    index('item_times_at').on(table.at).where(sql`"since" is null`),
    index('item_times_local').on(table.at, table.itemId).where(sql`"since" is not null`),
  ],
)

/** The positions of consumers in the sequence of changes; and in time, in milliseconds since 1970, that of the reminders of days. */
export const consumers = sqliteTable('consumers', {
  name: required().primaryKey(),
  after: integer().notNull().default(0),
})

/** Ranges of changes without notifications: of undos and imports. Removed once the consumer has passed them. */
export const quietChanges = sqliteTable('quiet_changes', {
  first: integer().primaryKey(),
  last: integer().notNull(),
  /** When they were made: an import keeps the times of its changes. NULL in rows of an earlier version. */
  at: text(),
})

/** Members' preferences for e-mail. A member without a row has the defaults. */
export const memberPreferences = sqliteTable(
  'member_preferences',
  {
    memberId: memberId().primaryKey(),
    email: text({ enum: ['none', 'each', 'daily'] })
      .notNull()
      .default('none'),
    /** An IANA time zone. */
    timeZone: string('UTC'),
    language: string('en'),
    /** The address that the mail server has permanently refused, and its response; NULL for none. Another address of the member still gets mail. */
    stoppedAddress: text(),
    stoppedBecause: text(),
    /** Why the latest mail was discarded; NULL once one has been sent. */
    failure: text(),
    updatedAt: text().notNull().default(now),
  },
  (table) => [index('member_preferences_zone').on(table.timeZone, table.updatedAt)],
)

/** The queue of notifications to send by mail or to the host. A trigger of `notifications` fills it. */
export const mailQueue = sqliteTable(
  'mail_queue',
  {
    notificationId: required()
      .primaryKey()
      .references(() => notifications.id, { onDelete: 'cascade' }),
    memberId: required(),
  },
  (table) => [index('mail_queue_member').on(table.memberId, table.notificationId)],
)

/** The next mail to each member with queued notifications. No foreign key: the member may be a host's. */
export const mails = sqliteTable(
  'mails',
  {
    memberId: required().primaryKey(),
    /** When it is due, also for another attempt; NULL: not yet known. */
    dueAt: text(),
    /** Failed attempts, and the time and reason of the first and the latest. */
    attempts: integer().notNull().default(0),
    failingSince: text(),
    failure: text(),
  },
  (table) => [index('mails_due').on(table.dueAt)],
)

/** The stored state of mail, by name: the key that signs unsubscribe links, and whether a host handles all notifications. */
export const mailState = sqliteTable('mail_state', {
  name: required().primaryKey(),
  value: required(),
})
