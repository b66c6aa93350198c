/**
 * The records in responses. Written for the contract, not derived from the tables; JSON-text fields are plain values
 * here. The contents of JSON text, which other tools may have stored, are passed on as they are.
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
  ValidationErrorBody,
} from './common.ts'
import { FlowSchema } from './flow.ts'

const timestamps = { createdAt: Timestamp, updatedAt: Timestamp }
const NullableString = Nullable(Type.String())

/** What is to be ticked off on an item. */
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

/** A coloured word for items; unique in its project. */
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

/** A card of a board, with its labels and subtasks. */
export const KanbanItemSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    title: Type.String(),
    description: Type.String(),
    column: Type.String({ examples: ['To Do', 'In Progress', 'Review', 'Done'] }),
    sortOrder: Type.Number(),
    priority: Type.String({ examples: ['low', 'medium', 'high', 'critical'] }),
    assigneeId: NullableString,
    dueDate: Nullable(Timestamp),
    source: Type.String({ examples: ['manual', 'transcript', 'import'] }),
    sourceId: Type.String(),
    isNew: Type.Boolean(),
    approved: Type.Boolean(),
    dismissed: Type.Boolean(),
    metadata: AnyObject,
    claimedUntil: Nullable({
      ...Timestamp,
      description: 'Until when the assignee, who has claimed it, holds it; null where nobody has',
    }),
    ...timestamps,
    labels: Type.Array(ref(KanbanLabelSchema)),
    subtasks: Type.Array(ref(KanbanSubtaskSchema)),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only in the answer to a change that brought a column above its WIP limit',
        examples: [['Column "Review" is above its WIP limit of 3']],
      }),
    ),
  },
  { $id: 'KanbanItem' },
)
export type KanbanItem = Static<typeof KanbanItemSchema>

/** What a change did to a tracked field of an item. */
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

/** What somebody says about an item. */
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

/** A column of a project's board; items refer to it by name. */
export const KanbanColumnSchema = Type.Object(
  {
    id: Id,
    projectId: Id,
    name: Type.String({ examples: ['In Progress'] }),
    color: Type.String(),
    sortOrder: Type.Number(),
    wipLimit: Type.Integer({
      description: 'Items that are not dismissed it should hold at most; 0 is no limit',
    }),
    wipPolicy: Type.String({ examples: ['warn', 'block'], description: 'What happens above the limit' }),
    stage: Type.Unsafe<'todo' | 'doing' | 'done'>({
      type: 'string',
      enum: ['todo', 'doing', 'done'],
      description: 'The stage of work that counts: what was said, else by the place on the board',
    }),
    ...timestamps,
  },
  { $id: 'KanbanColumn' },
)
export type KanbanComment = Static<typeof KanbanCommentSchema>
export type KanbanColumn = Static<typeof KanbanColumnSchema>

/** What was said in a meeting, and who has to do what. */
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

/** What a meeting brought: its record, and an item for each of its action items. */
export const IngestedTranscriptSchema = Type.Object(
  {
    transcript: ref(TranscriptSummarySchema),
    kanbanItems: Type.Array(ref(KanbanItemSchema), {
      description: 'One for each action item, in the order of the request',
    }),
  },
  { $id: 'IngestedTranscript' },
)
export type IngestedTranscript = Static<typeof IngestedTranscriptSchema>

/** A number that a project watches, with its former values. */
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
        'Former values, oldest first, each with the time it was replaced; or whatever array a client has written',
      examples: [[{ value: 3.5, at: '2026-01-31T00:00:00.000Z' }]],
    }),
    ...timestamps,
  },
  { $id: 'Metric' },
)

/** What a project wants to achieve. */
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

/** Who works on a project, and in which role. */
export const TeamAssignmentSchema = Type.Object(
  { id: Id, projectId: Id, memberId: Type.String(), role: Type.String(), ...timestamps },
  { $id: 'TeamAssignment' },
)
export type TeamAssignment = Static<typeof TeamAssignmentSchema>

/** A phase of a project; clients may add further keys. */
const Phase = Type.Object({ name: Type.String() }, { additionalProperties: true })

