/**
 * Issues in responses of Jira's search API: `/rest/api/2/search`, `/rest/api/3/search` and `/rest/api/3/search/jql`; one response,
 * a list of them (all pages), or a list of issues.
 */
import { isObject, type JsonObject } from '../../json.ts'
import { readableText } from './adf.ts'
import { type Issue, isSubtaskType, type JiraSource, type Progress } from './jira-board.ts'
import { UNKNOWN_AUTHOR } from './source-board.ts'
import {
  EMAIL_FIELDS,
  emailIn,
  idsIn,
  isEmpty,
  linkOf,
  note,
  number,
  objects,
  restrictedNote,
  text,
  time,
  without,
  withoutEmpty,
} from './source-values.ts'

/** Fields with a counterpart here. */
const READ = new Set([
  'summary',
  'description',
  'status',
  'priority',
  'assignee',
  'duedate',
  'created',
  'updated',
  'labels',
  'comment',
  'attachment',
  'project',
])
/** URLs of API resources and pictures, on every object of the response. */
const ADDRESSES = new Set(['self', 'avatarUrls', 'iconUrl'])
const ISSUE_READ = new Set(['key', 'fields', 'expand', 'self'])

/** Reads the issues of a search. */
export function readIssues(value: unknown): { issues: Issue[]; source: JiraSource } {
  return new Search(value).read()
}

class Search {
  readonly #issues: JsonObject[]
  readonly #names: JsonObject
  readonly #missing: number
  readonly #users = new Map<string, JsonObject>()
  readonly #emails = new Map<string, string>()
  readonly #projects = new Map<string, JsonObject>()
  readonly #keyOfId: ReadonlyMap<string, string>
  /** Who may read each restricted comment and work log. */
  readonly #restrictedComments: string[] = []
  readonly #restrictedWork: string[] = []
  #missingComments = 0
  #unreadable = 0

