/**
 * The records in responses. They describe the contract, and are not derived from the tables. JSON-text fields are plain
 * values here; their contents, which other tools may have stored, are passed through.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { JsonObject } from '../json.ts'
import {
  AnyArray,
  AnyObject,
  BatchErrorBody,
  ChangedSinceBody,
  ErrorBody,
  GoneErrorBody,
  Id,
  JsonArray,
  JsonRpcErrorBody,
  MissingErrorBody,
  Nullable,
  ProblemBody,
  ref,
  Success,
  Timestamp,
  TooMuchToUndoBody,
  ValidationErrorBody,
} from './common.ts'
import { FlowSchema } from './flow.ts'

const timestamps = { createdAt: Timestamp, updatedAt: Timestamp }
const NullableString = Nullable(Type.String())

/** A checklist entry of an item. */
export const KanbanSubtaskSchema = Type.Object(
  {
    id: Id,
    itemId: Id,
    title: Type.String(),
    completed: Type.Boolean(),
    sortOrder: Type.Number(),
    ...timestamps,
  },
  { $id: 'KanbanSubtask' },
)
export type KanbanSubtask = Static<typeof KanbanSubtaskSchema>

/** A label for items; its name is unique in its project. */
export const KanbanLabelSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    name: Type.String(),
    color: Type.String({ examples: ['#3b82f6'] }),
    ...timestamps,
  },
  { $id: 'KanbanLabel' },
)
export type KanbanLabel = Static<typeof KanbanLabelSchema>

/** A reminder of an item: a time, or an ISO 8601 duration before its due date. */
const Reminder = Type.Object({ at: Type.Optional(Timestamp), before: Type.Optional(Type.String()) })

/** A card of a board, with its labels and subtasks. */
export const KanbanItemSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    number: Nullable(
      Type.Number({
        description:
          'Ascending in its project, and never given twice: with the key of the project it names the item, as in `WEB-12`. Null for an item that another program has just added.',
      }),
    ),
    title: Type.String(),
    description: Type.String(),
    column: Type.String({ examples: ['To Do', 'In Progress', 'Review', 'Done'] }),
    sortOrder: Type.Number(),
    priority: Type.String({ examples: ['low', 'medium', 'high', 'critical'] }),
    assigneeId: NullableString,
    assigneeIds: Type.Array(Type.String(), {
      description: 'All assignees, in order; `assigneeId` is the first of them',
      examples: [['ada', 'grace']],
    }),
    dueDate: Nullable(Timestamp),
    source: Type.String({ examples: ['manual', 'transcript', 'import'] }),
    sourceId: Type.String(),
    isNew: Type.Boolean(),
    approved: Type.Boolean(),
    dismissed: Type.Boolean(),
    metadata: AnyObject,
    claimedUntil: Nullable({
      ...Timestamp,
      description: 'When the claim of the assignee ends; null if it is not claimed',
    }),
    coverId: Nullable({
      ...Id,
      description: 'The attachment that the board shows on its card: one of its own images, or null',
    }),
    reminders: Type.Array(Reminder, {
      description: 'When its watchers are reminded: at a time, or some time before the due date',
      examples: [[{ at: '2026-01-31T09:00:00.000Z' }, { before: 'P1D' }]],
    }),
    ...timestamps,
    labels: Type.Array(ref(KanbanLabelSchema)),
    subtasks: Type.Array(ref(KanbanSubtaskSchema)),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only in the response to a change that made a column exceed its WIP limit',
        examples: [['Column "Review" is above its WIP limit of 3']],
      }),
    ),
  },
  { $id: 'KanbanItem' },
)
export type KanbanItem = Static<typeof KanbanItemSchema>

/** An activity entry: a change of a tracked field of an item. */
export const KanbanActivitySchema = Type.Object(
  {
    id: Id,
    itemId: Id,
    type: Type.String({ examples: ['status_change', 'assignment', 'priority'] }),
    content: Type.String(),
    metadata: Type.Unsafe<JsonObject>({
      ...AnyObject,
      description: '`from` and `to`: the value before and after, as strings; empty for none',
      examples: [{ from: 'To Do', to: 'In Progress' }],
    }),
    actorId: Nullable(Type.String({ description: 'The member who made the change' })),
    createdAt: Timestamp,
  },
  { $id: 'KanbanActivity' },
)
export type KanbanActivity = Static<typeof KanbanActivitySchema>

/** A comment on an item. */
export const KanbanCommentSchema = Type.Object(
  {
    id: Id,
    itemId: Id,
    authorId: Type.String(),
    content: Type.String(),
    editedAt: Nullable(Timestamp),
    createdAt: Timestamp,
  },
  { $id: 'KanbanComment' },
)