/** The fields of a project itself, without its relations. */
const projectFields = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  type: Type.String({ examples: ['technical', 'business', 'custom'] }),
  status: Type.String({ examples: ['backlog', 'active', 'completed', 'archived'] }),
  phase: Type.String({ description: 'Name of the current phase' }),
  phaseConfig: JsonArray(Phase, {
    description: 'The phase sequence: objects with a `name`, which may carry further keys',
    examples: [[{ name: 'Planning' }, { name: 'In Progress' }, { name: 'Complete' }]],
  }),
  health: Type.String({ examples: ['on-track', 'at-risk', 'blocked'] }),
  nextStep: Type.String(),
  sortOrder: Type.Number(),
  metadata: AnyObject,
  leadId: NullableString,
  teamId: NullableString,
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
    description: 'Only with `expand=people`: the names of all whom it names, by their ids',
    examples: [{ ada: 'Ada Lovelace' }],
  }),
)

/** A project, and the names of people where they are asked for. */
export const ProjectWithPeopleSchema = Type.Object(
  { ...ProjectSchema.properties, people },
  { $id: 'ProjectWithPeople' },
)

/** An item, and the name of its assignee where it is asked for. */
export const KanbanItemWithPeopleSchema = Type.Object(
  { ...Type.Omit(KanbanItemSchema, ['warnings']).properties, people },
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
          'Items that are not dismissed, in columns whose stage is `todo` or `doing`, or that the board does not have',
        examples: [4],
      }),
      done: Type.Integer({
        description: 'Items that are not dismissed, in columns whose stage is `done`',
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
          'Items by the name of their column, dismissed ones too: every column of the board, in order',
        examples: [{ 'To Do': 3, 'In Progress': 1, Review: 0, Done: 7 }],
      }),
    }),
  },
  { $id: 'ProjectSummary' },
)
export type ProjectSummary = Static<typeof ProjectSummarySchema>

/** A list of projects, whole. */
export const ProjectListSchema = Type.Array(ref(ProjectSchema), {
  $id: 'ProjectList',
  description: 'Projects with all that belongs to them: the list without `view`',
})

/** A list of projects with `view=summary`. */
export const ProjectSummaryListSchema = Type.Array(ref(ProjectSummarySchema), {
  $id: 'ProjectSummaryList',
  description: 'Projects with the numbers of what belongs to them: the list with `view=summary`',
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

/** What a search finds. */
export const SEARCH_KINDS = [
  'project',
  'kanban-item',
  'kanban-comment',
  'transcript-summary',
  'personal-idea',
] as const

/** A record that a search has found. */
export const SearchResultSchema = Type.Object(
  {
    kind: Type.Unsafe<(typeof SEARCH_KINDS)[number]>({ type: 'string', enum: [...SEARCH_KINDS] }),
    id: Id,
    projectId: Nullable(
      Type.String({ description: 'Where the record is now; of a project its own id, null for an idea' }),
    ),
    title: Type.String({ description: "Of a project its name, of a comment its item's title" }),
    snippet: Type.String({
      description:
        'Text around what was found, with `**` before and after each match and `…` where more was left out. Plain text as users wrote it: neither HTML nor escaped for it',
      examples: ['… before the next **engine** **test** we should …'],
    }),
  },
  { $id: 'SearchResult' },
)
export type SearchResult = Static<typeof SearchResultSchema>

/** The roles of members. A closed set. */
export const ROLES = ['admin', 'member', 'viewer'] as const
export const RoleSchema = Type.Unsafe<(typeof ROLES)[number]>({ type: 'string', enum: [...ROLES] })

/** The member a request acts for. */
export const CurrentMemberSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    email: Nullable(Type.String({ description: 'null for a member who is no row in this service' })),
    role: RoleSchema,
  },
  { $id: 'CurrentMember' },
)
export type CurrentMember = Static<typeof CurrentMemberSchema>

/** Who has signed in, and until when. */
export const SignedInSchema = Type.Object({ member: ref(CurrentMemberSchema), expiresAt: Timestamp })

/** Who can sign in. Never contains anything of the password. */
export const MemberSchema = Type.Object(
  {
    id: Id,
    name: Type.String(),
    email: Type.String({ description: 'Unique, whatever its case' }),
    role: RoleSchema,
    disabled: Type.Boolean({
      description: 'Whether sign-ins, sessions and tokens of the member are refused',
    }),
    ...timestamps,
  },
  { $id: 'Member' },
)
export type Member = Static<typeof MemberSchema>

/** What people are: members, people of the host application, and those that imported boards name. A closed set. */
export const PERSON_KINDS = ['member', 'host', 'import'] as const

