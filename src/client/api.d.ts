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
  /** The id of the message; null if unknown */
  id: string | number | null
}

export interface BatchError {
  /** What went wrong, in one line */
  error: string
  /** With the other details of the failed request's response */
  details?: {
    /** The index of the failed request, from 0 */
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
    /** Violations of the body as a whole */
    formErrors: string[]
    /** Violations by top-level field */
    fieldErrors: {
      [key: string]: string[]
    }
  }
}

export interface MissingError {
  error: string
  /** If the request body names unknown records; absent if the path does */
  details?: {
    /** The unknown ids */
    missing: string[]
  }
}

export interface Problem {
  /** A URI. Identifies the code: a section of the documentation */
  type: string
  /** What went wrong, in one line: the `error` of other responses */
  title: string
  /** The status of the response */
  status: number
  /** What went wrong, for programs:  - `admin_required`: only an admin may do this - `already_assigned`: the member is already assigned to the project - `already_done`: a request with this Idempotency-Key has already succeeded, and its response is not stored - `already_promoted`: the idea is already a project - `authentication_required`: the request has no valid credential - `bad_request`: the request is malformed - `behind_proxy`: in open mode: the request came through a proxy and carries no credential - `changed_since`: records have changed since the write to undo: `details.conflicts` - `changes_gone`: the changes are no longer stored: `details.oldest` - `claimed`: another member has claimed the item - `column_has_items`: the column still has items - `conflict`: the current state does not allow the request - `cross_origin`: a page of another origin sent the request, with the credentials of the browser - `database_busy`: the write waited too long for other writes: nothing was written - `email_not_verified`: the sign-in provider does not say that the email of the account is verified - `email_taken`: another member has the email - `forbidden`: the caller may not do this - `foreign_host`: in open mode on a loopback address: the host name is neither local nor that of PUBLIC_URL or CORS_ORIGIN - `handle_taken`: another member has the handle - `headers_too_large`: the headers are too large - `idempotency_key_reused`: the Idempotency-Key was used for another request - `internal_error`: the service failed: nothing was written - `invalid_credentials`: the email or the password is wrong - `invalid_link`: the one-time link was used, has expired or was revoked - `is_member`: the person is a member - `last_admin`: the service would have no admin left - `limit_reached`: there are already as many as the limit allows - `member_disabled`: the member is disabled - `method_not_allowed`: the path does not support the method - `name_taken`: another record has the name - `no_account`: no member has this account of the sign-in provider - `no_column`: the board has no column - `no_new_projects`: the caller would not see the project that it creates - `no_space`: there is no space left for attachments - `not_claimed`: the item is not claimed - `not_found`: the record or path does not exist, or the caller may not see it: perhaps `details.missing` - `not_json`: the body is not JSON - `not_owner`: the record belongs to another member - `precondition_failed`: `If-Match` or `If-None-Match` did not hold: nothing was written - `provider_unavailable`: the sign-in provider does not respond - `rate_limited`: the client has sent too many requests in a minute - `read_only_project`: the caller may only read the project - `read_only_role`: the member's role is read-only - `read_only_token`: the token is read-only - `request_failed`: any other error - `session_required`: the request needs a session, not a token - `sharing_refused`: the caller may not share the project, or its share links are off - `sign_in_failed`: the sign-in with the provider failed - `sign_in_refused`: the provider refused the sign-in - `too_large`: the request or its response is too large - `too_many_at_once`: the caller has too many requests in progress - `too_many_sign_ins`: too many sign-ins have failed - `too_many_streams`: too many streams are open - `took_too_long`: the request took too long - `unavailable`: the service cannot handle the request at the moment: nothing was written - `validation_failed`: fields or parameters are invalid: `details` - `wip_limit_reached`: the column is at its WIP limit - `would_lose_project`: the caller would no longer see the project */
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
    | 'email_not_verified'
    | 'email_taken'
    | 'forbidden'
    | 'foreign_host'
    | 'handle_taken'
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
    | 'no_new_projects'
    | 'no_space'
    | 'not_claimed'
    | 'not_found'
    | 'not_json'
    | 'not_owner'
    | 'precondition_failed'
    | 'provider_unavailable'
    | 'rate_limited'
    | 'read_only_project'
    | 'read_only_role'
    | 'read_only_token'
    | 'request_failed'
    | 'session_required'
    | 'sharing_refused'
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
    | 'would_lose_project'
  /** As in other responses */
  details?: {
    [key: string]: unknown
  }
}

export interface GoneError {
  error: string
  details: {
    /** The oldest stored change */
    oldest: number
  }
}

export interface ChangedSince {
  error: string
  /** Absent if it was done before (`Already done`) */
  details?: {
    /** The first 100 conflicts */
    conflicts: {
      kind: string
      id: string
      /** Absent if the conflict is about the record itself */
      field?: string
    }[]
  }
}

export interface Success {
  success: true
}