/** A file or a link, attached to an item. */
export const AttachmentSchema = Type.Object(
  {
    id: Id,
    itemId: Id,
    name: Type.String({ examples: ['plan.pdf'] }),
    kind: Type.Unsafe<'file' | 'link'>({ type: 'string', enum: ['file', 'link'] }),
    url: Type.Optional(
      Type.String({ description: 'Only of a link', examples: ['https://example.org/plan'] }),
    ),
    mediaType: Nullable(
      Type.String({
        description: 'By the first bytes, or else by the name of the file; null for a link',
        examples: ['application/pdf', 'image/png'],
      }),
    ),
    size: Nullable(Type.Number({ description: 'In bytes; null for a link' })),
    sha256: Nullable(
      Type.String({
        description: 'SHA-256 of the bytes, hexadecimal, which is the ETag of the content; null for a link',
      }),
    ),
    width: Type.Optional(Type.Number({ description: 'In pixels, as shown; only of an image, if known' })),
    height: Type.Optional(Type.Number({ description: 'In pixels, as shown; only of an image, if known' })),
    hasThumbnail: Type.Boolean({ description: 'Whether a client has stored a small image of it' }),
    createdBy: Nullable(
      Type.String({
        description: 'The member, or the person in the tool that it was imported from; null if unknown',
      }),
    ),
    ...timestamps,
  },
  { $id: 'Attachment' },
)
export type Attachment = Static<typeof AttachmentSchema>

/** A column of a project's board. Items refer to it by name. */
export const KanbanColumnSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    name: Type.String({ examples: ['In Progress'] }),
    color: Type.String(),
    sortOrder: Type.Number(),
    wipLimit: Type.Integer({
      description: 'Maximum number of items that are not dismissed; 0 is no limit',
    }),
    wipPolicy: Type.String({ examples: ['warn', 'block'], description: 'What happens above the limit' }),
    stage: Type.Unsafe<'todo' | 'doing' | 'done'>({
      type: 'string',
      enum: ['todo', 'doing', 'done'],
      description: 'The effective stage of work: as set, or derived from the position on the board',
    }),
    ...timestamps,
  },
  { $id: 'KanbanColumn' },
)
export type KanbanComment = Static<typeof KanbanCommentSchema>
export type KanbanColumn = Static<typeof KanbanColumnSchema>

/** The summary of a meeting, with its action items. */
export const TranscriptSummarySchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    title: Type.String(),
    date: Timestamp,
    summary: Type.String(),
    participants: JsonArray(Type.String()),
    actionItems: JsonArray(Type.Union([Type.String(), AnyObject]), {
      description: 'Strings or objects',
      examples: [['Send the minutes', { what: 'Book a room', who: 'Ada' }]],
    }),
    sourceFile: Type.String(),
    ...timestamps,
  },
  { $id: 'TranscriptSummary' },
)

/** The numbers of comments and attachments of a project's items, by the ids of those that have any. */
export const KanbanCountsSchema = Type.Unsafe<Record<string, { comments: number; attachments: number }>>({
  $id: 'KanbanCounts',
  type: 'object',
  additionalProperties: Type.Object({ comments: Type.Integer(), attachments: Type.Integer() }),
  description: 'By the ids of the items that have comments or attachments',
})
export type KanbanCounts = Static<typeof KanbanCountsSchema>

/** The result of an ingested meeting: its record, and an item for each action item. */
export const IngestedTranscriptSchema = Type.Object(
  {
    transcript: ref(TranscriptSummarySchema),
    kanbanItems: Type.Array(ref(KanbanItemSchema), {
      description: 'One for each action item, in the order of the request',
    }),
  },
  { $id: 'IngestedTranscript' },
)

/** A metric of a project, with its former values. */
export const MetricSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    name: Type.String(),
    value: Type.Number(),
    unit: Type.String(),
    category: Type.String(),
    trend: Type.String({ examples: ['up', 'down', 'stable'] }),
    history: Type.Unsafe<unknown[]>({
      ...AnyArray,
      description:
        'Former values, oldest first, each with the time it was replaced; or any array that a client has written',
      examples: [[{ value: 3.5, at: '2026-01-31T00:00:00.000Z' }]],
    }),
    ...timestamps,
  },
  { $id: 'Metric' },
)

/** A goal of a project. */
export const ObjectiveSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    title: Type.String(),
    description: Type.String(),
    status: Type.String({ examples: ['not-started', 'in-progress', 'completed'] }),
    sortOrder: Type.Number(),
    ...timestamps,
  },
  { $id: 'Objective' },
)

/** A member who works on a project, with a role. */
export const TeamAssignmentSchema = Type.Object(
  { id: Id, projectId: Id, memberId: Type.String(), role: Type.String(), ...timestamps },
  { $id: 'TeamAssignment' },
)
export type TeamAssignment = Static<typeof TeamAssignmentSchema>

/** A phase of a project; clients may add keys. */
const Phase = Type.Object({ name: Type.String() }, { additionalProperties: true })

