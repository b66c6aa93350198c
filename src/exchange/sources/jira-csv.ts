/** Jira's CSV export, of Cloud and of Server and Data Center: a row for each issue, many columns, some with the same name. */
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../json.ts'
import { nameKey } from './column-names.ts'
import { type Issue, isSubtaskType, type JiraSource, type Progress } from './jira-board.ts'
import { type SourceLink, UNKNOWN_AUTHOR } from './source-board.ts'
import { Dates } from './source-dates.ts'
import { Cells, type Table } from './source-tables.ts'
import { note } from './source-values.ts'

/** The columns with a field here, in the form of {@link nameKey}. */
const FIELDS = {
  key: ['issuekey', 'key'],
  issueId: ['issueid'],
  title: ['summary'],
  description: ['description'],
  status: ['status'],
  category: ['statuscategory'],
  resolution: ['resolution'],
  resolved: ['resolved'],
  priority: ['priority'],
  assignee: ['assignee'],
  assigneeId: ['assigneeid'],
  due: ['duedate'],
  created: ['created'],
  updated: ['updated'],
  labels: ['labels'],
  comments: ['comment', 'comments'],
  attachments: ['attachment', 'attachments'],
  rank: ['customfieldrank', 'rank'],
  type: ['issuetype'],
  parentKey: ['parentkey'],
  parentId: ['parentid'],
  parent: ['parent'],
} as const

type Field = keyof typeof FIELDS

/** Fields that are stored nowhere else; others are also stored in the rest. */
const CONSUMED: Field[] = [
  'key',
  'title',
  'description',
  'status',
  'priority',
  'due',
  'created',
  'updated',
  'labels',
  'comments',
  'attachments',
]

/** Columns about the project, the same on each of its issues. */
const PROJECT = new Set([
  'projectkey',
  'projectname',
  'projecttype',
  'projectlead',
  'projectleadid',
  'projectdescription',
  'projecturl',
])

const CATEGORIES = new Map<string, Progress>([
  ['to do', 'new'],
  ['new', 'new'],
  ['in progress', 'indeterminate'],
  ['done', 'done'],
  ['zu erledigen', 'new'],
  ['in arbeit', 'indeterminate'],
  ['fertig', 'done'],
  ['erledigt', 'done'],
])

export function readIssues(table: Table): { issues: Issue[]; source: JiraSource } {
  const reader = new IssueRows(table)
  table.forEachRow((cells, row) => reader.add(cells, row))
  return reader.finish()
}

/** An issue with unparsed dates: the order of day and month is known once all were seen. */
interface Draft {
  cells: { [field in 'due' | 'created' | 'updated']: string }
  comments: string[]
  attachments: string[]
  issue: Issue
  parent: { key: string; id: string; isSubtask: boolean }
  issueId: string
}

