/** Made from the OpenAPI document by `npm run client:types`. */
import type { BytesIn, BytesOut } from './types.d.ts'

/** JSON-RPC 2.0 */
export interface JsonRpcError {
  jsonrpc: '2.0'
  error: {
    code: number
    message: string
    [key: string]: unknown
  }
  /** Of the message; null where it is not known */
  id: string | number | null
}

export interface BatchError {
  /** What went wrong, in one line */
  error: string
  /** With what the failed request is answered beside it */
  details?: {
    /** Which request failed, from 0 */
    request?: number
    [key: string]: unknown
  }
}

export interface ErrorResponse {
  /** What went wrong, in one line */
  error: string
}

export interface ValidationError {
  error: string
  details: {
    /** What is wrong with the body as a whole */
    formErrors: string[]
    /** What is wrong, by top-level field */
    fieldErrors: {
      [key: string]: string[]
    }
  }
}

export interface MissingError {
  error: string
  /** Where the request body names what is not there; absent where its path does */
  details?: {
    /** The ids that name nothing */
    missing: string[]
  }
}

export interface Problem {
  /** A URI. Identifies the code: a section of the documentation */
  type: string
  /** What went wrong, in one line: the `error` of other answers */
  title: string
  /** The status of the answer */
  status: number
  /** What went wrong, for programs:  - `admin_required`: only an admin may do this - `already_assigned`: the member is already assigned to the project - `already_done`: a request with this Idempotency-Key has already succeeded, and its response is not stored - `already_promoted`: the idea is already a project - `authentication_required`: the request has no valid credential - `bad_request`: the request is malformed - `behind_proxy`: in open mode: the request came through a proxy and carries no credential - `changed_since`: records have changed since the write to undo: `details.conflicts` - `changes_gone`: the changes are no longer stored: `details.oldest` - `claimed`: another member has claimed the item - `column_has_items`: the column still has items - `conflict`: the current state does not allow the request - `cross_origin`: a page of another origin sent the request, with the credentials of the browser - `database_busy`: the write waited too long for other writes: nothing was written - `email_taken`: another member has the email - `forbidden`: the caller may not do this - `foreign_host`: in open mode on a loopback address: the host name is neither local nor in CORS_ORIGIN - `headers_too_large`: the headers are too large - `idempotency_key_reused`: the Idempotency-Key was used for another request - `internal_error`: the service failed: nothing was written - `invalid_credentials`: the email or the password is wrong - `invalid_link`: the one-time link was used, has expired or was revoked - `is_member`: the person is a member - `last_admin`: the service would have no admin left - `limit_reached`: there are already as many as the limit allows - `member_disabled`: the member is disabled - `method_not_allowed`: the path does not support the method - `name_taken`: another record has the name - `no_account`: no member has this account of the sign-in provider - `no_column`: the board has no column - `not_claimed`: the item is not claimed - `not_found`: the record or path does not exist, or the caller may not see it: perhaps `details.missing` - `not_json`: the body is not JSON - `not_owner`: the record belongs to another member - `precondition_failed`: `If-Match` or `If-None-Match` did not hold: nothing was written - `provider_unavailable`: the sign-in provider does not respond - `rate_limited`: the client has sent too many requests in a minute - `read_only_role`: the member's role is read-only - `read_only_token`: the token is read-only - `request_failed`: any other error - `session_required`: the request needs a session, not a token - `sign_in_failed`: the sign-in with the provider failed - `sign_in_refused`: the provider refused the sign-in - `too_large`: the request or its response is too large - `too_many_at_once`: the caller has too many requests in progress - `too_many_sign_ins`: too many sign-ins have failed - `too_many_streams`: too many streams are open - `took_too_long`: the request took too long - `unavailable`: the service cannot handle the request at the moment: nothing was written - `validation_failed`: fields or parameters are invalid: `details` - `wip_limit_reached`: the column is at its WIP limit */
  code:
    | 'admin_required'
    | 'already_assigned'
    | 'already_done'
    | 'already_promoted'
    | 'authentication_required'
    | 'bad_request'
    | 'behind_proxy'
    | 'changed_since'
    | 'changes_gone'
    | 'claimed'
    | 'column_has_items'
    | 'conflict'
    | 'cross_origin'
    | 'database_busy'
    | 'email_taken'
    | 'forbidden'
    | 'foreign_host'
    | 'headers_too_large'
    | 'idempotency_key_reused'
    | 'internal_error'
    | 'invalid_credentials'
    | 'invalid_link'
    | 'is_member'
    | 'last_admin'
    | 'limit_reached'
    | 'member_disabled'
    | 'method_not_allowed'
    | 'name_taken'
    | 'no_account'
    | 'no_column'
    | 'not_claimed'
    | 'not_found'
    | 'not_json'
    | 'not_owner'
    | 'precondition_failed'
    | 'provider_unavailable'
    | 'rate_limited'
    | 'read_only_role'
    | 'read_only_token'
    | 'request_failed'
    | 'session_required'
    | 'sign_in_failed'
    | 'sign_in_refused'
    | 'too_large'
    | 'too_many_at_once'
    | 'too_many_sign_ins'
    | 'too_many_streams'
    | 'took_too_long'
    | 'unavailable'
    | 'validation_failed'
    | 'wip_limit_reached'
  /** As in other answers */
  details?: {
    [key: string]: unknown
  }
}

export interface GoneError {
  error: string
  details: {
    /** The oldest change that is kept */
    oldest: number
  }
}

export interface ChangedSince {
  error: string
  /** Absent where it was done before (`Already done`) */
  details?: {
    /** What stands in the way; the first 100 */
    conflicts: {
      kind: string
      id: string
      /** Absent where it is the record itself */
      field?: string
    }[]
  }
}

export interface Success {
  success: true
}