/** The fields of a project itself, without its relations. */
const projectFields = {
  id: Id,
  name: Type.String(),
  key: Nullable(
    Type.String({
      description:
        'What the numbers of its items begin with, as in `WEB-12`: unique; a former key leads to the project until another one takes it. Null for a project that another program has just added.',
      examples: ['WEB'],
    }),
  ),
  description: Type.String(),
  type: Type.String({ examples: ['technical', 'business', 'custom'] }),
  status: Type.String({ examples: ['backlog', 'active', 'completed', 'archived'] }),
  phase: Type.String({ description: 'Name of the current phase' }),
  phaseConfig: JsonArray(Phase, {
    description: 'The phase sequence: objects with a `name`, and perhaps other keys',
    examples: [[{ name: 'Planning' }, { name: 'In Progress' }, { name: 'Complete' }]],
  }),
  health: Type.String({ examples: ['on-track', 'at-risk', 'blocked'] }),
  nextStep: Type.String(),
  sortOrder: Type.Number(),
  metadata: AnyObject,
  leadId: NullableString,
  teamId: NullableString,
  access: Type.String({
    description:
      '`everyone`: every member except guests sees it; `assigned`: only admins, members who are assigned to the project (`teamAssignments`), and those of its team. Being the assignee of an item gives no access.',
    examples: ['everyone', 'assigned'],
  }),
  shareLinks: Type.String({
    description:
      'Who may create share links: `members` who may write the project, but no guests; `admins`; with `off` nobody, and its links do not work',
    examples: ['members', 'admins', 'off'],
  }),
  ...timestamps,
}

/** A project with all its relations. */
export const ProjectSchema = Type.Object(
  {
    ...projectFields,
    kanbanItems: Type.Array(ref(KanbanItemSchema), {
      description: 'All items, dismissed ones too, by sortOrder',
    }),
    transcriptSummaries: Type.Array(ref(TranscriptSummarySchema)),
    metrics: Type.Array(ref(MetricSchema)),
    objectives: Type.Array(ref(ObjectiveSchema)),
    teamAssignments: Type.Array(ref(TeamAssignmentSchema)),
  },
  { $id: 'Project' },
)
export type Project = Static<typeof ProjectSchema>

const people = Type.Optional(
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Only with `expand=people`: the names of the people in the record, by id',
    examples: [{ ada: 'Ada Lovelace' }],
  }),
)

/** A project, and the names of people where they are asked for. */
export const ProjectWithPeopleSchema = Type.Object(
  { ...ProjectSchema.properties, people },
  { $id: 'ProjectWithPeople' },
)

/** A project as a share link shows it, and what else its board needs, where it is asked for. */
export const SharedProjectSchema = Type.Object(
  {
    ...ProjectSchema.properties,
    people: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Only with `expand=board`: the names of the lead and of all assignees, by id',
        examples: [{ ada: 'Ada Lovelace' }],
      }),
    ),
    kanbanColumns: Type.Optional(
      Type.Array(ref(KanbanColumnSchema), {
        description: 'Only with `expand=board`: the columns in their order',
      }),
    ),
  },
  { $id: 'SharedProject' },
)

/** An item, and the name of its assignee where it is asked for. */
export const KanbanItemWithPeopleSchema = Type.Object(
  {
    ...Type.Omit(KanbanItemSchema, ['warnings']).properties,
    people,
  },
  { $id: 'KanbanItemWithPeople' },
)

/** A project with counts of its relations. */
export const ProjectSummarySchema = Type.Object(
  {
    ...projectFields,
    counts: Type.Object({
      kanbanItems: Type.Integer({ description: 'All items, dismissed ones too' }),
      open: Type.Integer({
        description:
          'Items that are not dismissed, in columns of the stage `todo` or `doing`, or in columns that the board does not have',
        examples: [4],
      }),
      done: Type.Integer({
        description: 'Items that are not dismissed, in columns of the stage `done`',
        examples: [7],
      }),
      transcriptSummaries: Type.Integer(),
      metrics: Type.Integer(),
      objectives: Type.Integer(),
      teamAssignments: Type.Integer(),
      columns: Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'integer' },
        description:
          'Number of items per column, dismissed ones too: every column of the board, in order, but names that are whole numbers first',
        examples: [{ 'To Do': 3, 'In Progress': 1, Review: 0, Done: 7 }],
      }),
      dismissed: Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: 'Number of dismissed items per column, of the columns that have any',
        examples: [{ 'To Do': 1 }],
      }),
    }),
  },
  { $id: 'ProjectSummary' },
)
export type ProjectSummary = Static<typeof ProjectSummarySchema>

/** A list of projects, whole. */
export const ProjectListSchema = Type.Array(ref(ProjectSchema), {
  $id: 'ProjectList',
  description: 'Projects with all their records: the list without `view`',
})

/** A list of projects with `view=summary`. */
export const ProjectSummaryListSchema = Type.Array(ref(ProjectSummarySchema), {
  $id: 'ProjectSummaryList',
  description: 'Projects with counts: the list with `view=summary`',
})

/** A member's private idea. */
export const PersonalIdeaSchema = Type.Object(
  {
    id: Id,
    ownerId: Type.String(),
    title: Type.String(),
    description: Type.String(),
    priority: Type.String({ examples: ['low', 'medium', 'high', 'critical'] }),
    status: Type.String({ examples: ['idea', 'ready', 'promoted', 'discarded'] }),
    sortOrder: Type.Number(),
    promotedProjectId: NullableString,
    ...timestamps,
  },
  { $id: 'PersonalIdea' },
)