/** The columns of links: `Outward issue link (Blocks)`. */
const linksIn = (header: readonly string[]) =>
  header.flatMap((name, index): { index: number; type: SourceLink['type'] }[] => {
    const [, way, kind = ''] = /^(inward|outward) issue link \((\w{1,40})/i.exec(name) ?? []
    if (way === undefined) return []
    const isOut = way.toLowerCase() === 'outward'
    if (/^block/i.test(kind)) return [{ index, type: isOut ? 'blocks' : 'blocked_by' }]
    return [{ index, type: /^duplicate/i.test(kind) && isOut ? 'duplicates' : 'relates' }]
  })

class IssueRows {
  readonly #header: readonly string[]
  readonly #places: ReadonlyMap<string, number[]>
  readonly #projectPlaces: number[]
  readonly #used: ReadonlySet<number>
  readonly #cells: Cells
  readonly #dates = new Dates('month')
  readonly #drafts: Draft[] = []
  readonly #projects = new Map<string, JsonObject>()
  readonly #users = new Map<string, string>()
  readonly #linkPlaces: ReturnType<typeof linksIn>
  readonly #userPlaces: readonly [number, number][]

  constructor({ header }: Table) {
    this.#header = header
    this.#places = Map.groupBy(header.keys(), (index) => nameKey(header[index] ?? ''))
    this.#projectPlaces = [...header.keys()].filter((index) => PROJECT.has(nameKey(header[index] ?? '')))
    this.#used = new Set([...CONSUMED.flatMap((field) => this.#placesOf(field)), ...this.#projectPlaces])
    this.#cells = new Cells(header, [
      ...linksIn(header).map(({ index }) => index),
      ...(Object.keys(FIELDS) as Field[]).flatMap((field) => this.#placesOf(field)),
      ...this.#projectPlaces,
    ])
    this.#linkPlaces = linksIn(header)
    this.#userPlaces = this.#pairs()
  }

  #placesOf(field: Field): number[] {
    return FIELDS[field].map((name) => this.#places.get(name)).find((found) => found !== undefined) ?? []
  }

  add(cells: readonly string[], row: number): void {
    const all = (field: Field) => this.#placesOf(field).flatMap((index) => cells[index]?.toWellFormed() || [])
    const cell = (field: Field) => all(field)[0] ?? ''
    const dates = { due: cell('due'), created: cell('created'), updated: cell('updated') }
    for (const date of Object.values(dates)) this.#dates.see(date)
    this.#learnUsers(cells)
    const assigneeId = cell('assigneeId') || cell('assignee')
    const key = cell('key') || `row ${row}`
    const type = cell('type')
    // Cloud has parents of any kind (also epics); the older column is only for sub-tasks.
    const isSubtask = isSubtaskType(type) || (type === '' && cell('parentId') !== '')
    this.#drafts.push({
      cells: dates,
      comments: all('comments'),
      attachments: all('attachments'),
      issueId: cell('issueId'),
      parent: { key: cell('parentKey') || cell('parent'), id: cell('parentId') || cell('parent'), isSubtask },
      issue: {
        key,
        title: cell('title'),
        description: cell('description'),
        status: cell('status'),
        progress: CATEGORIES.get(cell('category').toLowerCase()),
        isResolved: cell('resolved') !== '' || !UNRESOLVED.has(cell('resolution').toLowerCase()),
        priority: cell('priority'),
        assignees: assigneeId === '' ? [] : [assigneeId],
        links: this.#linkPlaces.flatMap(({ index, type }) =>
          cells[index] ? [{ type, to: cells[index].toWellFormed() }] : [],
        ),
        dueDate: null,
        createdAt: undefined,
        updatedAt: undefined,
        labels: all('labels').flatMap((labels) => labels.split(/[\s,;]+/).filter((label) => label !== '')),
        comments: [],
        attachments: [],
        rank: cell('rank'),
        type,
        parent: '',
        rest: this.#rest(cells, assigneeId),
      },
    })
  }

  /** The values without a field. The project's data is stored once, unless an issue differs. */
  #rest(cells: readonly string[], assigneeId: string): JsonObject {
    const project = this.#cells.pick(cells, this.#projectPlaces)
    const rest = this.#cells.rest(cells, this.#used)
    const assigneePlaces = ['assigneeid', 'assignee'].flatMap((name) => this.#places.get(name) ?? [])
    for (const place of assigneePlaces) {
      const name = this.#header[place] ?? ''
      if (rest[name] === assigneeId) delete rest[name]
    }
    const key = project[this.#projectKeyName] ?? ''
    if (Object.keys(project).length === 0) return rest
    const known = this.#projects.get(String(key))
    if (known === undefined) this.#projects.set(String(key), project)
    return known === undefined || isDeepStrictEqual(known, project) ? rest : { ...project, ...rest }
  }

  get #projectKeyName(): string {
    const place = this.#places.get('projectkey')?.[0]
    return place === undefined ? '' : (this.#header[place] ?? '')
  }

  /** Cloud has two columns for people, `Assignee` and `Assignee Id`: maps names to ids. */
  #learnUsers(cells: readonly string[]): void {
    for (const [place, idPlace] of this.#userPlaces) {
      const [user, id] = [cells[place] ?? '', cells[idPlace] ?? '']
      if (user !== '' && id !== '') this.#users.set(id, user)
    }
  }

  /** The columns of people's names, with their id columns. */
  #pairs(): [number, number][] {
    return [...this.#places].flatMap(([name, places]) => {
      const ids = this.#places.get(`${name}id`) ?? []
      if (ids.length !== places.length || name === 'issue' || name === 'parent') return []
      return places.map((place, index): [number, number] => [place, ids[index] ?? -1])
    })
  }

  finish(): { issues: Issue[]; source: JiraSource } {
    const keyOfId = new Map(this.#drafts.map(({ issueId, issue }) => [issueId, issue.key]))
    const keys = new Set(this.#drafts.map(({ issue }) => issue.key))
    let unreadable = 0
    for (const draft of this.#drafts) {
      unreadable += this.#withDates(draft)
      const { key, id, isSubtask } = draft.parent
      const parent = keys.has(key) ? key : id === '' ? undefined : keyOfId.get(id)
      draft.issue.parent = isSubtask && parent !== undefined && parent !== draft.issue.key ? parent : ''
    }
    const projects = [...this.#projects.values()]
    const field = (project: JsonObject, name: string) =>
      String(Object.entries(project).find(([key]) => nameKey(key) === name)?.[1] ?? '')
    const names = projects.map((project) => field(project, 'projectname') || field(project, 'projectkey'))
    return {
      issues: this.#drafts.map(({ issue }) => issue),
      source: {
        id: [...new Set(this.#projectKeys(projects.map((project) => field(project, 'projectkey'))))]
          .sort()
          .join(','),
        name: names.filter((name) => name !== '').join(', '),
        description: projects[0] && projects.length === 1 ? field(projects[0], 'projectdescription') : '',
        people: [...this.#users].map(([id, name]) => ({ id, name, email: '' })),
        rest: {
          projects,
          ...(this.#users.size > 0 && {
            users: Object.fromEntries([...this.#users].filter(([id]) => id !== '__proto__')),
          }),
        },
        notes: [
          ...this.#dates.notes,
          ...note(unreadable, 'unreadable dates', 'kept in metadata.jira'),
          ...this.#cells.note('jira'),
        ],
      },
    }
  }

  /** The keys of the projects; in an export with few columns only the issue keys contain them. */
  #projectKeys(named: string[]): string[] {
    const keys = named.filter((key) => key !== '')
    return keys.length > 0 ? keys : this.#drafts.map(({ issue }) => issue.key.replace(/-\d+$/, ''))
  }

  /** Sets an issue's dates, comments and attachments. Returns the number of unreadable dates, which stay in its rest. */
  #withDates({ issue, cells, comments, attachments }: Draft): number {
    let unreadable = 0
    const read = (field: 'due' | 'created' | 'updated') => {
      const at = this.#dates.read(cells[field])
      if (at === undefined && cells[field] !== '') {
        unreadable += 1
        issue.rest[this.#header[this.#placesOf(field)[0] ?? -1] ?? field] = cells[field]
      }
      return at
    }
    issue.dueDate = read('due') ?? null
    issue.createdAt = read('created')
    issue.updatedAt = read('updated')
    issue.comments = comments.map((comment) => this.#toComment(comment))
    issue.attachments = attachments.map((attachment) => this.#toAttachment(attachment))
    return unreadable
  }

  /** An attachment is `date;author;name;URL`, where a name may contain semicolons; of anything else nothing is known. */
  #toAttachment(whole: string): Issue['attachments'][number] {
    const [date = '', author = '', ...others] = whole.split(';')
    const url = others.pop() ?? ''
    const createdAt = this.#dates.read(date)
    const field = this.#header[this.#placesOf('attachments')[0] ?? -1]?.toWellFormed() ?? ''
    return createdAt === undefined
      ? { name: '', url: '', creatorId: null, createdAt, field, whole }
      : { name: others.join(';'), url, creatorId: author || null, createdAt, field, whole }
  }

  /** A comment is `date;author;text`; anything else is only text. */
  #toComment(cell: string): Issue['comments'][number] {
    const first = cell.indexOf(';')
    const second = cell.indexOf(';', first + 1)
    const createdAt = first < 0 || second < 0 ? undefined : this.#dates.read(cell.slice(0, first))
    return createdAt === undefined
      ? { authorId: UNKNOWN_AUTHOR, text: cell, createdAt, editedAt: null }
      : {
          authorId: cell.slice(first + 1, second) || UNKNOWN_AUTHOR,
          text: cell.slice(second + 1),
          createdAt,
          editedAt: null,
        }
  }
}

const UNRESOLVED = new Set(['', 'unresolved', 'nicht erledigt'])