  constructor(value: unknown) {
    const pages = Array.isArray(value) ? objects(value) : [value as JsonObject]
    this.#issues = pages.flatMap((page) => (Array.isArray(page.issues) ? objects(page.issues) : [page]))
    this.#names = Object.fromEntries(
      pages.flatMap(({ names }) => (isObject(names) ? Object.entries(names) : [])),
    )
    const total = pages.reduce((most, page) => Math.max(most, number(page.total) ?? 0), 0)
    this.#missing = Math.max(0, total - this.#issues.length)
    this.#keyOfId = new Map(this.#issues.map(({ id, key }) => [text(id), text(key)]))
    this.#isCutShort = pages.at(-1)?.isLast === false
  }
  readonly #isCutShort: boolean

  read(): { issues: Issue[]; source: JiraSource } {
    const issues = this.#issues.map((issue) => this.#toIssue(issue))
    const projects = [...this.#projects.values()]
    const keys = projects.map(({ key }) => text(key)).filter((key) => key !== '')
    const hosts = this.#issues.map(({ self }) => hostOf(text(self)))
    const id = (keys.length > 0 ? keys : [...new Set(issues.map(({ key }) => key.replace(/-\d+$/, '')))])
      .sort()
      .join(',')
    return {
      issues,
      source: {
        id,
        name: projects
          .map((project) => text(project.name) || text(project.key))
          .filter((name) => name !== '')
          .join(', '),
        description: '',
        people: [...this.#users].map(([id, { displayName }]) => ({
          id,
          name: text(displayName),
          email: this.#emails.get(id) ?? '',
        })),
        rest: withoutEmpty({
          site: hosts.find((host) => host !== ''),
          projects,
          users: [...this.#users.values()],
        }),
        notes: [
          ...note(
            this.#missing,
            'missing issues',
            'the file has only a part of the search: add its other pages',
          ),
          ...(this.#isCutShort ? ['the file lacks the last page of the search: add the other pages'] : []),
          ...note(this.#missingComments, 'missing comments', 'the search returns only a part of them'),
          ...restrictedNote('comments', this.#restrictedComments, 'Jira'),
          ...restrictedNote('work logs', this.#restrictedWork, 'Jira'),
          ...note(this.#unreadable, 'unreadable dates', 'kept in metadata.jira'),
        ],
      },
    }
  }

  #toIssue(issue: JsonObject): Issue {
    const fields = isObject(issue.fields) ? issue.fields : {}
    const status = isObject(fields.status) ? fields.status : {}
    const type = isObject(fields.issuetype) ? fields.issuetype : {}
    const parent = isObject(fields.parent) ? fields.parent : {}
    const description = readableText(fields.description)
    const category = isObject(status.statusCategory) ? text(status.statusCategory.key) : ''
    if (isObject(fields.project)) this.#projects.set(text(fields.project.key), plain(fields.project))
    const isSubtask = type.subtask === true || isSubtaskType(text(type.name))
    const parentKey = text(parent.key) || (this.#keyOfId.get(text(parent.id)) ?? '')
    const unread: JsonObject = {}
    const read = (name: string) => {
      const at = time(fields[name])
      if (at === undefined && !isEmpty(fields[name])) unread[name] = fields[name]
      return at
    }
    const [dueDate, createdAt, updatedAt] = [read('duedate'), read('created'), read('updated')]
    this.#unreadable += Object.keys(unread).length
    const comments = this.#comments(fields.comment)
    const worklogs = objects(isObject(fields.worklog) ? fields.worklog.worklogs : null)
    this.#restrictedWork.push(...worklogs.flatMap((work) => readersOf(work) ?? []))
    return {
      key: text(issue.key),
      title: text(fields.summary),
      description: description.text,
      status: text(status.name),
      progress: isProgress(category) ? category : undefined,
      isResolved: !isEmpty(fields.resolution) || !isEmpty(fields.resolutiondate),
      priority: isObject(fields.priority) ? text(fields.priority.name) : '',
      assignees: idsIn([this.#user(fields.assignee)]),
      links: objects(fields.issuelinks).flatMap(({ type, inwardIssue, outwardIssue }) => {
        const [word, other] = isObject(outwardIssue) ? ['outward', outwardIssue] : ['inward', inwardIssue]
        return isObject(other)
          ? [{ type: linkOf(text(Object(type)[word as string])), to: text(other.key) }]
          : []
      }),
      dueDate: dueDate ?? null,
      createdAt,
      updatedAt,
      labels: Array.isArray(fields.labels) ? fields.labels.map(text).filter((label) => label !== '') : [],
      comments: comments.read,
      attachments: listOf(fields.attachment).map((attachment) => this.#toAttachment(attachment)),
      rank: this.#rank(fields),
      type: text(type.name),
      parent: isSubtask ? parentKey : '',
      rest: withoutEmpty({
        ...(plain(without(issue, ISSUE_READ)) as JsonObject),
        ...this.#otherFields(fields),
        ...unread,
        description: description.isWhole ? null : plain(fields.description),
        comments: comments.rest,
        status: plain(without(status, new Set(['name']))),
        priority: isObject(fields.priority) ? null : fields.priority,
      }),
    }
  }

  /** Fields without a counterpart; custom ones under their names from `expand=names`, if unique. */
  #otherFields(fields: JsonObject): JsonObject {
    const others = Object.entries(without(fields, READ))
    const taken = new Set(others.map(([key]) => key))
    return Object.fromEntries(
      others.map(([key, value]) => {
        const name = text(this.#names[key])
        const isNamed =
          key.startsWith('customfield_') &&
          name !== '' &&
          name !== '__proto__' &&
          !taken.has(name) &&
          !RESERVED.has(name)
        if (isNamed) taken.add(name)
        return [isNamed ? name : key, plain(value)]
      }),
    )
  }

  /** The rank of an issue: the value of the field of this name, or a value that looks like one. */
  #rank(fields: JsonObject): string {
    const custom = Object.entries(fields).filter(([key]) => key.startsWith('customfield_'))
    const [, rank] =
      custom.find(
        ([key, value]) =>
          this.#names[key] === 'Rank' || /^\d\|[0-9a-z]{1,100}:/.test(text(value).slice(0, 200)),
      ) ?? []
    return text(rank)
  }

  #comments(field: unknown): { read: Issue['comments']; rest: JsonObject[] } {
    const comments = objects(isObject(field) ? field.comments : field)
    const total = isObject(field) ? (number(field.total) ?? 0) : 0
    this.#missingComments += Math.max(0, total - comments.length)
    const rest: JsonObject[] = []
    this.#restrictedComments.push(...comments.flatMap((comment) => readersOf(comment) ?? []))
    const open = comments.filter((comment) => readersOf(comment) === undefined)
    const read = open.map((comment) => {
      const body = readableText(comment.body)
      const [createdAt, updatedAt] = [time(comment.created), time(comment.updated)]
      const other = plain(without(comment, COMMENT_READ)) as JsonObject
      const author = this.#user(comment.author)
      const editor = this.#user(comment.updateAuthor)
      const more = withoutEmpty({
        ...other,
        editor: editor === author ? null : editor,
        body: body.isWhole ? null : plain(comment.body),
      })
      if (
        Object.entries(more).some(([key, value]) => key !== 'id' && !(key === 'jsdPublic' && value === true))
      )
        rest.push(more)
      return {
        authorId: author ?? UNKNOWN_AUTHOR,
        text: body.text,
        createdAt,
        editedAt: updatedAt === createdAt ? null : (updatedAt ?? null),
      }
    })
    return { read, rest }
  }

  /** A file. Its name stays in the rest, beside the id, which texts refer to. */
  #toAttachment(attachment: unknown): Issue['attachments'][number] {
    const { filename, content, created, author, ...others } = isObject(attachment) ? attachment : {}
    const createdAt = time(created)
    const rest = plain(others)
    return {
      name: text(filename),
      url: text(content),
      creatorId: this.#user(author),
      createdAt,
      field: 'attachment',
      whole: plain(attachment),
      rest: withoutEmpty({ ...rest, filename, created: createdAt === undefined ? created : null }),
    }
  }

  /** The id of a user, whose other fields are stored once for the board. */
  #user(value: unknown): string | null {
    if (!isObject(value)) return text(value) || null
    const id = text(value.accountId) || text(value.name) || text(value.key) || text(value.displayName)
    // In place: a user may occur very often, with different fields each time.
    if (id === '') return null
    this.#users.set(id, Object.assign(this.#users.get(id) ?? {}, plain(value)))
    const email = emailIn(value.emailAddress)
    if (email !== '') this.#emails.set(id, email)
    return id
  }
}

/** The entries of a list; any other value that is not empty is one. */
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : isEmpty(value) ? [] : [value])

const COMMENT_READ = new Set(['author', 'updateAuthor', 'body', 'created', 'updated'])
const RESERVED = new Set(['description', 'comments', 'status', 'priority', 'subtasks', 'key', 'id'])

const isProgress = (key: string): key is Progress =>
  key === 'new' || key === 'indeterminate' || key === 'done'

/** Who may read a comment or a work log; undefined for everybody who may read its issue. */
function readersOf({ visibility, jsdPublic }: JsonObject): string | undefined {
  if (isObject(visibility) && !isEmpty(visibility))
    return `the ${text(visibility.type) || 'role'} ${text(visibility.value) || text(visibility.identifier)}`.trim()
  return jsdPublic === false ? 'the service team (internal)' : undefined
}

/** A value without URLs of resources and pictures, without emails of users, and without what only some may read. */
function plain(value: unknown): JsonObject
function plain(value: unknown): unknown {
  if (Array.isArray(value))
    return value.filter((one) => !isObject(one) || readersOf(one) === undefined).map(plain)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      ADDRESSES.has(key) || EMAIL_FIELDS.has(key) ? [] : [[key, plain(child)]],
    ),
  )
}

/** The site of a URL, or undefined. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : ''
}