/** A list of personal ideas. */
export const PersonalIdeaListSchema = Type.Array(ref(PersonalIdeaSchema), {
  $id: 'PersonalIdeaList',
  description: 'Personal ideas, by sortOrder',
})

/** A page of search results. */
export const SEARCH_KINDS = [
  'project',
  'kanban-item',
  'kanban-comment',
  'transcript-summary',
  'personal-idea',
] as const

/** A search result. */
export const SearchResultSchema = Type.Object(
  {
    kind: Type.Unsafe<(typeof SEARCH_KINDS)[number]>({ type: 'string', enum: [...SEARCH_KINDS] }),
    id: Id,
    projectId: Nullable(
      Type.String({ description: 'The project of the record; a project has its own id, an idea null' }),
    ),
    title: Type.String({ description: "The name of a project, the item's title of a comment" }),
    snippet: Type.String({
      description:
        'Text around the matches, with `**` before and after each match and `…` where text was omitted. Plain text as users wrote it: neither HTML nor escaped for it',
      examples: ['… before the next **engine** **test** we should …'],
    }),
  },
  { $id: 'SearchResult' },
)
export type SearchResult = Static<typeof SearchResultSchema>

/** The roles of members. A closed set. */
export const ROLES = ['admin', 'member', 'viewer', 'guest'] as const
export const RoleSchema = Type.Unsafe<(typeof ROLES)[number]>({ type: 'string', enum: [...ROLES] })

/** The member a request acts for. */
export const CurrentMemberSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    email: Nullable(Type.String({ description: 'null for a member without a row in this service' })),
    role: RoleSchema,
  },
  { $id: 'CurrentMember' },
)
export type CurrentMember = Static<typeof CurrentMemberSchema>

/** The languages of the page and of mails; the first is the default. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** What a member wants to be told by e-mail. */
export const PreferencesSchema = Type.Object(
  {
    email: Type.Unsafe<'none' | 'each' | 'daily'>({
      type: 'string',
      enum: ['none', 'each', 'daily'],
      description:
        'Which e-mail the member gets: none; one for each notification, with those of the same card within two minutes in one; or one a day, at 8:00 in `timeZone`',
    }),
    timeZone: Type.String({
      description:
        'An IANA time zone: of the daily e-mail, of instants in e-mails, of reminders of days, and of filters by `due`',
      examples: ['Europe/Berlin'],
    }),
    language: Type.Unsafe<Language>({
      type: 'string',
      enum: [...LANGUAGES],
      description: 'The language of the e-mail',
    }),
    stoppedBecause: Nullable(
      Type.String({
        description:
          'Why no mail is sent: the response of a mail server that has permanently refused the address; null if none has. Setting `email` resumes mail',
      }),
    ),
    emailAvailable: Type.Boolean({ description: 'Whether the service sends e-mail' }),
  },
  { $id: 'Preferences' },
)
export type Preferences = Static<typeof PreferencesSchema>

/** The result of a test mail. */
export const TestMailSchema = Type.Object(
  {
    address: Type.String({ description: 'The address that it was sent to' }),
    error: Nullable(
      Type.String({ description: 'Why it was not sent; null if the mail server has accepted it' }),
    ),
  },
  { $id: 'TestMail' },
)
export type TestMail = Static<typeof TestMailSchema>

/** The signed-in member, and when the session ends. */
export const SignedInSchema = Type.Object({ member: ref(CurrentMemberSchema), expiresAt: Timestamp })

/** A member. Never contains the password or its hash. */
export const MemberSchema = Type.Object(
  {
    id: Id,
    name: Type.String(),
    email: Nullable(
      Type.String({ description: 'Unique, ignoring case; null for others than admins and the member' }),
    ),
    role: RoleSchema,
    disabled: Type.Boolean({
      description: 'Whether sign-ins, sessions and tokens of the member are refused',
    }),
    handle: Nullable(
      Type.String({
        description:
          'The name in mentions, as in `@ada`; unique. null only briefly, for a member that another tool has just added',
        examples: ['ada', 'ada.lovelace'],
      }),
    ),
    ...timestamps,
  },
  { $id: 'Member' },
)
export type SeenMember = Static<typeof MemberSchema>
export type Member = SeenMember & { email: string }