/** Who has a name here, whether a member or not. */
export const PersonSchema = Type.Object(
  {
    id: Type.String({
      description: 'What records hold in `assigneeId`, `leadId`, `authorId`, `memberId` and `actorId`',
    }),
    name: Type.String(),
    kind: Type.Unsafe<(typeof PERSON_KINDS)[number]>({
      type: 'string',
      enum: [...PERSON_KINDS],
      description:
        'A member, or who was one; somebody of the application that the service is embedded in; somebody whom an imported board names',
    }),
    source: Type.String({
      description: 'Where an imported board came from; empty for others',
      examples: ['trello', 'csv', ''],
    }),
    sourceId: Type.String({ description: 'What the person is called there; empty for others' }),
    mergedInto: Nullable(
      Type.String({ description: 'The person that this one turned out to be; null for one by itself' }),
    ),
    seenAt: Nullable({
      ...Timestamp,
      description:
        'When the host application named the person last, to the day; null for one that it did not',
    }),
    ...timestamps,
  },
  { $id: 'Person' },
)
export type Person = Static<typeof PersonSchema>

/** How many records of each kind named somebody. */
const MergeCountsSchema = Type.Object({
  kanbanItems: Type.Integer({ description: 'Whose assignee it was' }),
  projects: Type.Integer({ description: 'Whose lead it was' }),
  teamAssignments: Type.Integer({ description: 'Which were ended where the other one had one, too' }),
  kanbanComments: Type.Integer({ description: 'Whose author it was' }),
  personalIdeas: Type.Integer({ description: 'Whose owner it was' }),
})
export type MergeCounts = Static<typeof MergeCountsSchema>

/** What became of a merge. */
export const MergedPersonSchema = Type.Object(
  {
    group: Type.Integer({ description: 'Undo this change to take it back: `POST /api/changes/{seq}/undo`' }),
    person: ref(PersonSchema),
    into: ref(PersonSchema),
    counts: MergeCountsSchema,
  },
  { $id: 'MergedPerson' },
)
export type MergedPerson = Static<typeof MergedPersonSchema>

/** Members under one name. */
export const TeamSchema = Type.Object(
  {
    id: Id,
    name: Type.String(),
    description: Type.String(),
    memberIds: Type.Array(Type.String(), { description: 'In the order of the ids' }),
    ...timestamps,
  },
  { $id: 'Team' },
)
export type Team = Static<typeof TeamSchema>

/** Where a member is signed in. */
export const SessionSchema = Type.Object(
  {
    id: Id,
    current: Type.Boolean({ description: 'Whether it is the one that this request came with' }),
    lastUsedAt: Timestamp,
    expiresAt: Timestamp,
    ...timestamps,
  },
  { $id: 'Session' },
)
export type Session = Static<typeof SessionSchema>

/** What a token opens: what its member may read, what it may do, or the calendar alone. */
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
      description: 'The secret, for `Authorization: Bearer`. Shown this once and not kept',
      examples: ['pbt_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2s'],
    }),
  },
  { $id: 'NewToken' },
)
export type NewToken = Static<typeof NewTokenSchema>

/** What a one-time link is for. */
const LinkKindSchema = Type.Unsafe<'password' | 'invitation'>({
  type: 'string',
  enum: ['password', 'invitation'],
  description: 'Whether it sets the password of a member, or makes a member',
})

const linkDetails = {
  kind: LinkKindSchema,
  name: Nullable(
    Type.String({
      description: 'Of the member, or as whoever made the invitation has suggested; null for none',
    }),
  ),
  email: Nullable(
    Type.String({
      description: 'Of the member, as it is or will be; null where whoever is invited gives one',
    }),
  ),
  role: RoleSchema,
  expiresAt: Timestamp,
}

/** What whoever has a one-time link may know of it. */
export const LinkDetailsSchema = Type.Object(linkDetails, { $id: 'LinkDetails' })
export type LinkDetails = Static<typeof LinkDetailsSchema>