export interface KanbanSubtask {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
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
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  projectId: string
  name: string
  color: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface KanbanItem {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
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
  /** When the claim of the assignee ends; null if it is not claimed */
  claimedUntil: string | null
  /** The attachment that the board shows on its card: one of its own images, or null */
  coverId: string | null
  /** When its watchers are reminded: at a time, or some time before the due date */
  reminders: {
    /** ISO 8601 in UTC with milliseconds */
    at?: string
    before?: string
  }[]
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  labels: KanbanLabel[]
  subtasks: KanbanSubtask[]
  /** Only in the response to a change that made a column exceed its WIP limit */
  warnings?: string[]
}

export interface KanbanItemWithPeople {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
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
  /** When the claim of the assignee ends; null if it is not claimed */
  claimedUntil: string | null
  /** The attachment that the board shows on its card: one of its own images, or null */
  coverId: string | null
  /** When its watchers are reminded: at a time, or some time before the due date */
  reminders: {
    /** ISO 8601 in UTC with milliseconds */
    at?: string
    before?: string
  }[]
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  labels: KanbanLabel[]
  subtasks: KanbanSubtask[]
  /** Only with `expand=people`: the names of the people in the record, by id */
  people?: {
    [key: string]: string
  }
}

/** By the ids of the items that have comments or attachments */
export interface KanbanCounts {
  [key: string]: {
    comments: number
    attachments: number
  }
}

export interface KanbanActivity {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
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
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  itemId: string
  authorId: string
  content: string
  /** ISO 8601 in UTC with milliseconds */
  editedAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface Attachment {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  itemId: string
  name: string
  kind: 'file' | 'link'
  /** Only of a link */
  url?: string
  /** By the first bytes, or else by the name of the file; null for a link */
  mediaType: string | null
  /** In bytes; null for a link */
  size: number | null
  /** SHA-256 of the bytes, hexadecimal, which is the ETag of the content; null for a link */
  sha256: string | null
  /** In pixels, as shown; only of an image, if known */
  width?: number
  /** In pixels, as shown; only of an image, if known */
  height?: number
  /** Whether a client has stored a small image of it */
  hasThumbnail: boolean
  /** The member, or the person in the tool that it was imported from; null if unknown */
  createdBy: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface KanbanColumn {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  projectId: string
  name: string
  color: string
  sortOrder: number
  /** Maximum number of items that are not dismissed; 0 is no limit */
  wipLimit: number
  /** What happens above the limit */
  wipPolicy: string
  /** The effective stage of work: as set, or derived from the position on the board */
  stage: 'todo' | 'doing' | 'done'
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface TranscriptSummary {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
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
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  projectId: string
  name: string
  value: number
  unit: string
  category: string
  trend: string
  /** Former values, oldest first, each with the time it was replaced; or any array that a client has written */
  history: unknown[]
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Objective {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
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
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  projectId: string
  memberId: string
  role: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Project {
  /** UUIDv7, generated by the server */
  id: string
  name: string
  description: string
  type: string
  status: string
  /** Name of the current phase */
  phase: string
  /** The phase sequence: objects with a `name`, and perhaps other keys */
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
  /** `everyone`: every member except guests sees it; `assigned`: only admins, members who are assigned to the project (`teamAssignments`), and those of its team. Being the assignee of an item gives no access. */
  access: string
  /** Who may create share links: `members` who may write the project, but no guests; `admins`; with `off` nobody, and its links do not work */
  shareLinks: string
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
  /** UUIDv7, generated by the server */
  id: string
  name: string
  description: string
  type: string
  status: string
  /** Name of the current phase */
  phase: string
  /** The phase sequence: objects with a `name`, and perhaps other keys */
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
  /** `everyone`: every member except guests sees it; `assigned`: only admins, members who are assigned to the project (`teamAssignments`), and those of its team. Being the assignee of an item gives no access. */
  access: string
  /** Who may create share links: `members` who may write the project, but no guests; `admins`; with `off` nobody, and its links do not work */
  shareLinks: string
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
  /** Only with `expand=people`: the names of the people in the record, by id */
  people?: {
    [key: string]: string
  }
}

export interface SharedProject {
  /** UUIDv7, generated by the server */
  id: string
  name: string
  description: string
  type: string
  status: string
  /** Name of the current phase */
  phase: string
  /** The phase sequence: objects with a `name`, and perhaps other keys */
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
  /** `everyone`: every member except guests sees it; `assigned`: only admins, members who are assigned to the project (`teamAssignments`), and those of its team. Being the assignee of an item gives no access. */
  access: string
  /** Who may create share links: `members` who may write the project, but no guests; `admins`; with `off` nobody, and its links do not work */
  shareLinks: string
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
  /** Only with `expand=board`: the names of the lead and of all assignees, by id */
  people?: {
    [key: string]: string
  }
  /** Only with `expand=board`: the columns in their order */
  kanbanColumns?: KanbanColumn[]
}

export interface ProjectSummary {
  /** UUIDv7, generated by the server */
  id: string
  name: string
  description: string
  type: string
  status: string
  /** Name of the current phase */
  phase: string
  /** The phase sequence: objects with a `name`, and perhaps other keys */
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
  /** `everyone`: every member except guests sees it; `assigned`: only admins, members who are assigned to the project (`teamAssignments`), and those of its team. Being the assignee of an item gives no access. */
  access: string
  /** Who may create share links: `members` who may write the project, but no guests; `admins`; with `off` nobody, and its links do not work */
  shareLinks: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  counts: {
    /** All items, dismissed ones too */
    kanbanItems: number
    /** Items that are not dismissed, in columns of the stage `todo` or `doing`, or in columns that the board does not have */
    open: number
    /** Items that are not dismissed, in columns of the stage `done` */
    done: number
    transcriptSummaries: number
    metrics: number
    objectives: number
    teamAssignments: number
    /** Number of items per column, dismissed ones too: every column of the board, in order, but names that are whole numbers first */
    columns: {
      [key: string]: number
    }
    /** Number of dismissed items per column, of the columns that have any */
    dismissed: {
      [key: string]: number
    }
  }
}

/** Projects with all their records: the list without `view` */
export type ProjectList = Project[]

/** Projects with counts: the list with `view=summary` */
export type ProjectSummaryList = ProjectSummary[]

export interface PersonalIdea {
  /** UUIDv7, generated by the server */
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

export interface Preferences {
  /** Which e-mail the member gets: none; one for each notification, with those of the same card within two minutes in one; or one a day, at 8:00 in `timeZone` */
  email: 'none' | 'each' | 'daily'
  /** An IANA time zone */
  timeZone: string
  /** The language of the e-mail */
  language: 'en' | 'de'
  /** Why no mail is sent: the response of a mail server that has permanently refused the address; null if none has. Setting `email` resumes mail */
  stoppedBecause: string | null
  /** Whether the service sends e-mail */
  emailAvailable: boolean
}

export interface TestMail {
  /** The address that it was sent to */
  address: string
  /** Why it was not sent; null if the mail server has accepted it */
  error: string | null
}

export interface SearchResult {
  kind: 'project' | 'kanban-item' | 'kanban-comment' | 'transcript-summary' | 'personal-idea'
  /** UUIDv7, generated by the server */
  id: string
  /** The project of the record; a project has its own id, an idea null */
  projectId: string | null
  /** The name of a project, the item's title of a comment */
  title: string
  /** Text around the matches, with `**` before and after each match and `…` where text was omitted. Plain text as users wrote it: neither HTML nor escaped for it */
  snippet: string
}

export interface CurrentMember {
  id: string
  name: string
  /** null for a member without a row in this service */
  email: string | null
  role: 'admin' | 'member' | 'viewer' | 'guest'
}

export interface Member {
  /** UUIDv7, generated by the server */
  id: string
  name: string
  /** Unique, ignoring case; null for others than admins and the member */
  email: string | null
  role: 'admin' | 'member' | 'viewer' | 'guest'
  /** Whether sign-ins, sessions and tokens of the member are refused */
  disabled: boolean
  /** The name in mentions, as in `@ada`; unique. null only briefly, for a member that another tool has just added */
  handle: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Person {
  /** The id in `assigneeId`, `leadId`, `authorId`, `memberId` and `actorId` of records */
  id: string
  name: string
  /** Only for admins and the person itself; null for others, and if it is not known */
  email: string | null
  /** A current or former member; a person of the host application; a person of an imported board */
  kind: 'member' | 'host' | 'import'
  /** The format of the imported board; empty for others */
  source: string
  /** The id of the person there; empty for others, and if that id holds an email address */
  sourceId: string
  /** The person that this one was merged into; null if it was not merged */
  mergedInto: string | null
  /** The day when the host application last returned the person; null for never */
  seenAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface MergedPerson {
  /** Undo this change to revert the merge: `POST /api/changes/{seq}/undo`. Null if nothing was left to merge */
  group: number | null
  person: Person
  into: Person
  counts: {
    /** Items with it as assignee */
    kanbanItems: number
    /** Projects with it as lead */
    projects: number
    /** Project assignments; deleted if the other person has one, too */
    teamAssignments: number
    /** Comments with it as author */
    kanbanComments: number
    /** Attachments with it as creator */
    attachments: number
    /** Ideas with it as owner */
    personalIdeas: number
  }
}

export interface Team {
  /** UUIDv7, generated by the server */
  id: string
  name: string
  description: string
  /** Sorted by id */
  memberIds: string[]
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Session {
  /** UUIDv7, generated by the server */
  id: string
  /** Whether it is the session of this request */
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
  /** UUIDv7, generated by the server */
  id: string
  memberId: string
  name: string
  scope: 'read' | 'write' | 'calendar'
  /** The only projects that it may access; null: all that its member sees */
  projectIds: string[] | null
  /** ISO 8601 in UTC with milliseconds */
  lastUsedAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface NewToken {
  /** UUIDv7, generated by the server */
  id: string
  memberId: string
  name: string
  scope: 'read' | 'write' | 'calendar'
  /** The only projects that it may access; null: all that its member sees */
  projectIds: string[] | null
  /** ISO 8601 in UTC with milliseconds */
  lastUsedAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** The secret, for `Authorization: Bearer`. Shown only once and not stored */
  token: string
}

export interface LinkDetails {
  /** Whether it sets the password of a member, or creates a member */
  kind: 'password' | 'invitation'
  /** The name of the member, or the one suggested in the invitation; null for none */
  name: string | null
  /** The email of the member; null if the invited person provides it */
  email: string | null
  role: 'admin' | 'member' | 'viewer' | 'guest'
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string
}

export interface MemberLink {
  /** UUIDv7, generated by the server */
  id: string
  /** The member whose password it sets; null for an invitation */
  memberId: string | null
  /** Whether it sets the password of a member, or creates a member */
  kind: 'password' | 'invitation'
  /** The name of the member, or the one suggested in the invitation; null for none */
  name: string | null
  /** The email of the member; null if the invited person provides it */
  email: string | null
  role: 'admin' | 'member' | 'viewer' | 'guest'
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string
  /** The admin who created it; null for the command line */
  createdBy: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface NewMemberLink {
  /** UUIDv7, generated by the server */
  id: string
  /** The member whose password it sets; null for an invitation */
  memberId: string | null
  /** Whether it sets the password of a member, or creates a member */
  kind: 'password' | 'invitation'
  /** The name of the member, or the one suggested in the invitation; null for none */
  name: string | null
  /** The email of the member; null if the invited person provides it */
  email: string | null
  role: 'admin' | 'member' | 'viewer' | 'guest'
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string
  /** The admin who created it; null for the command line */
  createdBy: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** The secret. Shown only once and not stored */
  token: string
  /** The URL to open, with the token in its fragment */
  url: string
}

export interface ShareLink {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  projectId: string
  /** What it is for */
  name: string
  /** The member who created it; null for the command line */
  createdBy: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string | null
}

export interface NewShareLink {
  /** UUIDv7, generated by the server */
  id: string
  /** UUIDv7, generated by the server */
  projectId: string
  /** What it is for */
  name: string
  /** The member who created it; null for the command line */
  createdBy: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  expiresAt: string | null
  /** The secret, 256 random bits. Shown only once and not stored */
  secret: string
  /** The address of the board to read, with the secret */
  url: string
}

export interface AuditEntry {
  /** UUIDv7, generated by the server */
  id: string
  action: string
  /** The acting member; null if unidentified, and for the command line and the service itself */
  actorId: string | null
  /** The name of the actor at that time; `command line` or `service` for these; null if unidentified */
  actor: string | null
  /** The id of the member, session, token, one-time or share link, team, project or webhook */
  subjectId: string | null
  /** Its name at that time; for a session, token or one-time link the name of its member, for a share link that of its project */
  subject: string | null
  /** The address of the client; null for the command line */
  address: string | null
  metadata: {
    [key: string]: unknown
  }
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface Change {
  /** Its position in the sequence: ascending, never used twice */
  seq: number
  /** ISO 8601 in UTC with milliseconds */
  at: string
  /** The member who made it; null for other actors: see `actor` */
  actorId: string | null
  /** Only if `actorId` is null: a command, the service itself, or another tool that writes to the database file */
  actor?: 'command line' | 'service' | 'another tool'
  /** The same for all changes of one write: the `seq` of its first */
  group: number
  kind: string
  /** The record's id; `<itemId>:<labelId>` for an item's label */
  id: string
  projectId: string | null
  itemId: string | null
  /** Imported and restored records are `created`. An item that an import made has the `source` `import`, and its tool is a key of its `metadata` */
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
  /** UUIDv7, generated by the server */
  id: string
  url: string
  description: string
  /** Only changes of this project are sent; null: of all */
  projectId: string | null
  /** Kinds of changes that are sent; empty: all */
  kinds: string[]
  /** Whether changes are sent; also false after too many failures */
  active: boolean
  /** The last delivered change */
  after: number
  /** When the next delivery first failed; null if it has not */
  failingSince: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface WebhookWithSecret {
  /** UUIDv7, generated by the server */
  id: string
  url: string
  description: string
  /** Only changes of this project are sent; null: of all */
  projectId: string | null
  /** Kinds of changes that are sent; empty: all */
  kinds: string[]
  /** Whether changes are sent; also false after too many failures */
  active: boolean
  /** The last delivered change */
  after: number
  /** When the next delivery first failed; null if it has not */
  failingSince: string | null
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
  /** The secret that signs deliveries. Shown only once */
  secret: string
}

export interface WebhookDelivery {
  id: string
  /** UUIDv7, generated by the server */
  webhookId: string
  /** The change; null for a test */
  seq: number | null
  /** The response's status; null without a response */
  status: number | null
  /** Why it failed; null if it succeeded */
  error: string | null
  /** The beginning of the response's body, at most 1 KiB */
  response: string
  /** Duration in milliseconds */
  duration: number
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
}

export interface MemberNotification {
  /** UUIDv7, generated by the server */
  id: string
  /** What happened: the item was assigned to the caller, a text mentions the caller, somebody commented on the item, it moved to another column or project, a reminder is due, it is no longer blocked, the lease of its claim has ended */
  kind: 'assigned' | 'mentioned' | 'commented' | 'moved' | 'due' | 'unblocked' | 'lease-lapsed'
  /** null for several items */
  itemId: string | null
  /** null for items of several projects */
  projectId: string | null
  /** The actor; null for other tools, commands, reminders and leases */
  actorId: string | null
  /** The change, or the last one of several; null for reminders and leases */
  seq: number | null
  /** The title of the item at that time; for several items, the name of their project */
  title: string
  /** The beginning of the comment or description, the column of a move, or the due date; empty for others, and once that comment or description has been edited or deleted */
  text: string
  /** The number of items: more than ten items of one write are one notification */
  count: number
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  readAt: string | null
}

export interface Watch {
  watching: boolean
}

export interface Unread {
  /** At most 1,000; then there may be more */
  unread: number
}

/** An import that has begun */
export interface ImportStarted {
  /** UUIDv7, generated by the server */
  id: string
  status: 'waiting' | 'reading' | 'writing' | 'done' | 'failed'
}

/** A person of an imported board */
export interface ImportedPerson {
  /** Its id in the other tool, as `map` takes it; if not matched, the id of the person created here, which is a new one if that in the other tool holds an email address */
  id: string
  name: string
  /** How it was matched: explicitly (by `map`, or by a merge after an earlier import), by the id in a Phaseboard CSV, by email, or by name; null if it was not */
  matched: 'map' | 'id' | 'email' | 'name' | null
  /** The matched member or person; null if there is none */
  memberId: string | null
  /** Items assigned to this person */
  items: number
  /** Comments by this person */
  comments: number
  /** Attachments that this person has added */
  attachments: number
}

export interface Import {
  /** UUIDv7, generated by the server */
  id: string
  format: string
  status: 'waiting' | 'reading' | 'writing' | 'done' | 'failed'
  /** Written records; for an archive, checked records count half */
  done: number
  /** Records to write; 0 before the file is read */
  total: number
  /** The created project, once the import is done */
  projectId?: string
  /** Numbers of created records; for a dry run, of those that would be created */
  counts?: {
    [key: string]: number
  }
  /** What could not be imported unchanged, in lines */
  notes?: string[]
  /** The people of its cards, comments and attachments, and their matches here: at most 500; `counts.people` is their number. Not in lists, and not for archives */
  people?: ImportedPerson[]
  /** Why it failed; nothing has changed then */
  error?: string
  /** ISO 8601 in UTC with milliseconds */
  createdAt: string
  /** ISO 8601 in UTC with milliseconds */
  updatedAt: string
}

export interface Undone {
  /** The group of its own changes; null if it made none */
  group: number | null
  /** The first 1,000 of its own changes */
  changes: Change[]
}

export interface TrashEntry {
  /** The change that deleted it; undo it to restore the record */
  seq: number
  kind: 'project' | 'kanban-item'
  /** UUIDv7, generated by the server */
  id: string
  /** The name of a project, the title of an item */
  title: string
  /** For a project its own id */
  projectId: string | null
  /** ISO 8601 in UTC with milliseconds */
  at: string
  /** The member who deleted it; null for other actors: see `actor` */
  actorId: string | null
  /** Only if `actorId` is null: a command, the service itself, or another tool that writes to the database file */
  actor?: 'command line' | 'service' | 'another tool'
}

export interface Flow {
  /** First day, in UTC */
  from: string
  /** Last day: all metrics are as of its end, or as of now */
  to: string
  days: {
    /** In UTC */
    date: string
    /** Items that arrived on the board */
    arrived: number
    /** Items that were finished */
    finished: number
    /** Items in each column at the end of the day, by its current name */
    byColumn: {
      [key: string]: number
    }
  }[]
  cycleTime: {
    /** Items that were finished */
    count: number
    /** Days that 50 % did not exceed; null if there are none */
    p50: number | null
    /** Days that 85 % did not exceed; null if there are none */
    p85: number | null
    /** Days that 95 % did not exceed; null if there are none */
    p95: number | null
    /** In the order in which they were finished */
    items: {
      /** The id of the item */
      id: string
      title: string
      /** When it first entered a doing column, or directly a done one */
      started: string
      /** When it entered the done columns, which it has not left since */
      finished: string
      /** From one to the other, in days */
      days: number
    }[]
  }
  leadTime: {
    /** Items that were finished */
    count: number
    /** Days that 50 % did not exceed; null if there are none */
    p50: number | null
    /** Days that 85 % did not exceed; null if there are none */
    p85: number | null
    /** Days that 95 % did not exceed; null if there are none */
    p95: number | null
  }
  throughput: {
    perWeek: {
      /** ISO 8601, from Monday */
      week: string
      /** Items that were finished in the part of the week within the range */
      finished: number
    }[]
    /** Items finished in seven days */
    mean: number
  }
  /** Stays that ended with a move to another column */
  timeInColumn: {
    column: string
    /** Days that 50 % did not exceed; null if there are none */
    p50: number | null
    /** Days that 85 % did not exceed; null if there are none */
    p85: number | null
  }[]
  /** Items in progress, oldest first */
  age: {
    /** The id of the item */
    id: string
    title: string
    column: string
    /** Since it was started, in days */
    days: number
    /** Older than the cycle time of 85 % of the finished items */
    above85: boolean
  }[]
  forecast: {
    /** Items on the board that are not done */
    remaining: number
    /** Day by which they were done in 50 % of the runs; null if no item was finished */
    p50: string | null
    /** Day by which they were done in 85 % of the runs; null if no item was finished */
    p85: string | null
    /** Day by which they were done in 95 % of the runs; null if no item was finished */
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
  /** Unique, ignoring case */
  email?: string
}

export interface CreateToken {
  name: string
  /** The rights: to read like its member, also to write, or only to read the calendar */
  scope?: 'read' | 'write' | 'calendar'
  /** The only projects that it may access; null or absent: all that its member sees */
  projectIds?: string[] | null
  /** A time in the future; null or absent: never */
  expiresAt?: string | null
}

export interface CreateTeam {
  name: string
  description?: string
  /** Members of the team, by ids of any system. Replaces all former ones */
  memberIds?: string[]
}

export interface UpdateTeam {
  name?: string
  description?: string
  /** Members of the team, by ids of any system. Replaces all former ones */
  memberIds?: string[]
}

export interface CreateMember {
  name: string
  /** Unique, ignoring case */
  email: string
  role?: 'admin' | 'member' | 'viewer' | 'guest'
  /** The name in mentions, as in `@ada`: 2 to 32 of `a-z0-9._-`, unique */
  handle?: string
  password?: string
}

export interface UpdateMember {
  name?: string
  /** The name in mentions, as in `@ada`: 2 to 32 of `a-z0-9._-`, unique */
  handle?: string
  /** Unique, ignoring case */
  email?: string
  role?: 'admin' | 'member' | 'viewer' | 'guest'
  disabled?: boolean
  password?: string
  /** Required to change your own password */
  currentPassword?: string
}

export interface MergePerson {
  /** The id of the member or person that replaces this one */
  into: string
}

export interface UpdatePreferences {
  /** Which e-mail the member gets: none; one for each notification, with those of the same card within two minutes in one; or one a day, at 8:00 in `timeZone` */
  email?: 'none' | 'each' | 'daily'
  /** An IANA time zone */
  timeZone?: string
  /** The language of the e-mail */
  language?: 'en' | 'de'
}

export interface CreateInvitation {
  name?: string
  /** Unique, ignoring case */
  email?: string
  role: 'admin' | 'member' | 'viewer' | 'guest'
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
  /** Who sees it: every member except guests, or only admins and those who are assigned to the project or belong to its team. Being the assignee of an item gives no access. */
  access?: 'everyone' | 'assigned'
  /** Who may create share links: members who may write the project, but no guests; only admins; or nobody: then its links do not work. Whoever may create them may change it. */
  shareLinks?: 'members' | 'admins' | 'off'
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
  /** Who sees it: every member except guests, or only admins and those who are assigned to the project or belong to its team. Being the assignee of an item gives no access. */
  access?: 'everyone' | 'assigned'
  /** Who may create share links: members who may write the project, but no guests; only admins; or nobody: then its links do not work. Whoever may create them may change it. */
  shareLinks?: 'members' | 'admins' | 'off'
}

export interface CreateKanbanColumn {
  /** Unique in its project */
  name: string
  color?: string
  /** Lists are ordered by it, ascending, then by id */
  sortOrder?: number
  /** Maximum number of items that are not dismissed; 0 is no limit */
  wipLimit?: number
  /** Above the limit: respond with `warnings`, or refuse with 409 */
  wipPolicy?: 'warn' | 'block'
  /** The stage of work of its items. null, the default, derives it from name and position: a column named like `done` (or `closed`, `completed`, `erledigt`, ...) is `done`; of the others the first is `todo`, the last `done`, the rest `doing`; a single one is `todo` */
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
  /** Maximum number of items that are not dismissed; 0 is no limit */
  wipLimit?: number
  /** Above the limit: respond with `warnings`, or refuse with 409 */
  wipPolicy?: 'warn' | 'block'
  /** The stage of work of its items. null, the default, derives it from name and position: a column named like `done` (or `closed`, `completed`, `erledigt`, ...) is `done`; of the others the first is `todo`, the last `done`, the rest `doing`; a single one is `todo` */
  stage?: 'todo' | 'doing' | 'done' | null
}

export interface ClaimKanbanItem {
  /** Name of the column to take items from; To Do by default */
  from?: string
  /** Name of the column to move the item to; In Progress by default */
  to?: string
  /** Id or name of a label of the item */
  label?: string
  /** Open vocabulary, e.g. low, medium, high, critical */
  priority?: 'low' | 'medium' | 'high' | 'critical' | (string & {})
  /** How long the claim lasts unless it is renewed; 900 by default */
  leaseSeconds?: number
}

export interface RenewKanbanClaim {
  /** How long the claim lasts unless it is renewed; 900 by default */
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
  /** A member; `me`: the caller; null: unassigned. It gives no access to the project. */
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
  /** When its watchers are reminded of it: at a time, or a duration before the due date */
  reminders?: unknown[]
  /** A new item has no images yet */
  coverId?: null
}

export interface UpdateKanbanItems {
  ids: string[]
  update: {
    /** Name of a column of the project, e.g. To Do, In Progress, Review, Done */
    column?: string
    /** A member; `me`: the caller; null: unassigned. It gives no access to the project. */
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
  /** A member; `me`: the caller; null: unassigned. It gives no access to the project. */
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
  /** When its watchers are reminded of it: at a time, or a duration before the due date */
  reminders?: unknown[]
  /** An image attached to the item, or null */
  coverId?: string | null
}

/** At most one of `beforeId`, `afterId` and `position`; the default is the bottom */
export interface MoveKanbanItem {
  /** Name of a column of the project, e.g. To Do, In Progress, Review, Done */
  column?: string
  /** The project to move it to */
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

export interface CreateAttachment {
  /** An http, https or mailto URL */
  url: string
  /** At most 255 bytes in UTF-8; folders and invisible characters are dropped */
  name?: string
}

export type SetAttachmentThumbnail = string

export interface UpdateAttachment {
  /** At most 255 bytes in UTF-8; folders and invisible characters are dropped */
  name?: string
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

export interface ReadNotifications {
  /** The id of the newest notification to mark */
  upTo: string
}

export interface UpdateNotification {
  read?: boolean
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
  /** Open vocabulary, e.g. member, lead, viewer */
  role?: 'member' | 'lead' | 'viewer' | (string & {})
}

export interface ReplaceTeamAssignments {
  /** Each memberId at most once; at most 1000 */
  members: {
    memberId: string
    /** Open vocabulary, e.g. member, lead, viewer */
    role?: 'member' | 'lead' | 'viewer' | (string & {})
  }[]
  leadId?: string | null
}

export interface UpdateTeamAssignment {
  /** Open vocabulary, e.g. member, lead, viewer */
  role?: 'member' | 'lead' | 'viewer' | (string & {})
}

export interface CreateShareLink {
  /** What it is for */
  name?: string
  /** A time in the future; null or absent: never */
  expiresAt?: string | null
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
  /** Send only changes of this project; null: of all */
  projectId?: string | null
  /** Kinds of changes to send; empty: all. Ideas are never sent */
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
    | 'attachment'
    | 'kanban-item-label'
    | 'kanban-activity'
    | 'objective'
    | 'metric'
    | 'transcript-summary'
    | 'team-assignment'
  )[]
  /** `true` also retries a waiting delivery at once */
  active?: boolean
}

export interface UpdateWebhook {
  /** http or https, without credentials and fragment, at a public address */
  url?: string
  description?: string
  /** Send only changes of this project; null: of all */
  projectId?: string | null
  /** Kinds of changes to send; empty: all. Ideas are never sent */
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
    | 'attachment'
    | 'kanban-item-label'
    | 'kanban-activity'
    | 'objective'
    | 'metric'
    | 'transcript-summary'
    | 'team-assignment'
  )[]
  /** `true` also retries a waiting delivery at once */
  active?: boolean
}

export interface ReplayWebhook {
  /** Deliveries continue after this change */
  after: number
}

export interface RunBatch {
  /** 1 to 200, performed in this order; each `as` is unique */
  requests: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    /** Path and query, starting with `/api/`; a value of `{{name.field}}` is percent-encoded */
    path: string
    /** The route's body */
    body?: {
      [key: string]: unknown
    }
    /** Like the header `If-Match` */
    ifMatch?: string
    /** A name for the result, for later requests */
    as?: string
  }[]
  /** Respond the same, but change nothing */
  dryRun?: boolean
}

/** A JSON-RPC 2.0 message: a request, or a notification */
export type Mcp = unknown

/** The options and responses of each path's methods. */
export interface Paths {
  '/healthz': {
    /** Check that the process is alive, and which build it is */
    get: {
      answer: {
        status: 'ok'
        /** The version of Phaseboard */
        version: string
        /** The commit that was built, if known; with `-dirty` if files were changed */
        commit?: string
      }
    }
  }
  '/readyz': {
    /** Check that the service is ready */
    get: {
      answer: {
        status: 'ok'
      }
    }
  }
  '/metrics': {
    /** Get the service's metrics, for Prometheus */
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
    /** Get the current member */
    get: {
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: {
        member: CurrentMember
        via: 'session' | 'token' | 'proxy' | 'default' | 'host'
        /** The projects that the caller may read but not write; absent if there are none, or the role is read-only */
        readOnlyProjects?: string[]
      }
    }
    /** Sign out */
    delete: {
      answer: Success
    }
  }
  '/api/session/link/check': {
    /** Check a one-time link */
    post: {
      body: CheckLink
      answer: LinkDetails
    }
  }
  '/api/session/link': {
    /** Use a one-time link and sign in */
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Session
    }
    /** Revoke one of the current member's sessions */
    delete: {
      path: { id: string }
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Token
    }
    /** Revoke a token */
    delete: {
      path: { id: string }
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Team
    }
    /** Change a team */
    patch: {
      path: { id: string }
      body: UpdateTeam
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Team
    }
    /** Delete a team */
    delete: {
      path: { id: string }
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Member
    }
    /** Change a member */
    patch: {
      path: { id: string }
      body: UpdateMember
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Member
    }
    /** Delete a member */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/people': {
    /** List people by name, or look up ids */
    get: {
      query?:
        | {
            /** Only these people, in this order, even unlisted ones: comma-separated or repeated; at most 500. Unknown ids are omitted, and other parameters are ignored */
            ids?: string | string[] | undefined
            /** Part of the name, ignoring case; empty does not filter */
            q?: string | undefined
            /** People of this kind */
            kind?: 'member' | 'host' | 'import' | undefined
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Person
    }
    /** Forget a person */
    delete: {
      path: { id: string }
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
      path: { id: string }
      body: MergePerson
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: MergedPerson
    }
  }
  '/api/me/preferences': {
    /** Get the current member's preferences */
    get: {
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Preferences
    }
    /** Change the current member's preferences */
    patch: {
      body: UpdatePreferences
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Preferences
    }
  }
  '/api/me/preferences/test-mail': {
    /** Send a test mail to the current member's address */
    post: {
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TestMail
    }
  }
  '/api/members/{id}/password-link': {
    /** Create a link to set a new password of a member */
    post: {
      path: { id: string }
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: NewMemberLink
    }
  }
  '/api/invitations': {
    /** Create a link to become a member */
    post: {
      body: CreateInvitation
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: NewMemberLink
    }
  }
  '/api/member-links': {
    /** List the one-time links that are still valid */
    get: {
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: MemberLink
    }
    /** Revoke a one-time link */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects': {
    /** List projects, by sortOrder or the given sort */
    get: {
      query?:
        | {
            /** Exact match; may be repeated: any of them; empty does not filter */
            status?:
              | 'backlog'
              | 'active'
              | 'completed'
              | 'archived'
              | (string & {})
              | ('backlog' | 'active' | 'completed' | 'archived' | (string & {}))[]
              | undefined
            /** Exact match; may be repeated: any of them; empty does not filter */
            teamId?: string | string[] | undefined
            /** Exact match; may be repeated: any of them; empty does not filter */
            leadId?: string | string[] | undefined
            /** Exact match; may be repeated: any of them; empty does not filter */
            type?:
              | 'technical'
              | 'business'
              | 'custom'
              | (string & {})
              | ('technical' | 'business' | 'custom' | (string & {}))[]
              | undefined
            /** Exact match; may be repeated: any of them; empty does not filter */
            health?:
              | 'on-track'
              | 'at-risk'
              | 'blocked'
              | (string & {})
              | ('on-track' | 'at-risk' | 'blocked' | (string & {}))[]
              | undefined
            /** Part of the name or the description, ignoring case; empty does not filter */
            q?: string | undefined
            /** Projects with counts instead of all their records */
            view?: 'summary' | undefined
            /** Changed later than that: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            updatedAfter?: string | undefined
            /** The sort key, then by id; with `-` descending. Empty values come last in both directions. A `cursor` belongs to one sort; `sortOrder` if absent */
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
    /** Reorder projects */
    post: {
      body: ReorderProjects
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: {
        /** UUIDv7, generated by the server */
        id: string
        sortOrder: number
      }[]
    }
  }
  '/api/projects/{id}': {
    /** Get a project */
    get: {
      path: { id: string }
      query?:
        | {
            /** `people`: the response has `people`, an object with the names of the people in the record, by id. Unknown and forgotten people are omitted. A batch ignores it */
            expand?: 'people' | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: ProjectWithPeople
    }
    /** Change a project */
    patch: {
      path: { id: string }
      body: UpdateProject
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Project
    }
    /** Delete a project with everything that belongs to it */
    delete: {
      path: { id: string }
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
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanColumn[]
    }
    /** Create a kanban column */
    post: {
      path: { id: string }
      body: CreateKanbanColumn
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanColumn
    }
  }
  '/api/projects/{id}/kanban-columns/reorder': {
    /** Reorder kanban columns */
    post: {
      path: { id: string }
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanColumn
    }
    /** Change a kanban column */
    patch: {
      path: { id: string }
      body: UpdateKanbanColumn
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanColumn
    }
    /** Delete a kanban column */
    delete: {
      path: { id: string }
      query?:
        | {
            /** The name of another column of the project, which gets its items */
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
      path: { id: string }
      body?: ClaimKanbanItem
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem | undefined
    }
  }
  '/api/kanban-items/{id}/claim/renew': {
    /** Renew a claim */
    post: {
      path: { id: string }
      body?: RenewKanbanClaim
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/kanban-items/{id}/claim': {
    /** Release a claimed item */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/projects/{id}/kanban-items': {
    /** List a project's items, by sortOrder or the given sort */
    get: {
      path: { id: string }
      query?:
        | {
            /** Name of the column; may be repeated: any of them; empty does not filter */
            column?: string | string[] | undefined
            /** Assignee; `me`: the caller; `none`: unassigned; may be repeated: any of them; empty does not filter */
            assigneeId?: string | string[] | undefined
            /** Its priority; may be repeated: any of them; empty does not filter */
            priority?:
              | 'low'
              | 'medium'
              | 'high'
              | 'critical'
              | (string & {})
              | ('low' | 'medium' | 'high' | 'critical' | (string & {}))[]
              | undefined
            /** Id or name of a label; `none`: without a label; may be repeated: any of them; empty does not filter */
            label?: string | string[] | undefined
            /** Part of the title or description, ignoring case; empty does not filter */
            q?: string | undefined
            /** Due at that time or later: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueAfter?: string | undefined
            /** Due earlier: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueBefore?: string | undefined
            /** `none`: without a due date */
            due?: 'none' | undefined
            /** Exclude dismissed items, only those, or all; `false` if absent */
            dismissed?: 'false' | 'true' | 'all' | undefined
            /** Only approved items, or only others */
            approved?: 'false' | 'true' | undefined
            /** Source of the item; may be repeated: any of them; empty does not filter */
            source?:
              | 'manual'
              | 'transcript'
              | 'import'
              | (string & {})
              | ('manual' | 'transcript' | 'import' | (string & {}))[]
              | undefined
            /** Only items that the caller could start: approved, not dismissed, in a column of the stage `todo`, and not claimed by another member */
            ready?: 'true' | undefined
            /** Changed later than that: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            updatedAfter?: string | undefined
            /** The sort key, then by id; with `-` descending. Empty values come last in both directions. A `cursor` belongs to one sort; `sortOrder` if absent */
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanItem[]
    }
    /** Create an item at the end of its column */
    post: {
      path: { id: string }
      body: CreateKanbanItem
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/projects/{id}/kanban-counts': {
    /** Count the comments and attachments of a project's items */
    get: {
      path: { id: string }
      query?:
        | {
            /** Only this item; may be repeated: any of them; empty does not filter */
            itemId?: string | string[] | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanCounts
    }
  }
  '/api/kanban-items': {
    /** List items of all projects, by sortOrder or the given sort */
    get: {
      query?:
        | {
            /** Id of the project; may be repeated: any of them; empty does not filter */
            projectId?: string | string[] | undefined
            /** Name of the column; may be repeated: any of them; empty does not filter */
            column?: string | string[] | undefined
            /** Assignee; `me`: the caller; `none`: unassigned; may be repeated: any of them; empty does not filter */
            assigneeId?: string | string[] | undefined
            /** Its priority; may be repeated: any of them; empty does not filter */
            priority?:
              | 'low'
              | 'medium'
              | 'high'
              | 'critical'
              | (string & {})
              | ('low' | 'medium' | 'high' | 'critical' | (string & {}))[]
              | undefined
            /** Id or name of a label; `none`: without a label; may be repeated: any of them; empty does not filter */
            label?: string | string[] | undefined
            /** Part of the title or description, ignoring case; empty does not filter */
            q?: string | undefined
            /** Due at that time or later: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueAfter?: string | undefined
            /** Due earlier: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            dueBefore?: string | undefined
            /** `none`: without a due date */
            due?: 'none' | undefined
            /** Exclude dismissed items, only those, or all; `false` if absent */
            dismissed?: 'false' | 'true' | 'all' | undefined
            /** Only approved items, or only others */
            approved?: 'false' | 'true' | undefined
            /** Source of the item; may be repeated: any of them; empty does not filter */
            source?:
              | 'manual'
              | 'transcript'
              | 'import'
              | (string & {})
              | ('manual' | 'transcript' | 'import' | (string & {}))[]
              | undefined
            /** Only items that the caller could start: approved, not dismissed, in a column of the stage `todo`, and not claimed by another member */
            ready?: 'true' | undefined
            /** Changed later than that: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC); e.g. `2026-01-31` or `2026-01-31T18:00:00Z` */
            updatedAfter?: string | undefined
            /** The sort key, then by id; with `-` descending. Empty values come last in both directions. A `cursor` belongs to one sort; `sortOrder` if absent */
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanItem[]
    }
    /** Apply the same change to several items */
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
    /** Put items of a project into columns and positions */
    post: {
      path: { id: string }
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
      path: { id: string }
      query?:
        | {
            /** `people`: the response has `people`, an object with the names of the people in the record, by id. Unknown and forgotten people are omitted. A batch ignores it */
            expand?: 'people' | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanItemWithPeople
    }
    /** Change an item */
    patch: {
      path: { id: string }
      body: UpdateKanbanItem
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
    /** Delete an item with its subtasks, comments and activity */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/kanban-items/{id}/move': {
    /** Move an item within its column, to another column or to another project */
    post: {
      path: { id: string }
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: string
    }
  }
  '/api/calendar.ics': {
    /** Get a calendar of due dates */
    get: {
      query?:
        | {
            /** An API token with the scope `calendar`, for programs that cannot send headers */
            token?: string | undefined
            /** Only items of this project; empty does not filter */
            projectId?: string | undefined
            /** Only items assigned to this member; `me`: the caller; empty does not filter */
            assigneeId?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: string
    }
  }
  '/api/projects/{id}/flow': {
    /** Get the flow metrics of a board */
    get: {
      path: { id: string }
      query?:
        | {
            /** First day, at most three years before the last; by default 89 days before it: a date, or a date-time for its day in UTC; e.g. `2026-01-31` */
            from?: string | undefined
            /** Last day, at the latest today, the default: a date, or a date-time for its day in UTC; e.g. `2026-01-31` */
            to?: string | undefined
            /** Id or name of a label; `none`: items without a label; may be repeated: any of them; empty does not filter */
            label?: string | string[] | undefined
            /** Assignee of the items; `me`: the caller; `none`: unassigned items; may be repeated: any of them; empty does not filter */
            assigneeId?: string | string[] | undefined
            /** Priority of the items; may be repeated: any of them; empty does not filter */
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
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanSubtask[]
    }
    /** Create a kanban subtask */
    post: {
      path: { id: string }
      body: CreateKanbanSubtask
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanSubtask
    }
  }
  '/api/kanban-items/{id}/subtasks/reorder': {
    /** Reorder kanban subtasks */
    post: {
      path: { id: string }
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanSubtask
    }
    /** Change a kanban subtask */
    patch: {
      path: { id: string }
      body: UpdateKanbanSubtask
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanSubtask
    }
    /** Delete a kanban subtask */
    delete: {
      path: { id: string }
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
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanComment[]
    }
    /** Create a kanban comment */
    post: {
      path: { id: string }
      body: CreateKanbanComment
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanComment
    }
  }
  '/api/kanban-comments/{id}': {
    /** Get a kanban comment */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanComment
    }
    /** Change a kanban comment */
    patch: {
      path: { id: string }
      body: UpdateKanbanComment
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanComment
    }
    /** Delete a kanban comment */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/kanban-items/{id}/attachments': {
    /** List the attachments of an item */
    get: {
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Attachment[]
    }
    /** Attach files, or a link */
    post: {
      path: { id: string }
      query?:
        | {
            /** The name of the file if the body is a file; a form contains the names */
            name?: string | undefined
          }
        | undefined
      body: CreateAttachment | BytesIn
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Attachment[] | Attachment
    }
  }
  '/api/attachments/{id}/thumbnail': {
    /** Store a small image of a file */
    put: {
      path: { id: string }
      body: BytesIn
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Attachment
    }
    /** Get the small image of a file */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: BytesOut
    }
  }
  '/api/attachments/{id}': {
    /** Get an attachment */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Attachment
    }
    /** Rename an attachment */
    patch: {
      path: { id: string }
      body: UpdateAttachment
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Attachment
    }
    /** Delete an attachment */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/attachments/{id}/content': {
    /** Download a file */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: BytesOut
    }
  }
  '/api/kanban-items/{id}/activity': {
    /** List the activity entries of an item, newest first */
    get: {
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanLabel[]
    }
    /** Create a kanban label */
    post: {
      path: { id: string }
      body: CreateKanbanLabel
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanLabel
    }
  }
  '/api/kanban-labels/{id}': {
    /** Get a kanban label */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: KanbanLabel
    }
    /** Change a kanban label */
    patch: {
      path: { id: string }
      body: UpdateKanbanLabel
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanLabel
    }
    /** Delete a kanban label */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/kanban-items/{id}/labels/{labelId}': {
    /** Add a label of the project to an item */
    put: {
      path: { id: string; labelId: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
    /** Remove a label from an item */
    delete: {
      path: { id: string; labelId: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: KanbanItem
    }
  }
  '/api/projects/{id}/watch': {
    /** Whether the caller watches a project */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Watch
    }
    /** Watch all items of a project */
    put: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Watch
    }
    /** Stop watching a project */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Watch
    }
  }
  '/api/kanban-items/{id}/watch': {
    /** Whether the caller watches an item */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Watch
    }
    /** Watch an item */
    put: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Watch
    }
    /** Stop watching an item */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Watch
    }
  }
  '/api/notifications': {
    /** List the caller's notifications, newest first */
    get: {
      query?:
        | {
            /** `true`: only unread ones; `false` if absent */
            unread?: 'true' | 'false' | undefined
            /** Only these kinds: `assigned`, `mentioned`, `commented`, `moved`, `due`, `unblocked`, `lease-lapsed`; may be comma-separated; may be repeated: any of them; empty does not filter */
            kind?: string | string[] | undefined
            /** Notifications per page; `100` if absent */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: MemberNotification[]
    }
  }
  '/api/notifications/count': {
    /** The number of the caller's unread notifications */
    get: {
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Unread
    }
  }
  '/api/notifications/read': {
    /** Mark the caller's notifications up to one as read */
    post: {
      body: ReadNotifications
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Unread
    }
  }
  '/api/notifications/{id}': {
    /** Mark a notification as read, or as unread */
    patch: {
      path: { id: string }
      body: UpdateNotification
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: MemberNotification
    }
  }
  '/api/projects/{id}/objectives': {
    /** List the objectives of a project */
    get: {
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Objective[]
    }
    /** Create an objective */
    post: {
      path: { id: string }
      body: CreateObjective
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Objective
    }
  }
  '/api/objectives/{id}': {
    /** Get an objective */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Objective
    }
    /** Change an objective */
    patch: {
      path: { id: string }
      body: UpdateObjective
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Objective
    }
    /** Delete an objective */
    delete: {
      path: { id: string }
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
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Metric[]
    }
    /** Create a metric */
    post: {
      path: { id: string }
      body: CreateMetric
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Metric
    }
  }
  '/api/metrics/{id}': {
    /** Get a metric */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Metric
    }
    /** Change a metric */
    patch: {
      path: { id: string }
      body: UpdateMetric
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Metric
    }
    /** Delete a metric */
    delete: {
      path: { id: string }
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
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TranscriptSummary[]
    }
    /** Create a transcript summary */
    post: {
      path: { id: string }
      body: CreateTranscriptSummary
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TranscriptSummary
    }
  }
  '/api/transcript-summaries/{id}': {
    /** Get a transcript summary */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TranscriptSummary
    }
    /** Change a transcript summary */
    patch: {
      path: { id: string }
      body: UpdateTranscriptSummary
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TranscriptSummary
    }
    /** Delete a transcript summary */
    delete: {
      path: { id: string }
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
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TeamAssignment[]
    }
    /** Assign a member to a project */
    post: {
      path: { id: string }
      body: CreateTeamAssignment
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TeamAssignment
    }
    /** Set the members of a project */
    put: {
      path: { id: string }
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TeamAssignment
    }
    /** Change the role of a team assignment */
    patch: {
      path: { id: string }
      body: UpdateTeamAssignment
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: TeamAssignment
    }
    /** Delete a team assignment */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/projects/{id}/share-links': {
    /** List the share links of a project that are still valid */
    get: {
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: ShareLink[]
    }
    /** Create a share link of a project */
    post: {
      path: { id: string }
      body?: CreateShareLink
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: NewShareLink
    }
  }
  '/api/share-links/{id}': {
    /** Get a share link */
    get: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: ShareLink
    }
    /** Revoke a share link */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/shared/{secret}': {
    /** Get the project of a share link */
    get: {
      path: {
        /** The secret of the link */
        secret: string
      }
      query?:
        | {
            /** `board`: the response also has `kanbanColumns`, and `people`, the names of the lead and of all assignees */
            expand?: 'board' | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: SharedProject
    }
  }
  '/api/ingest/transcript': {
    /** Store the record of a meeting and create items from its action items */
    post: {
      body: IngestTranscript
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: IngestedTranscript
    }
  }
  '/api/ingest/metrics': {
    /** Record values of a project's metrics */
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
        /** Import even if it was imported before; not for archives; `false` if absent */
        again?: boolean | undefined
        /** Only report what would be created; `false` if absent */
        dryRun?: boolean | undefined
        /** Match members of an archive by email; `false` if absent */
        mapMembers?: boolean | undefined
        /** Name of the project, instead of the name in the file; not for archives */
        name?: string | undefined
        /** Match people of the board by name, if exactly one person has it; not for archives; `false` if absent */
        matchNames?: boolean | undefined
        /** Match a person of the board with a person here, as `<from>=<to>`: id, name or email on the board, id or email here; may be repeated. Not for archives; e.g. `Ann Smith=ann@acme.example` */
        map?: string | string[] | undefined
      }
      body: BytesIn
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: ImportStarted
    }
    /** List the member's latest imports, newest first; admins see all */
    get: {
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Import[]
    }
  }
  '/api/imports/{id}': {
    /** Get the progress of an import */
    get: {
      path: { id: string }
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
            /** Owner of the ideas; by default the current member; may be repeated: any of them; empty does not filter */
            ownerId?: string | string[] | undefined
            /** Only ideas with this status; may be repeated: any of them; empty does not filter */
            status?:
              | 'idea'
              | 'ready'
              | 'promoted'
              | 'discarded'
              | (string & {})
              | ('idea' | 'ready' | 'promoted' | 'discarded' | (string & {}))[]
              | undefined
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
    /** Reorder personal ideas */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: PersonalIdea
    }
    /** Change an idea */
    patch: {
      path: { id: string }
      body: UpdatePersonalIdea
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: PersonalIdea
    }
    /** Delete an idea */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/personal-ideas/{id}/promote': {
    /** Create a project from an idea */
    post: {
      path: { id: string }
      body?: PromotePersonalIdea
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Project
    }
  }
  '/api/search': {
    /** Search all records that the caller may read */
    get: {
      query?:
        | {
            /** At most 50 different words; without any, nothing is found; e.g. `engine test` */
            q?: string | undefined
            /** Maximum number of results; `20` if absent */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
            /** Kinds to search: `project`, `kanban-item`, `kanban-comment`, `transcript-summary`, `personal-idea`; may be comma-separated; may be repeated: any of them; empty does not filter */
            kind?: string | string[] | undefined
            /** Only this project and its child records, which excludes ideas; empty does not filter */
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
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Webhook
    }
    /** Change a webhook */
    patch: {
      path: { id: string }
      body: UpdateWebhook
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Webhook
    }
    /** Delete a webhook */
    delete: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Success
    }
  }
  '/api/webhooks/{id}/test': {
    /** Send a test message to a webhook */
    post: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: WebhookDelivery
    }
  }
  '/api/webhooks/{id}/rotate-secret': {
    /** Rotate the secret of a webhook */
    post: {
      path: { id: string }
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: WebhookWithSecret
    }
  }
  '/api/webhooks/{id}/deliveries': {
    /** List the latest delivery attempts, newest first */
    get: {
      path: { id: string }
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
            cursor?: string | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: WebhookDelivery[]
    }
  }
  '/api/webhooks/{id}/replay': {
    /** Set the position of a webhook */
    post: {
      path: { id: string }
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
      path: { id: string }
      query?:
        | {
            /** Changes per page; 100 by default */
            limit?: number | undefined
            /** Changes before this one: from the `Link` of the previous page */
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
      path: { id: string }
      query?:
        | {
            /** Changes per page; 100 by default */
            limit?: number | undefined
            /** Changes before this one: from the `Link` of the previous page */
            cursor?: number | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: Change[]
    }
  }
  '/api/changes/{seq}/undo': {
    /** Undo the whole write that contains a change */
    post: {
      path: {
        /** The `seq` of any change of the write */
        seq: string
      }
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: Undone
    }
  }
  '/api/trash': {
    /** List the deleted projects and kanban items that can be restored */
    get: {
      query?:
        | {
            /** A project, even if deleted, and its items */
            projectId?: string | undefined
            /** Changes per page; 100 by default */
            limit?: number | undefined
            /** Changes before this one: from the `Link` of the previous page */
            cursor?: number | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: TrashEntry[]
    }
  }
  '/api/audit-log': {
    /** List sign-ins and changes of access rights, newest first */
    get: {
      query?:
        | {
            /** Records per page; all by default */
            limit?: number | undefined
            /** Where the page begins: from the `Link` of the previous page */
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
    /** Perform several requests in one transaction */
    post: {
      body: RunBatch
      /** Of your own, for repetitions by another process */
      idempotencyKey?: string | undefined
      answer: {
        results: {
          /** The route's status */
          status: number
          /** The route's response body */
          body: unknown
          /** If the response is a single record */
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
    /** List changes, oldest first */
    get: {
      query?:
        | {
            /** Continue after this `seq`: the `last` of the previous response; by default from the oldest stored change */
            after?: number | undefined
            /** Only records that belong to this project, or were moved out of it */
            projectId?: string | undefined
            /** Only this item and its child records */
            itemId?: string | undefined
            /** Only these kinds, comma-separated or repeated: member, team, person, project, kanban-column, kanban-label, kanban-item, kanban-subtask, kanban-comment, attachment, kanban-item-label, kanban-activity, objective, metric, transcript-summary, team-assignment, personal-idea */
            kind?: string | string[] | undefined
            /** Maximum number of changes; `100` if absent */
            limit?: number | undefined
            /** Seconds to wait for the next change if there is none yet; `0` if absent */
            wait?: number | undefined
          }
        | undefined
      /** The ETag that the record must still have */
      ifMatch?: string | undefined
      answer: {
        changes: Change[]
        /** Where to continue: the last examined change */
        last: number
      }
    }
  }
}