/** A notification of the caller. */
export const NotificationSchema = Type.Object(
  {
    id: Id,
    kind: Type.Unsafe<
      'assigned' | 'mentioned' | 'commented' | 'moved' | 'due' | 'unblocked' | 'lease-lapsed'
    >({
      type: 'string',
      enum: ['assigned', 'mentioned', 'commented', 'moved', 'due', 'unblocked', 'lease-lapsed'],
      description:
        'What happened: the item was assigned to the caller, a text mentions the caller, somebody commented on the item, it moved to another column or project, a reminder is due, it is no longer blocked, the lease of its claim has ended',
    }),
    itemId: Nullable(Type.String({ description: 'null for several items' })),
    projectId: Nullable(Type.String({ description: 'null for items of several projects' })),
    actorId: Nullable(
      Type.String({ description: 'The actor; null for other tools, commands, reminders and leases' }),
    ),
    seq: Nullable(
      Type.Integer({
        description: 'The change, or the last one of several; null for reminders and leases',
      }),
    ),
    title: Type.String({
      description: 'The title of the item at that time; for several items, the name of their project',
    }),
    text: Type.String({
      description:
        'The beginning of the comment or description, the column of a move, or the due date; empty for others, and once that comment or description has been edited or deleted',
    }),
    count: Type.Integer({
      description: 'The number of items: more than ten items of one write are one notification',
    }),
    createdAt: Timestamp,
    readAt: Nullable(Timestamp),
  },
  { $id: 'MemberNotification' },
)
export type Notification = Static<typeof NotificationSchema>

/** Whether the caller watches an item or a project. */
export const WatchSchema = Type.Object({ watching: Type.Boolean() }, { $id: 'Watch' })

/** The number of unread notifications. */
export const UnreadSchema = Type.Object(
  { unread: Type.Integer({ description: 'At most 1,000; then there may be more' }) },
  { $id: 'Unread' },
)

/** Kinds of people: members, people of the host application, people of imported boards. A closed set. */
export const PERSON_KINDS = ['member', 'host', 'import'] as const

/** A person with a name here, member or not. */
export const PersonSchema = Type.Object(
  {
    id: Type.String({
      description:
        'The id in `assigneeId`, `assigneeIds`, `leadId`, `authorId`, `memberId` and `actorId` of records',
    }),
    name: Type.String(),
    email: Nullable(
      Type.String({
        description: 'Only for admins and the person itself; null for others, and if it is not known',
      }),
    ),
    kind: Type.Unsafe<(typeof PERSON_KINDS)[number]>({
      type: 'string',
      enum: [...PERSON_KINDS],
      description:
        'A current or former member; a person of the host application; a person of an imported board',
    }),
    source: Type.String({
      description: 'The format of the imported board; empty for others',
      examples: ['trello', 'csv', ''],
    }),
    sourceId: Type.String({
      description: 'The id of the person there; empty for others, and if that id holds an email address',
    }),
    mergedInto: Nullable(
      Type.String({ description: 'The person that this one was merged into; null if it was not merged' }),
    ),
    seenAt: Nullable({
      ...Timestamp,
      description: 'The day when the host application last returned the person; null for never',
    }),
    ...timestamps,
  },
  { $id: 'Person' },
)
export type Person = Static<typeof PersonSchema>

/** The number of records of each kind that named a person. */
const MergeCountsSchema = Type.Object({
  kanbanItems: Type.Integer({ description: 'Items with it as assignee' }),
  projects: Type.Integer({ description: 'Projects with it as lead' }),
  teamAssignments: Type.Integer({
    description: 'Project assignments; deleted if the other person has one, too',
  }),
  kanbanComments: Type.Integer({ description: 'Comments with it as author' }),
  attachments: Type.Integer({ description: 'Attachments with it as creator' }),
  personalIdeas: Type.Integer({ description: 'Ideas with it as owner' }),
})
export type MergeCounts = Static<typeof MergeCountsSchema>

/** The result of a merge. */
export const MergedPersonSchema = Type.Object(
  {
    group: Nullable(
      Type.Integer({
        description:
          'Undo this change to revert the merge: `POST /api/changes/{seq}/undo`. Null if nothing was left to merge',
      }),
    ),
    person: ref(PersonSchema),
    into: ref(PersonSchema),
    counts: MergeCountsSchema,
  },
  { $id: 'MergedPerson' },
)
export type MergedPerson = Static<typeof MergedPersonSchema>

/** A team of members. */
export const TeamSchema = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String(),
    memberIds: Type.Array(Type.String(), { description: 'Sorted by id' }),
    ...timestamps,
  },
  { $id: 'Team' },
)
export type Team = Static<typeof TeamSchema>

/** A session of a member. */
export const SessionSchema = Type.Object(
  {
    id: Id,
    current: Type.Boolean({ description: 'Whether it is the session of this request' }),
    lastUsedAt: Timestamp,
    expiresAt: Timestamp,
    ...timestamps,
  },
  { $id: 'Session' },
)
export type Session = Static<typeof SessionSchema>

/** Scopes of a token: read as its member, also write, or only read the calendar. */
export const TOKEN_SCOPES = ['read', 'write', 'calendar'] as const
const TokenScopeSchema = Type.Unsafe<(typeof TOKEN_SCOPES)[number]>({
  type: 'string',
  enum: [...TOKEN_SCOPES],
})

/** An API token of a script or integration, without the secret itself. */
export const TokenSchema = Type.Object(
  {
    id: Id,
    memberId: Type.String(),
    name: Type.String(),
    scope: TokenScopeSchema,
    projectIds: Nullable(
      Type.Array(Type.String(), {
        description: 'The only projects that it may access; null: all that its member sees',
      }),
    ),
    lastUsedAt: Nullable(Timestamp),
    expiresAt: Nullable(Timestamp),
    createdAt: Timestamp,
  },
  { $id: 'Token' },
)
export type Token = Static<typeof TokenSchema>