/** A one-time link, without the secret itself. */
export const MemberLinkSchema = Type.Object(
  {
    id: Id,
    memberId: Nullable(Type.String({ description: 'Whose password it sets; null for an invitation' })),
    ...linkDetails,
    createdBy: Nullable(Type.String({ description: 'The admin who made it; null for the command line' })),
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
      description: 'The secret. Shown this once and not kept',
      examples: ['pbl_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2s'],
    }),
    url: Type.String({
      description: 'Where it is used, with the token in its fragment',
      examples: ['https://board.example/link#pbl_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCB0b2s'],
    }),
  },
  { $id: 'NewMemberLink' },
)
export type NewMemberLink = Static<typeof NewMemberLinkSchema>

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
          'Who acted; null for whoever was not recognised, for the command line and for the service itself',
      }),
    ),
    actor: Nullable(
      Type.String({
        description:
          'The name of who acted, as it was then; `command line` or `service` where `actorId` is null; null for whoever was not recognised',
        examples: ['Ada Lovelace', 'command line', 'service'],
      }),
    ),
    subjectId: Nullable(
      Type.String({
        description: 'What was acted on: a member, session, token, one-time link, team, project or webhook',
      }),
    ),
    subject: Nullable(
      Type.String({
        description:
          'The name of what was acted on, as it was then; of a session, token or link the name of its member',
      }),
    ),
    address: Nullable(Type.String({ description: 'Where the request came from; null for the command line' })),
    metadata: AnyObject,
    createdAt: Timestamp,
  },
  { $id: 'AuditEntry' },
)

const ChangedFields = (description: string) =>
  Nullable(Type.Unsafe<Record<string, unknown>>({ ...AnyObject, description }))

/** Who acts without being a member. */
const NoMember = Type.Optional(
  Type.Unsafe<'command line' | 'service' | 'another tool'>({
    type: 'string',
    enum: ['command line', 'service', 'another tool'],
    description:
      'Only where `actorId` is null: a command, the service itself, or another tool that writes to the database file',
  }),
)