export interface KanbanSubtask {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  itemId: string
  title: string
  completed: boolean
  sortOrder: number
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface KanbanLabel {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  name: string
  color: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface KanbanItem {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  title: string
  description: string
  column: string
  sortOrder: number
  priority: string
  assigneeId: string | null
  /** ISO 8601 in UTC with milliseconds */
  dueDate: string | null
  source: string
  sourceId: string
  isNew: boolean
  approved: boolean
  dismissed: boolean
  metadata: {
    [key: string]: unknown
  }
  /** Until when the assignee, who has claimed it, holds it; null where nobody has */
  claimedUntil: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  labels: KanbanLabel[]
  subtasks: KanbanSubtask[]
  /** Only in the answer to a change that brought a column above its WIP limit */
  warnings?: string[]
}

export interface KanbanItemWithPeople {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  title: string
  description: string
  column: string
  sortOrder: number
  priority: string
  assigneeId: string | null
  /** ISO 8601 in UTC with milliseconds */
  dueDate: string | null
  source: string
  sourceId: string
  isNew: boolean
  approved: boolean
  dismissed: boolean
  metadata: {
    [key: string]: unknown
  }
  /** Until when the assignee, who has claimed it, holds it; null where nobody has */
  claimedUntil: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  labels: KanbanLabel[]
  subtasks: KanbanSubtask[]
  /** Only with `expand=people`: the names of all whom it names, by their ids */
  people?: {
    [key: string]: string
  }
}

export interface KanbanActivity {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  itemId: string
  type: string
  content: string
  /** `from` and `to`: the value before and after, as strings; empty for none */
  metadata: {
    [key: string]: unknown
  }
  /** The member who made the change */
  actorId: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface KanbanComment {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  itemId: string
  authorId: string
  content: string
  /** ISO 8601 in UTC with milliseconds */
  editedAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface KanbanColumn {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  name: string
  color: string
  sortOrder: number
  /** Items that are not dismissed it should hold at most; 0 is no limit */
  wipLimit: number
  /** What happens above the limit */
  wipPolicy: string
  /** The stage of work that counts: what was said, else by the place on the board */
  stage: 'todo' | 'doing' | 'done'
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface TranscriptSummary {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  title: string
  /** ISO 8601 in UTC with milliseconds */
  date: string
  summary: string
  participants: string[]
  /** Strings or objects */
  actionItems: (
    | string
    | {
        [key: string]: unknown
      }
  )[]
  sourceFile: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface IngestedTranscript {
  transcript: TranscriptSummary
  /** One for each action item, in the order of the request */
  kanbanItems: KanbanItem[]
}

export interface Metric {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  name: string
  value: number
  unit: string
  category: string
  trend: string
  /** Former values, oldest first, each with the time it was replaced; or whatever array a client has written */
  history: unknown[]
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Objective {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  title: string
  description: string
  status: string
  sortOrder: number
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface TeamAssignment {
  /** UUIDv7, made by the server */
  id: string
  /** UUIDv7, made by the server */
  projectId: string
  memberId: string
  role: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Project {
  /** UUIDv7, made by the server */
  id: string
  name: string
  description: string
  type: string
  status: string
  /** Name of the current phase */
  phase: string
  /** The phase sequence: objects with a `name`, which may carry further keys */
  phaseConfig: {
    name: string
    [key: string]: unknown
  }[]
  health: string
  nextStep: string
  sortOrder: number
  metadata: {
    [key: string]: unknown
  }
  leadId: string | null
  teamId: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  /** All items, dismissed ones too, by sortOrder */
  kanbanItems: KanbanItem[]
  transcriptSummaries: TranscriptSummary[]
  metrics: Metric[]
  objectives: Objective[]
  teamAssignments: TeamAssignment[]
}

export interface ProjectWithPeople {
  /** UUIDv7, made by the server */
  id: string
  name: string
  description: string
  type: string
  status: string
  /** Name of the current phase */
  phase: string
  /** The phase sequence: objects with a `name`, which may carry further keys */
  phaseConfig: {
    name: string
    [key: string]: unknown
  }[]
  health: string
  nextStep: string
  sortOrder: number
  metadata: {
    [key: string]: unknown
  }
  leadId: string | null
  teamId: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  /** All items, dismissed ones too, by sortOrder */
  kanbanItems: KanbanItem[]
  transcriptSummaries: TranscriptSummary[]
  metrics: Metric[]
  objectives: Objective[]
  teamAssignments: TeamAssignment[]
  /** Only with `expand=people`: the names of all whom it names, by their ids */
  people?: {
    [key: string]: string
  }
}

export interface ProjectSummary {
  /** UUIDv7, made by the server */
  id: string
  name: string
  description: string
  type: string
  status: string
  /** Name of the current phase */
  phase: string
  /** The phase sequence: objects with a `name`, which may carry further keys */
  phaseConfig: {
    name: string
    [key: string]: unknown
  }[]
  health: string
  nextStep: string
  sortOrder: number
  metadata: {
    [key: string]: unknown
  }
  leadId: string | null
  teamId: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  counts: {
    /** All items, dismissed ones too */
    kanbanItems: number
    /** Items that are not dismissed, in columns whose stage is `todo` or `doing`, or that the board does not have */
    open: number
    /** Items that are not dismissed, in columns whose stage is `done` */
    done: number
    transcriptSummaries: number
    metrics: number
    objectives: number
    teamAssignments: number
    /** Items by the name of their column, dismissed ones too: every column of the board, in order */
    columns: {
      [key: string]: number
    }
  }
}

/** Projects with all that belongs to them: the list without `view` */
export type ProjectList = Project[]

/** Projects with the numbers of what belongs to them: the list with `view=summary` */
export type ProjectSummaryList = ProjectSummary[]

export interface PersonalIdea {
  /** UUIDv7, made by the server */
  id: string
  ownerId: string
  title: string
  description: string
  priority: string
  status: string
  sortOrder: number
  promotedProjectId: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

/** Personal ideas, by sortOrder */
export type PersonalIdeaList = PersonalIdea[]

export interface SearchResult {
  kind: 'project' | 'kanban-item' | 'kanban-comment' | 'transcript-summary' | 'personal-idea'
  /** UUIDv7, made by the server */
  id: string
  /** Where the record is now; of a project its own id, null for an idea */
  projectId: string | null
  /** Of a project its name, of a comment its item's title */
  title: string
  /** Text around what was found, with `**` before and after each match and `…` where more was left out. Plain text as users wrote it: neither HTML nor escaped for it */
  snippet: string
}

export interface CurrentMember {
  id: string
  name: string
  /** null for a member who is no row in this service */
  email: string | null
  role: 'admin' | 'member' | 'viewer'
}

export interface Member {
  /** UUIDv7, made by the server */
  id: string
  name: string
  /** Unique, whatever its case */
  email: string
  role: 'admin' | 'member' | 'viewer'
  /** Whether sign-ins, sessions and tokens of the member are refused */
  disabled: boolean
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Person {
  /** What records hold in `assigneeId`, `leadId`, `authorId`, `memberId` and `actorId` */
  id: string
  name: string
  /** A member, or who was one; somebody of the application that the service is embedded in; somebody whom an imported board names */
  kind: 'member' | 'host' | 'import'
  /** Where an imported board came from; empty for others */
  source: string
  /** What the person is called there; empty for others */
  sourceId: string
  /** The person that this one turned out to be; null for one by itself */
  mergedInto: string | null
  /** When the host application named the person last, to the day; null for one that it did not */
  seenAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface MergedPerson {
  /** Undo this change to take it back: `POST /api/changes/{seq}/undo` */
  group: number
  person: Person
  into: Person
  counts: {
    /** Whose assignee it was */
    kanbanItems: number
    /** Whose lead it was */
    projects: number
    /** Which were ended where the other one had one, too */
    teamAssignments: number
    /** Whose author it was */
    kanbanComments: number
    /** Whose owner it was */
    personalIdeas: number
  }
}

export interface Team {
  /** UUIDv7, made by the server */
  id: string
  name: string
  description: string
  /** In the order of the ids */
  memberIds: string[]
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Session {
  /** UUIDv7, made by the server */
  id: string
  /** Whether it is the one that this request came with */
  current: boolean
  /** ISO 8601 in UTC with milliseconds */
  lastUsedAt: string
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Token {
  /** UUIDv7, made by the server */
  id: string
  memberId: string
  name: string
  scope: 'read' | 'write' | 'calendar'
  /** ISO 8601 in UTC with milliseconds */
  lastUsedAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface NewToken {
  /** UUIDv7, made by the server */
  id: string
  memberId: string
  name: string
  scope: 'read' | 'write' | 'calendar'
  /** ISO 8601 in UTC with milliseconds */
  lastUsedAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** The secret, for `Authorization: Bearer`. Shown this once and not kept */
  token: string
}

export interface LinkDetails {
  /** Whether it sets the password of a member, or makes a member */
  kind: 'password' | 'invitation'
  /** Of the member, or as whoever made the invitation has suggested; null for none */
  name: string | null
  /** Of the member, as it is or will be; null where whoever is invited gives one */
  email: string | null
  role: 'admin' | 'member' | 'viewer'
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string
}

export interface MemberLink {
  /** UUIDv7, made by the server */
  id: string
  /** Whose password it sets; null for an invitation */
  memberId: string | null
  /** Whether it sets the password of a member, or makes a member */
  kind: 'password' | 'invitation'
  /** Of the member, or as whoever made the invitation has suggested; null for none */
  name: string | null
  /** Of the member, as it is or will be; null where whoever is invited gives one */
  email: string | null
  role: 'admin' | 'member' | 'viewer'
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string
  /** The admin who made it; null for the command line */
  createdBy: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface NewMemberLink {
  /** UUIDv7, made by the server */
  id: string
  /** Whose password it sets; null for an invitation */
  memberId: string | null
  /** Whether it sets the password of a member, or makes a member */
  kind: 'password' | 'invitation'
  /** Of the member, or as whoever made the invitation has suggested; null for none */
  name: string | null
  /** Of the member, as it is or will be; null where whoever is invited gives one */
  email: string | null
  role: 'admin' | 'member' | 'viewer'
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string
  /** The admin who made it; null for the command line */
  createdBy: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** The secret. Shown this once and not kept */
  token: string
  /** Where it is used, with the token in its fragment */
  url: string
}

export interface AuditEntry {
  /** UUIDv7, made by the server */
  id: string
  action: string
  /** Who acted; null for whoever was not recognised, for the command line and for the service itself */
  actorId: string | null
  /** The name of who acted, as it was then; `command line` or `service` where `actorId` is null; null for whoever was not recognised */
  actor: string | null
  /** What was acted on: a member, session, token, one-time link, team, project or webhook */
  subjectId: string | null
  /** The name of what was acted on, as it was then; of a session, token or link the name of its member */
  subject: string | null
  /** Where the request came from; null for the command line */
  address: string | null
  metadata: {
    [key: string]: unknown
  }
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface Change {
  /** Its place in the sequence: ascending, never used twice */
  seq: number
  /** ISO 8601 in UTC with milliseconds */
  at: string
  /** The member who made it; null for who is none: `actor` */
  actorId: string | null
  /** Only where `actorId` is null: a command, the service itself, or another tool that writes to the database file */
  actor?: 'command line' | 'service' | 'another tool'
  /** The same for all changes of one write: the `seq` of its first */
  group: number
  kind: string
  /** The record's id; of an item's label `<itemId>:<labelId>` */
  id: string
  projectId: string | null
  itemId: string | null
  action: 'created' | 'updated' | 'deleted'
  /** All fields of a deleted record, the former values of the changed fields of an updated one; null for a created one */
  before: {
    [key: string]: unknown
  } | null
  /** All fields of a created record, the changed fields of an updated one; null for a deleted one */
  after: {
    [key: string]: unknown
  } | null
}

export interface WebhookEvent {
  /** `<kind>.<action>` */
  type: string
  /** When the change was made */
  timestamp: string
  data: Change
}

export interface Webhook {
  /** UUIDv7, made by the server */
  id: string
  url: string
  description: string
  /** Whose changes are sent; null for those of all */
  projectId: string | null
  /** Which kinds of changes are sent; empty for all */
  kinds: string[]
  /** Whether changes are sent; false after too many failures, too */
  active: boolean
  /** The change up to which all is delivered */
  after: number
  /** Since when the next delivery fails; null where it does not */
  failingSince: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface WebhookWithSecret {
  /** UUIDv7, made by the server */
  id: string
  url: string
  description: string
  /** Whose changes are sent; null for those of all */
  projectId: string | null
  /** Which kinds of changes are sent; empty for all */
  kinds: string[]
  /** Whether changes are sent; false after too many failures, too */
  active: boolean
  /** The change up to which all is delivered */
  after: number
  /** Since when the next delivery fails; null where it does not */
  failingSince: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  /** What deliveries are signed with. Shown this once */
  secret: string
}

export interface WebhookDelivery {
  id: string
  /** UUIDv7, made by the server */
  webhookId: string
  /** The change; null for a test */
  seq: number | null
  /** The answer's status; null where there was none */
  status: number | null
  /** Why it failed; null where it did not */
  error: string | null
  /** The beginning of the answer's body, at most 1 KiB */
  response: string
  /** Milliseconds that it took */
  duration: number
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

/** An import that has begun */
export interface ImportStarted {
  /** UUIDv7, made by the server */
  id: string
  status: 'waiting' | 'reading' | 'writing' | 'done' | 'failed'
}

/** Somebody whom an imported board names */
export interface ImportedPerson {
  /** What the other tool calls it, as `map` takes it; of somebody who was not found, the id of the person that stands for it here */
  id: string
  name: string
  /** By what it was found: somebody has said so (by `map`, or by merging it after an earlier import), the id in a table of a Phaseboard, the email, or the name; null where it was not */
  matched: 'map' | 'id' | 'email' | 'name' | null
  /** The member that it is, or the other person; null where it stands for itself */
  memberId: string | null
  /** Items that are assigned to it */
  items: number
  /** Comments of its */
  comments: number
}

export interface Import {
  /** UUIDv7, made by the server */
  id: string
  format: string
  status: 'waiting' | 'reading' | 'writing' | 'done' | 'failed'
  /** Records that are written; of an archive, half of those that are checked */
  done: number
  /** Records to write; 0 before the file is read */
  total: number
  /** The project that it made, once it is done */
  projectId?: string
  /** What was made; of a dry run, what would be */
  counts?: {
    [key: string]: number
  }
  /** What could not be taken over as it was, in lines */
  notes?: string[]
  /** Whom its cards and comments name, and who they are here: at most 500, `counts.people` is how many there are. Not in lists, and not of archives */
  people?: ImportedPerson[]
  /** Why it failed: then nothing has changed */
  error?: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Undone {
  /** The group of its own changes; null where it made none */
  group: number | null
  /** The first 1,000 of the changes that it made */
  changes: Change[]
}

export interface TrashEntry {
  /** The change that deleted it: undo that */
  seq: number
  kind: 'project' | 'kanban-item'
  /** UUIDv7, made by the server */
  id: string
  /** Of a project its name */
  title: string
  /** Of a project its own id */
  projectId: string | null
  /** ISO 8601 in UTC with milliseconds */
  at: string
  /** The member who deleted it; null for who is none: `actor` */
  actorId: string | null
  /** Only where `actorId` is null: a command, the service itself, or another tool that writes to the database file */
  actor?: 'command line' | 'service' | 'another tool'
}

export interface Flow {
  /** First day, in UTC */
  from: string
  /** Last day: all is told as it was known at its end, or is now */
  to: string
  days: {
    /** In UTC */
    date: string
    /** Items that came to the board */
    arrived: number
    /** Items that were finished */
    finished: number
    /** Items in each column at the end of the day, by its present name */
    byColumn: {
      [key: string]: number
    }
  }[]
  cycleTime: {
    /** Items that were finished */
    count: number
    /** Days that 50 % did not exceed; null where there are none */
    p50: number | null
    /** Days that 85 % did not exceed; null where there are none */
    p85: number | null
    /** Days that 95 % did not exceed; null where there are none */
    p95: number | null
    /** In the order in which they were finished */
    items: {
      /** The id of the item */
      id: string
      title: string
      /** When it first entered a doing column, or a done one at once */
      started: string
      /** When it entered the done columns that it is still in */
      finished: string
      /** From one to the other, in days */
      days: number
    }[]
  }
  leadTime: {
    /** Items that were finished */
    count: number
    /** Days that 50 % did not exceed; null where there are none */
    p50: number | null
    /** Days that 85 % did not exceed; null where there are none */
    p85: number | null
    /** Days that 95 % did not exceed; null where there are none */
    p95: number | null
  }
  throughput: {
    perWeek: {
      /** ISO 8601, from Monday */
      week: string
      /** Items that were finished in it, as far as it is in the range */
      finished: number
    }[]
    /** Items finished in seven days */
    mean: number
  }
  /** Of stays that ended with a move to another column */
  timeInColumn: {
    column: string
    /** Days that 50 % did not exceed; null where there are none */
    p50: number | null
    /** Days that 85 % did not exceed; null where there are none */
    p85: number | null
  }[]
  /** Items that are being worked on, the oldest first */
  age: {
    /** The id of the item */
    id: string
    title: string
    column: string
    /** Since it was started, in days */
    days: number
    /** Older than 85 % of the finished ones became */
    above85: boolean
  }[]
  forecast: {
    /** Items on the board that are not done */
    remaining: number
    /** Day by which they were done in 50 % of the runs; null where nothing was finished */
    p50: string | null
    /** Day by which they were done in 85 % of the runs; null where nothing was finished */
    p85: string | null
    /** Day by which they were done in 95 % of the runs; null where nothing was finished */
    p95: string | null
  }
}

export interface SignIn {
  email: string
  password: string
}

export interface CheckLink {
  /** The secret of the link */
  token: string
}

export interface UseLink {
  /** The secret of the link */
  token: string
  password: string
  name?: string
  /** Unique, whatever its case */
  email?: string
}

export interface CreateToken {
  name: string
  /** What it opens: what its member may read; what its member may change, too; or the calendar and nothing else */
  scope?: 'read' | 'write' | 'calendar'
  /** In the future; null or absent: never */
  expiresAt?: string | null
}

export interface CreateTeam {
  name: string
  description?: string
  /** Who is in the team, of whatever system keeps the members. Replaces who was */
  memberIds?: string[]
}

export interface UpdateTeam {
  name?: string
  description?: string
  /** Who is in the team, of whatever system keeps the members. Replaces who was */
  memberIds?: string[]
}

export interface CreateMember {
  name: string
  /** Unique, whatever its case */
  email: string
  role?: 'admin' | 'member' | 'viewer'
  password?: string
}

export interface UpdateMember {
  name?: string
  /** Unique, whatever its case */
  email?: string
  role?: 'admin' | 'member' | 'viewer'
  disabled?: boolean
  password?: string
  /** Needed to change the own password */
  currentPassword?: string
}

export interface MergePerson {
  /** The id of the member or person whom everything names then */
  into: string
}

export interface CreateInvitation {
  name?: string
  /** Unique, whatever its case */
  email?: string
  role: 'admin' | 'member' | 'viewer'
}

export interface CreateProject {
  name: string
  description?: string
  /** Open vocabulary, e.g. technical, business, custom */
  type?: 'technical' | 'business' | 'custom' | (string & {})
  /** Open vocabulary, e.g. backlog, active, completed, archived */
  status?: 'backlog' | 'active' | 'completed' | 'archived' | (string & {})
  /** Name of the current phase; empty counts as absent */
  phase?: string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  phaseConfig?:
    | {
        name: string
        [key: string]: unknown
      }[]
    | string
  /** Open vocabulary, e.g. on-track, at-risk, blocked */
  health?: 'on-track' | 'at-risk' | 'blocked' | (string & {})
  nextStep?: string
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
  /** Plain object or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  metadata?:
    | {
        [key: string]: unknown
      }
    | string
  leadId?: string | null
  teamId?: string | null
}

export interface ReorderProjects {
  /** Each id at most once; at most 1000 */
  items: {
    id: string
    /** Lists are ordered by it, ascending, then by id */
    sortOrder: number
  }[]
}

export interface UpdateProject {
  name?: string
  description?: string
  /** Open vocabulary, e.g. technical, business, custom */
  type?: 'technical' | 'business' | 'custom' | (string & {})
  /** Open vocabulary, e.g. backlog, active, completed, archived */
  status?: 'backlog' | 'active' | 'completed' | 'archived' | (string & {})
  /** Name of the current phase */
  phase?: string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  phaseConfig?:
    | {
        name: string
        [key: string]: unknown
      }[]
    | string
  /** Open vocabulary, e.g. on-track, at-risk, blocked */
  health?: 'on-track' | 'at-risk' | 'blocked' | (string & {})
  nextStep?: string
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
  /** Plain object or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  metadata?:
    | {
        [key: string]: unknown
      }
    | string
  leadId?: string | null
  teamId?: string | null
}

export interface CreateKanbanColumn {
  /** Unique in its project */
  name: string
  color?: string
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
  /** Items that are not dismissed it should hold at most; 0 is no limit */
  wipLimit?: number
  /** Above the limit: answer with `warnings`, or refuse with 409 */
  wipPolicy?: 'warn' | 'block'
  /** What standing there means for the work; null, the default, is by name and place: one named like `done` (or `closed`, `completed`, `erledigt`, ...) is `done`; of the others the first column is `todo`, the last `done`, the rest `doing`, an only one `todo` */
  stage?: 'todo' | 'doing' | 'done' | null
}

export interface ReorderKanbanColumns {
  /** Each id at most once; at most 1000 */
  items: {
    id: string
    /** Lists are ordered by it, ascending, then by id */
    sortOrder: number
  }[]
}

export interface UpdateKanbanColumn {
  /** Unique in its project */
  name?: string
  color?: string
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
  /** Items that are not dismissed it should hold at most; 0 is no limit */
  wipLimit?: number
  /** Above the limit: answer with `warnings`, or refuse with 409 */
  wipPolicy?: 'warn' | 'block'
  /** What standing there means for the work; null, the default, is by name and place: one named like `done` (or `closed`, `completed`, `erledigt`, ...) is `done`; of the others the first column is `todo`, the last `done`, the rest `doing`, an only one `todo` */
  stage?: 'todo' | 'doing' | 'done' | null
}

export interface ClaimKanbanItem {
  /** Name of the column to work off; To Do if absent */
  from?: string
  /** Name of the column that the item is moved to; In Progress if absent */
  to?: string
  /** Id or name of a label that the item has */
  label?: string
  /** Open vocabulary, e.g. low, medium, high, critical */
  priority?: 'low' | 'medium' | 'high' | 'critical' | (string & {})
  /** How long the item is held, unless the claim is renewed; 900 if absent */
  leaseSeconds?: number
}

export interface RenewKanbanClaim {
  /** How long the item is held, unless the claim is renewed; 900 if absent */
  leaseSeconds?: number
}

export interface CreateKanbanItem {
  title: string
  description?: string
  /** Name of a column of the project, e.g. To Do, In Progress, Review, Done */
  column?: string
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
  /** Open vocabulary, e.g. low, medium, high, critical */
  priority?: 'low' | 'medium' | 'high' | 'critical' | (string & {})
  /** A member; `me`: whoever asks; null: nobody */
  assigneeId?: string | null
  dueDate?: string | null | '' | false | 0
  /** Open vocabulary, e.g. manual, transcript, import */
  source?: 'manual' | 'transcript' | 'import' | (string & {})
  sourceId?: string
  isNew?: boolean
  approved?: boolean
  dismissed?: boolean
  /** Plain object or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  metadata?:
    | {
        [key: string]: unknown
      }
    | string
}

export interface UpdateKanbanItems {
  ids: string[]
  update: {
    /** Name of a column of the project, e.g. To Do, In Progress, Review, Done */
    column?: string
    /** A member; `me`: whoever asks; null: nobody */
    assigneeId?: string | null
    /** Open vocabulary, e.g. low, medium, high, critical */
    priority?: 'low' | 'medium' | 'high' | 'critical' | (string & {})
    dueDate?: string | null | '' | false | 0
    approved?: boolean
    dismissed?: boolean
    isNew?: boolean
  }
}

export interface DeleteKanbanItems {
  ids: string[]
}

export interface ReorderKanbanItems {
  /** Each id at most once; at most 1000 */
  items: {
    id: string
    /** Name of a column of the project, e.g. To Do, In Progress, Review, Done */
    column: string
    /** Lists are ordered by it, ascending, then by id */
    sortOrder: number
  }[]
}

export interface UpdateKanbanItem {
  title?: string
  description?: string
  /** Name of a column of the project, e.g. To Do, In Progress, Review, Done */
  column?: string
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
  /** Open vocabulary, e.g. low, medium, high, critical */
  priority?: 'low' | 'medium' | 'high' | 'critical' | (string & {})
  /** A member; `me`: whoever asks; null: nobody */
  assigneeId?: string | null
  dueDate?: string | null | '' | false | 0
  /** Open vocabulary, e.g. manual, transcript, import */
  source?: 'manual' | 'transcript' | 'import' | (string & {})
  sourceId?: string
  isNew?: boolean
  approved?: boolean
  dismissed?: boolean
  /** Plain object or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  metadata?:
    | {
        [key: string]: unknown
      }
    | string
}

/** At most one of `beforeId`, `afterId` and `position`; none of them means the bottom */
export interface MoveKanbanItem {
  /** Name of a column of the project, e.g. To Do, In Progress, Review, Done */
  column?: string
  /** The project to move it into */
  projectId?: string
  /** The id of another item in the target column */
  beforeId?: string
  /** The id of another item in the target column */
  afterId?: string
  /** An end of the column */
  position?: 'top' | 'bottom'
}

export interface CreateKanbanSubtask {
  title: string
  completed?: boolean
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
}

export interface ReorderKanbanSubtasks {
  /** Each id at most once; at most 1000 */
  items: {
    id: string
    /** Lists are ordered by it, ascending, then by id */
    sortOrder: number
  }[]
}

export interface UpdateKanbanSubtask {
  title?: string
  completed?: boolean
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
}

export interface CreateKanbanComment {
  content: string
}

export interface UpdateKanbanComment {
  content?: string
}

export interface CreateKanbanLabel {
  /** Unique in its project */
  name: string
  color?: string
}

export interface UpdateKanbanLabel {
  /** Unique in its project */
  name?: string
  color?: string
}

export interface CreateObjective {
  title: string
  description?: string
  /** Open vocabulary, e.g. not-started, in-progress, completed */
  status?: 'not-started' | 'in-progress' | 'completed' | (string & {})
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
}

export interface UpdateObjective {
  title?: string
  description?: string
  /** Open vocabulary, e.g. not-started, in-progress, completed */
  status?: 'not-started' | 'in-progress' | 'completed' | (string & {})
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
}

export interface CreateMetric {
  name: string
  value: number
  unit?: string
  category?: string
  /** Open vocabulary, e.g. up, down, stable */
  trend?: 'up' | 'down' | 'stable' | (string & {})
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  history?: unknown[] | string
}

export interface UpdateMetric {
  name?: string
  value?: number
  unit?: string
  category?: string
  /** Open vocabulary, e.g. up, down, stable */
  trend?: 'up' | 'down' | 'stable' | (string & {})
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  history?: unknown[] | string
}

export interface CreateTranscriptSummary {
  title: string
  /** ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC) */
  date: string
  summary?: string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  participants?: string[] | string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  actionItems?:
    | (
        | string
        | {
            [key: string]: unknown
          }
      )[]
    | string
  sourceFile?: string
}

export interface UpdateTranscriptSummary {
  title?: string
  /** ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC) */
  date?: string
  summary?: string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  participants?: string[] | string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  actionItems?:
    | (
        | string
        | {
            [key: string]: unknown
          }
      )[]
    | string
  sourceFile?: string
}

export interface CreateTeamAssignment {
  memberId: string
  /** Open vocabulary, e.g. member, lead */
  role?: 'member' | 'lead' | (string & {})
}

export interface ReplaceTeamAssignments {
  /** Each memberId at most once; at most 1000 */
  members: {
    memberId: string
    /** Open vocabulary, e.g. member, lead */
    role?: 'member' | 'lead' | (string & {})
  }[]
  leadId?: string | null
}

export interface UpdateTeamAssignment {
  /** Open vocabulary, e.g. member, lead */
  role?: 'member' | 'lead' | (string & {})
}

export interface IngestTranscript {
  projectId: string
  title: string
  /** ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC) */
  date: string
  summary?: string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  participants?: string[] | string
  /** Plain array or JSON text of one; at most 64 KiB serialised, 100 levels deep */
  actionItems?: string[] | string
  sourceFile?: string
}

export interface IngestMetrics {
  projectId: string
  /** Each name at most once; at most 1000 */
  metrics: {
    name: string
    value: number
    unit?: string
    category?: string
  }[]
}

export type CreateImport = string

export interface CreatePersonalIdea {
  title: string
  description?: string
  /** Open vocabulary, e.g. low, medium, high, critical */
  priority?: 'low' | 'medium' | 'high' | 'critical' | (string & {})
  /** Open vocabulary, e.g. idea, ready, promoted, discarded */
  status?: 'idea' | 'ready' | 'promoted' | 'discarded' | (string & {})
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
}

export interface ReorderPersonalIdeas {
  /** Each id at most once; at most 1000 */
  items: {
    id: string
    /** Lists are ordered by it, ascending, then by id */
    sortOrder: number
  }[]
}

export interface UpdatePersonalIdea {
  title?: string
  description?: string
  /** Open vocabulary, e.g. low, medium, high, critical */
  priority?: 'low' | 'medium' | 'high' | 'critical' | (string & {})
  /** Open vocabulary, e.g. idea, ready, promoted, discarded */
  status?: 'idea' | 'ready' | 'promoted' | 'discarded' | (string & {})
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
}

export interface PromotePersonalIdea {
  teamId?: string | null
}

export interface CreateWebhook {
  /** http or https, without credentials and fragment, at a public address */
  url: string
  description?: string
  /** Whose changes to send; null for those of all */
  projectId?: string | null
  /** Which kinds of changes to send; empty for all. Ideas are never sent */
  kinds?: (
    | 'member'
    | 'team'
    | 'person'
    | 'project'
    | 'kanban-column'
    | 'kanban-label'
    | 'kanban-item'
    | 'kanban-subtask'
    | 'kanban-comment'
    | 'kanban-item-label'
    | 'kanban-activity'
    | 'objective'
    | 'metric'
    | 'transcript-summary'
    | 'team-assignment'
  )[]
  /** `true` also tries a delivery at once that waits to be tried again */
  active?: boolean
}

export interface UpdateWebhook {
  /** http or https, without credentials and fragment, at a public address */
  url?: string
  description?: string
  /** Whose changes to send; null for those of all */
  projectId?: string | null
  /** Which kinds of changes to send; empty for all. Ideas are never sent */
  kinds?: (
    | 'member'
    | 'team'
    | 'person'
    | 'project'
    | 'kanban-column'
    | 'kanban-label'
    | 'kanban-item'
    | 'kanban-subtask'
    | 'kanban-comment'
    | 'kanban-item-label'
    | 'kanban-activity'
    | 'objective'
    | 'metric'
    | 'transcript-summary'
    | 'team-assignment'
  )[]
  /** `true` also tries a delivery at once that waits to be tried again */
  active?: boolean
}

export interface ReplayWebhook {
  /** The change after which to go on */
  after: number
}

export interface RunBatch {
  /** 1 to 200, performed in this order; each `as` at most once */
  requests: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    /** Path and query, from `/api/` on; a value of `{{name.field}}` is percent-encoded */
    path: string
    /** As the route takes it */
    body?: {
      [key: string]: unknown
    }
    /** As the header `If-Match` */
    ifMatch?: string
    /** What later requests call its result */
    as?: string
  }[]
  /** Answer the same, and change nothing */
  dryRun?: boolean
}

/** A JSON-RPC 2.0 message: a request, or a notification */
export type Mcp = unknown

/** What each path's methods take and answer. */
export interface Paths {
  '/healthz': {
    /** The process is alive */
    get: {
      answer: {
        status: 'ok'
      }
    }
  }
  '/readyz': {
    /** The service can do its work */
    get: {
      answer: {
        status: 'ok'
      }
    }
  }
  '/metrics': {
    /** The service's own numbers, for Prometheus */
    get: {
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: string
    }
  }
  '/api/session': {
    /** Sign in */
    post: {
      body: SignIn
      answer: {
        member: CurrentMember
        /** ISO 8601 in UTC with milliseconds */
        expiresAt: string
      }
    }
    /** Who am I */
    get: {
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: {
        member: CurrentMember
        via: 'session' | 'token' | 'proxy' | 'default' | 'host'
      }
    }
    /** Sign out */
    delete: {
      answer: Success
    }
  }
  '/api/session/link/check': {
    /** What a one-time link is for */
    post: {
      body: CheckLink
      answer: LinkDetails
    }
  }
  '/api/session/link': {
    /** Use a one-time link, and sign in */
    post: {
      body: UseLink
      answer: {
        member: CurrentMember
        /** ISO 8601 in UTC with milliseconds */
        expiresAt: string
      }
    }
  }
  '/api/sessions': {
    /** List the current member's sessions */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Session[]
    }
  }
  '/api/sessions/{id}': {
    /** Get one of the current member's sessions */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Session
    }
    /** Revoke one of the current member's sessions */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/tokens': {
    /** List the current member's tokens */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Token[]
    }
    /** Create a token of the current member */
    post: {
      body: CreateToken
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: NewToken
    }
  }
  '/api/tokens/{id}': {
    /** Get one of the current member's tokens */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Token
    }
    /** Revoke a token */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/teams': {
    /** List the teams by id */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Team[]
    }
    /** Create a team */
    post: {
      body: CreateTeam
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Team
    }
  }
  '/api/teams/{id}': {
    /** Get a team */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Team
    }
    /** Change a team */
    patch: {
      path: {
        id: string
      }
      body: UpdateTeam
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Team
    }
    /** Delete a team */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/members': {
    /** List the members by id */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Member[]
    }
    /** Create a member */
    post: {
      body: CreateMember
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Member
    }
  }
  '/api/members/{id}': {
    /** Get a member */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Member
    }
    /** Change a member */
    patch: {
      path: {
        id: string
      }
      body: UpdateMember
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Member
    }
    /** Delete a member */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/people': {
    /** List people by name, or find those of some ids */
    get: {
      query?:
        | {
            /** These people alone, in this order, whether they are listed or not: with commas between them, or given several times; at most 500. Unknown ones are left out, and other parameters do not count */
            ids?: string | string[] | undefined
            /** A part of the name, whatever the case; empty does not filter */
            q?: string | undefined
            /** People of this kind */
            kind?: 'member' | 'host' | 'import' | undefined
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Person[]
    }
  }
  '/api/people/{id}': {
    /** Get a person */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Person
    }
    /** Forget a person */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/people/{id}/merge': {
    /** Merge a person into another */
    post: {
      path: {
        id: string
      }
      body: MergePerson
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: MergedPerson
    }
  }
  '/api/members/{id}/password-link': {
    /** Create a link with which a member sets a new password */
    post: {
      path: {
        id: string
      }
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: NewMemberLink
    }
  }
  '/api/invitations': {
    /** Create a link with which somebody becomes a member */
    post: {
      body: CreateInvitation
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: NewMemberLink
    }
  }
  '/api/member-links': {
    /** List the one-time links that can still be used */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: MemberLink[]
    }
  }
  '/api/member-links/{id}': {
    /** Get a one-time link */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: MemberLink
    }
    /** Revoke a one-time link */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects': {
    /** List projects, by sortOrder or as asked */
    get: {
      query?:
        | {
            /** Exact match; given several times: any of them; empty does not filter */
            status?:
              | 'backlog'
              | 'active'
              | 'completed'
              | 'archived'
              | (string & {})
              | ('backlog' | 'active' | 'completed' | 'archived' | (string & {}))[]
              | undefined
            /** Exact match; given several times: any of them; empty does not filter */
            teamId?: string | string[] | undefined
            /** Exact match; given several times: any of them; empty does not filter */
            leadId?: string | string[] | undefined
            /** Exact match; given several times: any of them; empty does not filter */
            type?:
              | 'technical'
              | 'business'
              | 'custom'
              | (string & {})
              | ('technical' | 'business' | 'custom' | (string & {}))[]
              | undefined
            /** Exact match; given several times: any of them; empty does not filter */
            health?:
              | 'on-track'
              | 'at-risk'
              | 'blocked'
              | (string & {})
              | ('on-track' | 'at-risk' | 'blocked' | (string & {}))[]
              | undefined
            /** Part of the name or the description, whatever the case; empty does not filter */
            q?: string | undefined
            /** Projects with the numbers of what belongs to them, instead of all of it */
            view?: 'summary' | undefined
            /** Changed later than that: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            updatedAfter?: string | undefined
            /** What the list is sorted by, then by id; with `-` descending. What is empty comes last either way. A `cursor` is of one sort; `sortOrder` if absent */
            sort?:
              | 'sortOrder'
              | 'updatedAt'
              | 'createdAt'
              | 'name'
              | '-sortOrder'
              | '-updatedAt'
              | '-createdAt'
              | '-name'
              | undefined
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: ProjectList | ProjectSummaryList
    }
    /** Create a project */
    post: {
      body: CreateProject
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Project
    }
  }
  '/api/projects/reorder': {
    /** Put projects in another order */
    post: {
      body: ReorderProjects
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: {
        /** UUIDv7, made by the server */
        id: string
        sortOrder: number
      }[]
    }
  }
  '/api/projects/{id}': {
    /** Get a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** `people`: the answer has `people`, an object with the names of all whom it names, by their ids. Unknown and forgotten people are left out. In a batch it does not count */
            expand?: 'people' | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: ProjectWithPeople
    }
    /** Change a project */
    patch: {
      path: {
        id: string
      }
      body: UpdateProject
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Project
    }
    /** Delete a project with all that belongs to it */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects/{id}/kanban-columns': {
    /** List the kanban columns of a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanColumn[]
    }
    /** Create a kanban column */
    post: {
      path: {
        id: string
      }
      body: CreateKanbanColumn
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanColumn
    }
  }
  '/api/projects/{id}/kanban-columns/reorder': {
    /** Put kanban columns in another order */
    post: {
      path: {
        id: string
      }
      body: ReorderKanbanColumns
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanColumn[]
    }
  }
  '/api/kanban-columns/{id}': {
    /** Get a kanban column */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanColumn
    }
    /** Change a kanban column */
    patch: {
      path: {
        id: string
      }
      body: UpdateKanbanColumn
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanColumn
    }
    /** Delete a kanban column */
    delete: {
      path: {
        id: string
      }
      query?:
        | {
            /** Where its items go: the name of another column of the project */
            moveTo?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects/{id}/kanban-items/claim': {
    /** Claim the next item of a column */
    post: {
      path: {
        id: string
      }
      body?: ClaimKanbanItem
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem | undefined
    }
  }
  '/api/kanban-items/{id}/claim/renew': {
    /** Hold a claimed item longer */
    post: {
      path: {
        id: string
      }
      body?: RenewKanbanClaim
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/kanban-items/{id}/claim': {
    /** Give a claimed item back */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/projects/{id}/kanban-items': {
    /** List a project's items, by sortOrder or as asked */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Name of the column; given several times: any of them; empty does not filter */
            column?: string | string[] | undefined
            /** Who it is assigned to; `me`: whoever asks; `none`: nobody; given several times: any of them; empty does not filter */
            assigneeId?: string | string[] | undefined
            /** Its priority; given several times: any of them; empty does not filter */
            priority?:
              | 'low'
              | 'medium'
              | 'high'
              | 'critical'
              | (string & {})
              | ('low' | 'medium' | 'high' | 'critical' | (string & {}))[]
              | undefined
            /** Id or name of a label that it has; `none`: it has no label; given several times: any of them; empty does not filter */
            label?: string | string[] | undefined
            /** Part of the title or the description, whatever the case; empty does not filter */
            q?: string | undefined
            /** Due then or later: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueAfter?: string | undefined
            /** Due earlier: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueBefore?: string | undefined
            /** `none`: without a due date */
            due?: 'none' | undefined
            /** Without dismissed items, those only, or all; `false` if absent */
            dismissed?: 'false' | 'true' | 'all' | undefined
            /** Only items that are approved, or that are not yet */
            approved?: 'false' | 'true' | undefined
            /** Where it came from; given several times: any of them; empty does not filter */
            source?:
              | 'manual'
              | 'transcript'
              | 'import'
              | (string & {})
              | ('manual' | 'transcript' | 'import' | (string & {}))[]
              | undefined
            /** Only what whoever asks could begin: approved, not dismissed, in a column of the stage `todo`, and not claimed by somebody else */
            ready?: 'true' | undefined
            /** Changed later than that: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            updatedAfter?: string | undefined
            /** What the list is sorted by, then by id; with `-` descending. What is empty comes last either way. A `cursor` is of one sort; `sortOrder` if absent */
            sort?:
              | 'sortOrder'
              | 'dueDate'
              | 'updatedAt'
              | 'createdAt'
              | 'priority'
              | 'title'
              | '-sortOrder'
              | '-dueDate'
              | '-updatedAt'
              | '-createdAt'
              | '-priority'
              | '-title'
              | undefined
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanItem[]
    }
    /** Create an item at the end of its column */
    post: {
      path: {
        id: string
      }
      body: CreateKanbanItem
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/kanban-items': {
    /** List items of all projects, by sortOrder or as asked */
    get: {
      query?:
        | {
            /** Id of the project; empty does not filter */
            projectId?: string | undefined
            /** Name of the column; given several times: any of them; empty does not filter */
            column?: string | string[] | undefined
            /** Who it is assigned to; `me`: whoever asks; `none`: nobody; given several times: any of them; empty does not filter */
            assigneeId?: string | string[] | undefined
            /** Its priority; given several times: any of them; empty does not filter */
            priority?:
              | 'low'
              | 'medium'
              | 'high'
              | 'critical'
              | (string & {})
              | ('low' | 'medium' | 'high' | 'critical' | (string & {}))[]
              | undefined
            /** Id or name of a label that it has; `none`: it has no label; given several times: any of them; empty does not filter */
            label?: string | string[] | undefined
            /** Part of the title or the description, whatever the case; empty does not filter */
            q?: string | undefined
            /** Due then or later: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueAfter?: string | undefined
            /** Due earlier: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueBefore?: string | undefined
            /** `none`: without a due date */
            due?: 'none' | undefined
            /** Without dismissed items, those only, or all; `false` if absent */
            dismissed?: 'false' | 'true' | 'all' | undefined
            /** Only items that are approved, or that are not yet */
            approved?: 'false' | 'true' | undefined
            /** Where it came from; given several times: any of them; empty does not filter */
            source?:
              | 'manual'
              | 'transcript'
              | 'import'
              | (string & {})
              | ('manual' | 'transcript' | 'import' | (string & {}))[]
              | undefined
            /** Only what whoever asks could begin: approved, not dismissed, in a column of the stage `todo`, and not claimed by somebody else */
            ready?: 'true' | undefined
            /** Changed later than that: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            updatedAfter?: string | undefined
            /** What the list is sorted by, then by id; with `-` descending. What is empty comes last either way. A `cursor` is of one sort; `sortOrder` if absent */
            sort?:
              | 'sortOrder'
              | 'dueDate'
              | 'updatedAt'
              | 'createdAt'
              | 'priority'
              | 'title'
              | '-sortOrder'
              | '-dueDate'
              | '-updatedAt'
              | '-createdAt'
              | '-priority'
              | '-title'
              | undefined
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanItem[]
    }
    /** Change several items in the same way */
    patch: {
      body: UpdateKanbanItems
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem[]
    }
    /** Delete several items with their subtasks, comments and activity */
    delete: {
      body: DeleteKanbanItems
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects/{id}/kanban-items/reorder': {
    /** Put items of a project into columns and places */
    post: {
      path: {
        id: string
      }
      body: ReorderKanbanItems
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem[]
    }
  }
  '/api/kanban-items/{id}': {
    /** Get an item */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** `people`: the answer has `people`, an object with the names of all whom it names, by their ids. Unknown and forgotten people are left out. In a batch it does not count */
            expand?: 'people' | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanItemWithPeople
    }
    /** Change an item */
    patch: {
      path: {
        id: string
      }
      body: UpdateKanbanItem
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
    /** Delete an item with its subtasks, comments and activity */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/kanban-items/{id}/move': {
    /** Move an item to a place in its column, in another one or in another project */
    post: {
      path: {
        id: string
      }
      body?: MoveKanbanItem
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/projects/{id}/export.csv': {
    /** Get a project's items as CSV */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: string
    }
  }
  '/api/calendar.ics': {
    /** Follow what is due in a calendar */
    get: {
      query?:
        | {
            /** An API token of the scope `calendar`, for programs that send no headers */
            token?: string | undefined
            /** Only items of this project; empty does not filter */
            projectId?: string | undefined
            /** Only items assigned to this member; `me`: who asks; empty does not filter */
            assigneeId?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: string
    }
  }
  '/api/projects/{id}/flow': {
    /** See how the items of a board flow */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** First day, at most three years before the last; 89 days before it if absent: a date, or a date-time for its day in UTC; e.g. `2026-01-31` */
            from?: string | undefined
            /** Last day; today if absent, and at the latest: a date, or a date-time for its day in UTC; e.g. `2026-01-31` */
            to?: string | undefined
            /** Id or name of a label that the items have; `none`: they have no label; given several times: any of them; empty does not filter */
            label?: string | string[] | undefined
            /** Who the items are assigned to; `me`: whoever asks; `none`: nobody; given several times: any of them; empty does not filter */
            assigneeId?: string | string[] | undefined
            /** Priority of the items; given several times: any of them; empty does not filter */
            priority?:
              | 'low'
              | 'medium'
              | 'high'
              | 'critical'
              | (string & {})
              | ('low' | 'medium' | 'high' | 'critical' | (string & {}))[]
              | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Flow
    }
  }
  '/api/kanban-items/{id}/subtasks': {
    /** List the kanban subtasks of an item */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanSubtask[]
    }
    /** Create a kanban subtask */
    post: {
      path: {
        id: string
      }
      body: CreateKanbanSubtask
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanSubtask
    }
  }
  '/api/kanban-items/{id}/subtasks/reorder': {
    /** Put kanban subtasks in another order */
    post: {
      path: {
        id: string
      }
      body: ReorderKanbanSubtasks
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanSubtask[]
    }
  }
  '/api/kanban-subtasks/{id}': {
    /** Get a kanban subtask */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanSubtask
    }
    /** Change a kanban subtask */
    patch: {
      path: {
        id: string
      }
      body: UpdateKanbanSubtask
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanSubtask
    }
    /** Delete a kanban subtask */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/kanban-items/{id}/comments': {
    /** List the kanban comments of an item */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanComment[]
    }
    /** Create a kanban comment */
    post: {
      path: {
        id: string
      }
      body: CreateKanbanComment
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanComment
    }
  }
  '/api/kanban-comments/{id}': {
    /** Get a kanban comment */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanComment
    }
    /** Change a kanban comment */
    patch: {
      path: {
        id: string
      }
      body: UpdateKanbanComment
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanComment
    }
    /** Delete a kanban comment */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/kanban-items/{id}/activity': {
    /** List the activity entries of an item, newest first */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanActivity[]
    }
  }
  '/api/projects/{id}/kanban-labels': {
    /** List the kanban labels of a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanLabel[]
    }
    /** Create a kanban label */
    post: {
      path: {
        id: string
      }
      body: CreateKanbanLabel
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanLabel
    }
  }
  '/api/kanban-labels/{id}': {
    /** Get a kanban label */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanLabel
    }
    /** Change a kanban label */
    patch: {
      path: {
        id: string
      }
      body: UpdateKanbanLabel
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanLabel
    }
    /** Delete a kanban label */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/kanban-items/{id}/labels/{labelId}': {
    /** Give an item a label of its project */
    put: {
      path: {
        id: string
        labelId: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
    /** Take a label off an item */
    delete: {
      path: {
        id: string
        labelId: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/projects/{id}/objectives': {
    /** List the objectives of a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Objective[]
    }
    /** Create an objective */
    post: {
      path: {
        id: string
      }
      body: CreateObjective
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Objective
    }
  }
  '/api/objectives/{id}': {
    /** Get an objective */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Objective
    }
    /** Change an objective */
    patch: {
      path: {
        id: string
      }
      body: UpdateObjective
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Objective
    }
    /** Delete an objective */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects/{id}/metrics': {
    /** List the metrics of a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Metric[]
    }
    /** Create a metric */
    post: {
      path: {
        id: string
      }
      body: CreateMetric
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Metric
    }
  }
  '/api/metrics/{id}': {
    /** Get a metric */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Metric
    }
    /** Change a metric */
    patch: {
      path: {
        id: string
      }
      body: UpdateMetric
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Metric
    }
    /** Delete a metric */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects/{id}/transcript-summaries': {
    /** List the transcript summaries of a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TranscriptSummary[]
    }
    /** Create a transcript summary */
    post: {
      path: {
        id: string
      }
      body: CreateTranscriptSummary
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TranscriptSummary
    }
  }
  '/api/transcript-summaries/{id}': {
    /** Get a transcript summary */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TranscriptSummary
    }
    /** Change a transcript summary */
    patch: {
      path: {
        id: string
      }
      body: UpdateTranscriptSummary
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TranscriptSummary
    }
    /** Delete a transcript summary */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects/{id}/team-assignments': {
    /** List the team assignments of a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TeamAssignment[]
    }
    /** Let a member work on a project */
    post: {
      path: {
        id: string
      }
      body: CreateTeamAssignment
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TeamAssignment
    }
    /** Say who works on a project */
    put: {
      path: {
        id: string
      }
      body: ReplaceTeamAssignments
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TeamAssignment[]
    }
  }
  '/api/team-assignments/{id}': {
    /** Get a team assignment */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TeamAssignment
    }
    /** Change the role of a team assignment */
    patch: {
      path: {
        id: string
      }
      body: UpdateTeamAssignment
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TeamAssignment
    }
    /** Delete a team assignment */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/ingest/transcript': {
    /** Keep the record of a meeting and make items of its action items */
    post: {
      body: IngestTranscript
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: IngestedTranscript
    }
  }
  '/api/ingest/metrics': {
    /** Take measurements of a project's metrics */
    post: {
      body: IngestMetrics
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Metric[]
    }
  }
  '/api/imports': {
    /** Import a board from a file, or an archive */
    post: {
      query: {
        format: 'trello' | 'csv' | 'planka' | 'kanboard' | 'jira' | 'github' | 'phaseboard'
        /** Also when it was imported before; not for archives; `false` if absent */
        again?: boolean | undefined
        /** Only tells what would be made; `false` if absent */
        dryRun?: boolean | undefined
        /** Members of an archive are those here of the same email; `false` if absent */
        mapMembers?: boolean | undefined
        /** What the project is called, in place of the name in the file; not for archives */
        name?: string | undefined
        /** People of the board are those here of the same name, where only one has it; not for archives; `false` if absent */
        matchNames?: boolean | undefined
        /** Who is who, as `<from>=<to>`: a person of the board by id, name or email, and somebody who is here by id or email; may be given several times. Not for archives; e.g. `Ann Smith=ann@acme.example` */
        map?: string | string[] | undefined
      }
      body: BytesIn
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: ImportStarted
    }
    /** List the member's latest imports, newest first; an admin's are all */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Import[]
    }
  }
  '/api/imports/{id}': {
    /** How far an import has come */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Import
    }
  }
  '/api/personal-ideas': {
    /** List a member's ideas by sortOrder */
    get: {
      query?:
        | {
            /** Whose ideas; absent: those of the current member; given several times: any of them; empty does not filter */
            ownerId?: string | string[] | undefined
            /** Only ideas of this status; given several times: any of them; empty does not filter */
            status?:
              | 'idea'
              | 'ready'
              | 'promoted'
              | 'discarded'
              | (string & {})
              | ('idea' | 'ready' | 'promoted' | 'discarded' | (string & {}))[]
              | undefined
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: PersonalIdeaList
    }
    /** Create an idea of the current member */
    post: {
      body: CreatePersonalIdea
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: PersonalIdea
    }
  }
  '/api/personal-ideas/reorder': {
    /** Put personal ideas in another order */
    post: {
      body: ReorderPersonalIdeas
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: PersonalIdea[]
    }
  }
  '/api/personal-ideas/{id}': {
    /** Get an idea */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: PersonalIdea
    }
    /** Change an idea */
    patch: {
      path: {
        id: string
      }
      body: UpdatePersonalIdea
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: PersonalIdea
    }
    /** Delete an idea */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/personal-ideas/{id}/promote': {
    /** Make a project of an idea */
    post: {
      path: {
        id: string
      }
      body?: PromotePersonalIdea
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Project
    }
  }
  '/api/search': {
    /** Search all that the caller may read */
    get: {
      query?:
        | {
            /** At most 50 different words to look for; without any, nothing is found; e.g. `engine test` */
            q?: string | undefined
            /** Results, at most; `20` if absent */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
            /** What to look for: `project`, `kanban-item`, `kanban-comment`, `transcript-summary`, `personal-idea`, also with commas between them; given several times: any of them; empty does not filter */
            kind?: string | string[] | undefined
            /** Only the project of this id and what belongs to it, which ideas never do; empty does not filter */
            projectId?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: {
        results: SearchResult[]
      }
    }
  }
  '/api/webhooks': {
    /** List the webhooks by id */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Webhook[]
    }
    /** Create a webhook */
    post: {
      body: CreateWebhook
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: WebhookWithSecret
    }
  }
  '/api/webhooks/{id}': {
    /** Get a webhook */
    get: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Webhook
    }
    /** Change a webhook */
    patch: {
      path: {
        id: string
      }
      body: UpdateWebhook
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Webhook
    }
    /** Delete a webhook */
    delete: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/webhooks/{id}/test': {
    /** Send a webhook a test message */
    post: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: WebhookDelivery
    }
  }
  '/api/webhooks/{id}/rotate-secret': {
    /** Give a webhook another secret */
    post: {
      path: {
        id: string
      }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: WebhookWithSecret
    }
  }
  '/api/webhooks/{id}/deliveries': {
    /** List the latest attempts to deliver something, newest first */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: WebhookDelivery[]
    }
  }
  '/api/webhooks/{id}/replay': {
    /** Set from where a webhook goes on */
    post: {
      path: {
        id: string
      }
      body: ReplayWebhook
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Webhook
    }
  }
  '/api/projects/{id}/changes': {
    /** List the changes of a project */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Changes on a page; without it, 100 */
            limit?: number | undefined
            /** Changes before this one: from the `Link` of the page before */
            cursor?: number | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Change[]
    }
  }
  '/api/kanban-items/{id}/changes': {
    /** List the changes of a kanban item */
    get: {
      path: {
        id: string
      }
      query?:
        | {
            /** Changes on a page; without it, 100 */
            limit?: number | undefined
            /** Changes before this one: from the `Link` of the page before */
            cursor?: number | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Change[]
    }
  }
  '/api/changes/{seq}/undo': {
    /** Undo the whole write that a change was part of */
    post: {
      path: {
        /** The `seq` of one of its changes */
        seq: string
      }
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Undone
    }
  }
  '/api/trash': {
    /** List the deleted projects and kanban items that can come back */
    get: {
      query?:
        | {
            /** A project, deleted or not, and its items */
            projectId?: string | undefined
            /** Changes on a page; without it, 100 */
            limit?: number | undefined
            /** Changes before this one: from the `Link` of the page before */
            cursor?: number | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TrashEntry[]
    }
  }
  '/api/audit-log': {
    /** List what happened to who may do what, newest first */
    get: {
      query?:
        | {
            /** Records on a page; without it, all */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the one before */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: AuditEntry[]
    }
  }
  '/api/export': {
    /** Export everything */
    get: {
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: BytesOut
    }
  }
  '/api/batch': {
    /** Perform several requests, all or nothing */
    post: {
      body: RunBatch
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: {
        results: {
          /** As the route answers */
          status: number
          /** As the route answers */
          body: unknown
          /** Of an answer that is one record */
          etag?: string
        }[]
        dryRun: boolean
      }
    }
  }
  '/mcp': {
    /** Send a message of the Model Context Protocol */
    post: {
      body: Mcp
      answer:
        | {
            [key: string]: unknown
          }
        | undefined
    }
  }
  '/api/changes': {
    /** List what has changed, oldest first */
    get: {
      query?:
        | {
            /** Go on after this `seq`: the `last` of the answer before; from the oldest change that is kept if absent */
            after?: number | undefined
            /** Only what belongs to this project, or left it */
            projectId?: string | undefined
            /** Only what belongs to this item */
            itemId?: string | undefined
            /** Only these kinds, with commas between them or given several times: member, team, person, project, kanban-column, kanban-label, kanban-item, kanban-subtask, kanban-comment, kanban-item-label, kanban-activity, objective, metric, transcript-summary, team-assignment, personal-idea */
            kind?: string | string[] | undefined
            /** Changes, at most; `100` if absent */
            limit?: number | undefined
            /** Seconds that an empty answer waits for the next change; `0` if absent */
            wait?: number | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: {
        changes: Change[]
        /** Where to go on: the last change that was looked at */
        last: number
      }
    }
  }
}