/** A new token: the only response with the secret. */
export const NewTokenSchema = Type.Object(
  {
    ...TokenSchema.properties,
    token: Type.String({
      description: 'The secret, for `Authorization: Bearer`. Shown only once and not stored',
      examples: ['pbt_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2s'],
    }),
  },
  { $id: 'NewToken' },
)
export type NewToken = Static<typeof NewTokenSchema>

/** The purposes of one-time links. */
const LinkKindSchema = Type.Unsafe<'password' | 'invitation'>({
  type: 'string',
  enum: ['password', 'invitation'],
  description: 'Whether it sets the password of a member, or creates a member',
})

const linkDetails = {
  kind: LinkKindSchema,
  name: Nullable(
    Type.String({
      description: 'The name of the member, or the one suggested in the invitation; null for none',
    }),
  ),
  email: Nullable(
    Type.String({
      description: 'The email of the member; null if the invited person provides it',
    }),
  ),
  role: RoleSchema,
  expiresAt: Timestamp,
}

/** What the user of a one-time link may see of it. */
export const LinkDetailsSchema = Type.Object(linkDetails, { $id: 'LinkDetails' })
export type LinkDetails = Static<typeof LinkDetailsSchema>

/** A one-time link, without the secret itself. */
export const MemberLinkSchema = Type.Object(
  {
    id: Id,
    memberId: Nullable(
      Type.String({ description: 'The member whose password it sets; null for an invitation' }),
    ),
    ...linkDetails,
    createdBy: Nullable(Type.String({ description: 'The admin who created it; null for the command line' })),
    createdAt: Timestamp,
  },
  { $id: 'MemberLink' },
)
export type MemberLink = Static<typeof MemberLinkSchema>

/** A new one-time link: the only response with the secret. */
export const NewMemberLinkSchema = Type.Object(
  {
    ...MemberLinkSchema.properties,
    token: Type.String({
      description: 'The secret. Shown only once and not stored',
      examples: ['pbl_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2s'],
    }),
    url: Type.String({
      description: 'The URL to open, with the token in its fragment',
      examples: ['https://board.example/link#pbl_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2s'],
    }),
  },
  { $id: 'NewMemberLink' },
)
export type NewMemberLink = Static<typeof NewMemberLinkSchema>

/** A share link, without the secret itself. */
export const ShareLinkSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    name: Type.String({ description: 'What it is for' }),
    createdBy: Nullable(Type.String({ description: 'The member who created it; null for the command line' })),
    createdAt: Timestamp,
    expiresAt: Nullable(Timestamp),
  },
  { $id: 'ShareLink' },
)
export type ShareLink = Static<typeof ShareLinkSchema>

/** A new share link: the only response with the secret. */
export const NewShareLinkSchema = Type.Object(
  {
    ...ShareLinkSchema.properties,
    secret: Type.String({
      description: 'The secret, 256 random bits. Shown only once and not stored',
      examples: ['Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBzZWM'],
    }),
    url: Type.String({
      description: 'The address of the board to read, with the secret',
      examples: ['https://board.example/shared/Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBzZWM'],
    }),
  },
  { $id: 'NewShareLink' },
)
export type NewShareLink = Static<typeof NewShareLinkSchema>

/** A sign-in, or a change of access rights. */
export const AuditEntrySchema = Type.Object(
  {
    id: Id,
    action: Type.String({
      examples: ['sign-in', 'sign-in-failed', 'member-role-changed', 'project-deleted'],
    }),
    actorId: Nullable(
      Type.String({
        description:
          'The acting member; null if unidentified, and for the command line and the service itself',
      }),
    ),
    actor: Nullable(
      Type.String({
        description:
          'The name of the actor at that time; `command line` or `service` for these; null if unidentified',
        examples: ['Ada Lovelace', 'command line', 'service'],
      }),
    ),
    subjectId: Nullable(
      Type.String({
        description: 'The id of the member, session, token, one-time or share link, team, project or webhook',
      }),
    ),
    subject: Nullable(
      Type.String({
        description:
          'Its name at that time; for a session, token or one-time link the name of its member, for a share link that of its project',
      }),
    ),
    address: Nullable(Type.String({ description: 'The address of the client; null for the command line' })),
    metadata: AnyObject,
    createdAt: Timestamp,
  },
  { $id: 'AuditEntry' },
)

const ChangedFields = (description: string) =>
  Nullable(Type.Unsafe<Record<string, unknown>>({ ...AnyObject, description }))

/** Actors that are not members. */
const NoMember = Type.Optional(
  Type.Unsafe<'command line' | 'service' | 'another tool'>({
    type: 'string',
    enum: ['command line', 'service', 'another tool'],
    description:
      'Only if `actorId` is null: a command, the service itself, or another tool that writes to the database file',
  }),
)