/** One change of one record, as the sequence of changes tells it. */
export const ChangeSchema = Type.Object(
  {
    seq: Type.Integer({ description: 'Its place in the sequence: ascending, never used twice' }),
    at: Timestamp,
    actorId: Nullable(Type.String({ description: 'The member who made it; null for who is none: `actor`' })),
    actor: NoMember,
    group: Type.Integer({ description: 'The same for all changes of one write: the `seq` of its first' }),
    kind: Type.String({ examples: ['kanban-item', 'project', 'kanban-comment'] }),
    id: Type.String({ description: "The record's id; of an item's label `<itemId>:<labelId>`" }),
    projectId: Nullable(Type.String()),
    itemId: Nullable(Type.String()),
    action: Type.Unsafe<'created' | 'updated' | 'deleted'>({
      type: 'string',
      enum: ['created', 'updated', 'deleted'],
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

/** What a webhook is sent. */
export const WebhookEventSchema = Type.Object(
  {
    type: Type.String({ description: '`<kind>.<action>`', examples: ['kanban-item.updated'] }),
    timestamp: Type.String({ format: 'date-time', description: 'When the change was made' }),
    data: ref(ChangeSchema),
  },
  { $id: 'WebhookEvent' },
)

/** Who is told of changes over HTTP. */
export const WebhookSchema = Type.Object(
  {
    id: Id,
    url: Type.String({ examples: ['https://example.org/hooks/phaseboard'] }),
    description: Type.String(),
    projectId: Nullable(Type.String({ description: 'Whose changes are sent; null for those of all' })),
    kinds: Type.Array(Type.String(), { description: 'Which kinds of changes are sent; empty for all' }),
    active: Type.Boolean({ description: 'Whether changes are sent; false after too many failures, too' }),
    after: Type.Integer({ description: 'The change up to which all is delivered' }),
    failingSince: Nullable({
      ...Timestamp,
      description: 'Since when the next delivery fails; null where it does not',
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
      description: 'What deliveries are signed with. Shown this once',
      examples: ['whsec_Zm9yIGV4YW1wbGUgb25seSwgbm90IGEgcmVhbCBzZWM='],
    }),
  },
  { $id: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecretSchema>

/** An attempt to deliver a change. */
export const WebhookDeliverySchema = Type.Object(
  {
    id: Type.String(),
    webhookId: Id,
    seq: Nullable(Type.Integer({ description: 'The change; null for a test' })),
    status: Nullable(Type.Integer({ description: "The answer's status; null where there was none" })),
    error: Nullable(Type.String({ description: 'Why it failed; null where it did not' })),
    response: Type.String({ description: "The beginning of the answer's body, at most 1 KiB" }),
    duration: Type.Integer({ description: 'Milliseconds that it took' }),
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

/** By what a person of an imported board was found here. */
export const MATCHES = ['map', 'id', 'email', 'name'] as const
export type Match = (typeof MATCHES)[number]

/** A person of an imported board. */
export const ImportedPersonSchema = Type.Object(
  {
    id: Type.String({
      description:
        'What the other tool calls it, as `map` takes it; of somebody who was not found, the id of the person that stands for it here',
    }),
    name: Type.String(),
    matched: Type.Unsafe<Match | null>({
      type: ['string', 'null'],
      enum: [...MATCHES, null],
      description:
        'By what it was found: somebody has said so (by `map`, or by merging it after an earlier import), the id in a table of a Phaseboard, the email, or the name; null where it was not',
    }),
    memberId: Nullable(
      Type.String({
        description: 'The member that it is, or the other person; null where it stands for itself',
      }),
    ),
    items: Type.Integer({ description: 'Items that are assigned to it' }),
    comments: Type.Integer({ description: 'Comments of its' }),
  },
  { $id: 'ImportedPerson', description: 'Somebody whom an imported board names' },
)
export type ImportedPerson = Static<typeof ImportedPersonSchema>

/** How far an import has come. */
export const ImportSchema = Type.Object(
  {
    id: Id,
    format: Type.String(),
    status: ImportStatus,
    done: Type.Integer({
      description: 'Records that are written; of an archive, half of those that are checked',
    }),
    total: Type.Integer({ description: 'Records to write; 0 before the file is read' }),
    projectId: Type.Optional(Type.String({ description: 'The project that it made, once it is done' })),
    counts: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description: 'What was made; of a dry run, what would be',
      }),
    ),
    notes: Type.Optional(
      Type.Array(Type.String(), { description: 'What could not be taken over as it was, in lines' }),
    ),
    people: Type.Optional(
      Type.Array(ref(ImportedPersonSchema), {
        description:
          'Whom its cards and comments name, and who they are here: at most 500, `counts.people` is how many there are. Not in lists, and not of archives',
      }),
    ),
    error: Type.Optional(Type.String({ description: 'Why it failed: then nothing has changed' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Import' },
)
export type Import = Static<typeof ImportSchema>

/** What an undo did. */
export const UndoneSchema = Type.Object(
  {
    group: Nullable(Type.Integer({ description: 'The group of its own changes; null where it made none' })),
    changes: Type.Array(ref(ChangeSchema), { description: 'The first 1,000 of the changes that it made' }),
  },
  { $id: 'Undone' },
)

/** A deleted project or item that can come back. */
export const TrashEntrySchema = Type.Object(
  {
    seq: Type.Integer({ description: 'The change that deleted it: undo that' }),
    kind: Type.Unsafe<'project' | 'kanban-item'>({ type: 'string', enum: ['project', 'kanban-item'] }),
    id: Id,
    title: Type.String({ description: 'Of a project its name' }),
    projectId: Nullable(Type.String({ description: 'Of a project its own id' })),
    at: Timestamp,
    actorId: Nullable(
      Type.String({ description: 'The member who deleted it; null for who is none: `actor`' }),
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
  ChangedSinceBody,
  Success,
  KanbanSubtaskSchema,
  KanbanLabelSchema,
  KanbanItemSchema,
  KanbanItemWithPeopleSchema,
  KanbanActivitySchema,
  KanbanCommentSchema,
  KanbanColumnSchema,
  TranscriptSummarySchema,
  IngestedTranscriptSchema,
  MetricSchema,
  ObjectiveSchema,
  TeamAssignmentSchema,
  ProjectSchema,
  ProjectWithPeopleSchema,
  ProjectSummarySchema,
  ProjectListSchema,
  ProjectSummaryListSchema,
  PersonalIdeaSchema,
  PersonalIdeaListSchema,
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
  AuditEntrySchema,
  ChangeSchema,
  WebhookEventSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
  WebhookDeliverySchema,
  ImportStartedSchema,
  ImportedPersonSchema,
  ImportSchema,
  UndoneSchema,
  TrashEntrySchema,
  FlowSchema,
]

/** The records that reading one of these again shows: what has a secret besides, which is shown once. By their `$ref`. */
export const SHOWN_ONCE: ReadonlyMap<string, TSchema> = new Map<string, TSchema>([
  [ref(NewTokenSchema).$ref, TokenSchema],
  [ref(NewMemberLinkSchema).$ref, MemberLinkSchema],
  [ref(WebhookWithSecretSchema).$ref, WebhookSchema],
])