/** A change of one record, in the sequence of changes. */
export const ChangeSchema = Type.Object(
  {
    seq: Type.Integer({ description: 'Its position in the sequence: ascending, never used twice' }),
    at: Timestamp,
    actorId: Nullable(
      Type.String({ description: 'The member who made it; null for other actors: see `actor`' }),
    ),
    actor: NoMember,
    group: Type.Integer({ description: 'The same for all changes of one write: the `seq` of its first' }),
    kind: Type.String({ examples: ['kanban-item', 'project', 'kanban-comment'] }),
    id: Type.String({ description: "The record's id; `<itemId>:<labelId>` for an item's label" }),
    projectId: Nullable(Type.String()),
    itemId: Nullable(Type.String()),
    action: Type.Unsafe<'created' | 'updated' | 'deleted'>({
      type: 'string',
      enum: ['created', 'updated', 'deleted'],
      description:
        'Imported and restored records are `created`. An item that an import made has the `source` `import`, and its tool is a key of its `metadata`',
    }),
    before: ChangedFields(
      'All fields of a deleted record, the former values of the changed fields of an updated one; null for a created one',
    ),
    after: ChangedFields(
      'All fields of a created record, the changed fields of an updated one; null for a deleted one',
    ),
  },
  { $id: 'Change' },
)
export type Change = Static<typeof ChangeSchema>

/** The payload of a webhook. */
export const WebhookEventSchema = Type.Object(
  {
    type: Type.String({ description: '`<kind>.<action>`', examples: ['kanban-item.updated'] }),
    timestamp: Type.String({ format: 'date-time', description: 'When the change was made' }),
    data: ref(ChangeSchema),
  },
  { $id: 'WebhookEvent' },
)

/** A webhook: changes are sent to its URL. */
export const WebhookSchema = Type.Object(
  {
    id: Id,
    url: Type.String({ examples: ['https://example.org/hooks/phaseboard'] }),
    description: Type.String(),
    projectId: Nullable(Type.String({ description: 'Only changes of this project are sent; null: of all' })),
    kinds: Type.Array(Type.String(), {
      description: 'Kinds of changes that are sent; empty: all. Only for the format `standard`',
    }),
    format: Type.String({
      description:
        '`standard`: each change, signed by Standard Webhooks; else the chat tool that gets messages for people, which are not signed: keep its URL secret',
      examples: ['standard', 'slack', 'discord', 'teams', 'mattermost'],
    }),
    events: Type.Array(Type.String(), { description: 'What a chat is told of; empty: all' }),
    language: Type.String({ description: 'Of messages to a chat', examples: ['en', 'de'] }),
    active: Type.Boolean({ description: 'Whether changes are sent; also false after too many failures' }),
    after: Type.Integer({ description: 'The last delivered change' }),
    failingSince: Nullable({
      ...Timestamp,
      description: 'When the next delivery first failed; null if it has not',
    }),
    ...timestamps,
  },
  { $id: 'Webhook' },
)
export type Webhook = Static<typeof WebhookSchema>

/** A webhook with its secret: new, or with a new secret. */
export const WebhookWithSecretSchema = Type.Object(
  {
    ...WebhookSchema.properties,
    secret: Type.String({
      description: 'The secret that signs deliveries. Shown only once',
      examples: ['whsec_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBzZWM='],
    }),
  },
  { $id: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecretSchema>

/** A delivery attempt. */
export const WebhookDeliverySchema = Type.Object(
  {
    id: Type.String(),
    webhookId: Id,
    seq: Nullable(Type.Integer({ description: 'The change; null for a test' })),
    status: Nullable(Type.Integer({ description: "The response's status; null without a response" })),
    error: Nullable(Type.String({ description: 'Why it failed; null if it succeeded' })),
    response: Type.String({ description: "The beginning of the response's body, at most 1 KiB" }),
    duration: Type.Integer({ description: 'Duration in milliseconds' }),
    createdAt: Timestamp,
  },
  { $id: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDeliverySchema>

const ImportStatus = Type.Unsafe<'waiting' | 'reading' | 'writing' | 'done' | 'failed'>({
  type: 'string',
  enum: ['waiting', 'reading', 'writing', 'done', 'failed'],
})

/** An import that has begun. */
export const ImportStartedSchema = Type.Object(
  { id: Id, status: ImportStatus },
  { $id: 'ImportStarted', description: 'An import that has begun' },
)
export type ImportStarted = Static<typeof ImportStartedSchema>

/** How a person of an imported board was matched. */
export const MATCHES = ['map', 'id', 'email', 'name'] as const
export type Match = (typeof MATCHES)[number]

/** A person of an imported board. */
const ImportedPersonSchema = Type.Object(
  {
    id: Type.String({
      description:
        'Its id in the other tool, as `map` takes it; if not matched, the id of the person created here, which is a new one if that in the other tool holds an email address',
    }),
    name: Type.String(),
    matched: Type.Unsafe<Match | null>({
      type: ['string', 'null'],
      enum: [...MATCHES, null],
      description:
        'How it was matched: explicitly (by `map`, or by a merge after an earlier import), by the id in a Phaseboard CSV, by email, or by name; null if it was not',
    }),
    memberId: Nullable(
      Type.String({
        description: 'The matched member or person; null if there is none',
      }),
    ),
    items: Type.Integer({ description: 'Items assigned to this person' }),
    comments: Type.Integer({ description: 'Comments by this person' }),
    attachments: Type.Integer({ description: 'Attachments that this person has added' }),
  },
  { $id: 'ImportedPerson', description: 'A person of an imported board' },
)
export type ImportedPerson = Static<typeof ImportedPersonSchema>

/** The progress of an import. */
export const ImportSchema = Type.Object(
  {
    id: Id,
    format: Type.String(),
    status: ImportStatus,
    done: Type.Integer({
      description: 'Written records; for an archive, checked records count half',
    }),
    total: Type.Integer({ description: 'Records to write; 0 before the file is read' }),
    projectId: Type.Optional(Type.String({ description: 'The created project, once the import is done' })),
    counts: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description: 'Numbers of created records; for a dry run, of those that would be created',
      }),
    ),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'What could not be imported unchanged, in lines' }),
    ),
    people: Type.Optional(
      Type.Array(ref(ImportedPersonSchema), {
        description:
          'The people of its cards, comments and attachments, and their matches here: at most 500; `counts.people` is their number. Not in lists, and not for archives',
      }),
    ),
    error: Type.Optional(Type.String({ description: 'Why it failed; nothing has changed then' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Import' },
)
export type Import = Static<typeof ImportSchema>

/** The result of an undo. */
export const UndoneSchema = Type.Object(
  {
    group: Nullable(Type.Integer({ description: 'The group of its own changes; null if it made none' })),
    changes: Type.Array(ref(ChangeSchema), { description: 'The first 1,000 of its own changes' }),
  },
  { $id: 'Undone' },
)

/** A deleted project or item that can be restored. */
export const TrashEntrySchema = Type.Object(
  {
    seq: Type.Integer({ description: 'The change that deleted it; undo it to restore the record' }),
    kind: Type.Unsafe<'project' | 'kanban-item'>({ type: 'string', enum: ['project', 'kanban-item'] }),
    id: Id,
    title: Type.String({ description: 'The name of a project, the title of an item' }),
    projectId: Nullable(Type.String({ description: 'For a project its own id' })),
    at: Timestamp,
    actorId: Nullable(
      Type.String({ description: 'The member who deleted it; null for other actors: see `actor`' }),
    ),
    actor: NoMember,
  },
  { $id: 'TrashEntry' },
)
export type TrashEntry = Static<typeof TrashEntrySchema>

/** Every named schema: what `$ref` may refer to, and the components of the OpenAPI document. */
export const namedSchemas = [
  JsonRpcErrorBody,
  BatchErrorBody,
  ErrorBody,
  ValidationErrorBody,
  MissingErrorBody,
  ProblemBody,
  GoneErrorBody,
  TooMuchToUndoBody,
  ChangedSinceBody,
  Success,
  KanbanSubtaskSchema,
  KanbanLabelSchema,
  KanbanItemSchema,
  KanbanItemWithPeopleSchema,
  KanbanCountsSchema,
  KanbanActivitySchema,
  KanbanCommentSchema,
  AttachmentSchema,
  KanbanColumnSchema,
  TranscriptSummarySchema,
  IngestedTranscriptSchema,
  MetricSchema,
  ObjectiveSchema,
  TeamAssignmentSchema,
  ProjectSchema,
  ProjectWithPeopleSchema,
  SharedProjectSchema,
  ProjectSummarySchema,
  ProjectListSchema,
  ProjectSummaryListSchema,
  PersonalIdeaSchema,
  PersonalIdeaListSchema,
  PreferencesSchema,
  TestMailSchema,
  SearchResultSchema,
  CurrentMemberSchema,
  MemberSchema,
  PersonSchema,
  MergedPersonSchema,
  TeamSchema,
  SessionSchema,
  TokenSchema,
  NewTokenSchema,
  LinkDetailsSchema,
  MemberLinkSchema,
  NewMemberLinkSchema,
  ShareLinkSchema,
  NewShareLinkSchema,
  AuditEntrySchema,
  ChangeSchema,
  WebhookEventSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
  WebhookDeliverySchema,
  NotificationSchema,
  WatchSchema,
  UnreadSchema,
  ImportStartedSchema,
  ImportedPersonSchema,
  ImportSchema,
  UndoneSchema,
  TrashEntrySchema,
  FlowSchema,
]

/** Records with a secret that is shown once, and what reading them again shows, by `$ref`. */
export const SHOWN_ONCE: ReadonlyMap<string, TSchema> = new Map<string, TSchema>([
  [ref(NewTokenSchema).$ref, TokenSchema],
  [ref(NewMemberLinkSchema).$ref, MemberLinkSchema],
  [ref(NewShareLinkSchema).$ref, ShareLinkSchema],
  [ref(WebhookWithSecretSchema).$ref, WebhookSchema],
])
