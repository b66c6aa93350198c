/** A board of Jira issues, from any export. */
import { STAGES, type Stage } from '../../board/stages.ts'
import type { JsonObject } from '../../json.ts'
import { isNamedTodo } from './found-columns.ts'
import type {
  SourceAttachment,
  SourceBoard,
  SourceCard,
  SourceColumn,
  SourceComment,
  SourceLabel,
  SourceLink,
  SourcePerson,
} from './source-board.ts'
import { ByName, note, number, oldestFirst, priorityOf, span, withoutEmpty } from './source-values.ts'

/** The stage of a status, from Jira's status category. */
export type Progress = 'new' | 'indeterminate' | 'done'

export interface Issue {
  key: string
  title: string
  description: string
  status: string
  /** Undefined if missing in the file. */
  progress: Progress | undefined
  isResolved: boolean
  priority: string
  assignees: string[]
  links: SourceLink[]
  dueDate: string | null
  createdAt: string | undefined
  updatedAt: string | undefined
  labels: string[]
  comments: (Omit<SourceComment, 'createdAt'> & { createdAt: string | undefined })[]
  attachments: (Omit<SourceAttachment, 'createdAt'> & { createdAt: string | undefined })[]
  /** Orders the issues, if all have one. */
  rank: string
  type: string
  /** The key of a sub-task's parent, or empty. */
  parent: string
  rest: JsonObject
}

/** The board's data besides its issues. */
export interface JiraSource {
  id: string
  name: string
  description: string
  people: SourcePerson[]
  rest: JsonObject
  notes: string[]
}

/** More names of todo statuses, and names of done ones, if the file does not have the categories; all others are in between. */
const BEGINNINGS = new Set(['selected for development', 'reopened', 'aufgaben'])
const ENDS = new Set([
  'done',
  'closed',
  'resolved',
  'cancelled',
  'canceled',
  'released',
  'erledigt',
  'fertig',
  'geschlossen',
  'gelöst',
])

/** Whether an issue type is a sub-task, in common languages. */
export const isSubtaskType = (type: string): boolean =>
  /^(?:sub-?task|unteraufgabe|teilaufgabe|sous-tâche|subtarea|sottotask|subtarefa)/i.test(type.normalize())

/** Creates the board: statuses become columns, issues cards in the order of their rank, sub-tasks subtasks of their parents. */
export function toBoard(issues: readonly Issue[], { notes, ...source }: JiraSource): SourceBoard {
  const distinct = [...new Map(issues.toReversed().map((issue) => [issue.key, issue])).values()].reverse()
  const byKey = new Map(distinct.map((issue) => [issue.key, issue]))
  // Jira has no sub-tasks of sub-tasks: such an issue stays a card.
  const isSubtask = (issue: Issue) => issue.parent !== '' && byKey.get(issue.parent)?.parent === ''
  const subtasks = Map.groupBy(distinct.filter(isSubtask), ({ parent }) => parent)
  const shown = inOrder(distinct.filter((issue) => !isSubtask(issue)))
  const { first, last } = span(distinct.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]))
  const stages = stagesOf(distinct)
  const columns = new ByName((name): SourceColumn => {
    const stage = stages.get(name)
    return { name, color: '', wipLimit: 0, ...(stage && { stage }), createdAt: first }
  })
  const labels = new ByName((name): SourceLabel => ({ name, color: '', createdAt: first }))
  for (const status of inOrderOfWork(stages)) columns.of(status)
  const cards = shown.map((issue): SourceCard => {
    const createdAt = issue.createdAt ?? first
    const priority = priorityOf(issue.priority) ?? ''
    const children = subtasks.get(issue.key) ?? []
    return {
      id: issue.key,
      number: number(/-(\d+)$/.exec(issue.key)?.[1]),
      title: issue.title,
      description: issue.description,
      column: issue.status === '' ? undefined : columns.of(issue.status),
      position: undefined,
      priority,
      assignees: issue.assignees,
      links: issue.links,
      dueDate: issue.dueDate,
      dismissed: false,
      labels: [...new Set(issue.labels)].map((name) => labels.of(name)),
      subtasks: children.map((child) => ({
        title: child.title,
        completed: isDone(child),
        createdAt: child.createdAt ?? createdAt,
      })),
      comments: commentsOf(issue, createdAt),
      attachments: issue.attachments.map((attachment) => ({
        ...attachment,
        createdAt: attachment.createdAt ?? createdAt,
      })),
      rest: withoutEmpty({
        ...issue.rest,
        priority: priority === issue.priority ? null : issue.priority,
        subtasks: children.map((child) => whole(child, createdAt)),
      }),
      createdAt,
      updatedAt: issue.updatedAt ?? createdAt,
    }
  })
  return {
    format: 'jira',
    ...source,
    archived: false,
    createdAt: first,
    updatedAt: last,
    columns: columns.all,
    labels: labels.all,
    cards,
    remarks: {
      subtasks:
        subtasks.size > 0 ? ['from sub-tasks, whose other fields are kept in metadata.jira.subtasks'] : [],
    },
    notes: [...notes, ...note(issues.length - distinct.length, 'repeated issues', 'left out')],
  }
}

const commentsOf = ({ comments, updatedAt }: Issue, fallback: string): SourceComment[] =>
  oldestFirst(
    comments.map((comment) => ({ ...comment, createdAt: comment.createdAt ?? updatedAt ?? fallback })),
  )

/** The rest of an issue that becomes a subtask, which only has a title. */
const whole = (issue: Issue, fallback: string): JsonObject =>
  withoutEmpty({
    key: issue.key,
    title: issue.title,
    description: issue.description,
    status: issue.status,
    priority: issue.priority,
    assignees: issue.assignees,
    links: issue.links,
    dueDate: issue.dueDate,
    updatedAt: issue.updatedAt,
    labels: issue.labels,
    comments: commentsOf(issue, fallback),
    ...issue.rest,
    ...attachmentsOf(issue),
  })

/** The attachments of an issue as in the file. */
const attachmentsOf = ({ attachments }: Issue): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(attachments, ({ field }) => field)].map(([field, those]) => [
      field,
      those.map(({ whole }) => whole),
    ]),
  )

const isDone = ({ progress, status, isResolved }: Issue) =>
  progress === undefined ? isResolved || ENDS.has(status.toLowerCase()) : progress === 'done'

/** By rank, Jira's own order on a board, if all have one. */
function inOrder(issues: Issue[]): Issue[] {
  if (issues.some(({ rank }) => rank === '')) return issues
  return issues.toSorted((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)))
}

/** The stages of statuses: by Jira's category, or by name; undefined if unknown. */
function stagesOf(issues: readonly Issue[]): Map<string, Stage | undefined> {
  const stages = new Map<string, Stage | undefined>()
  for (const { status, progress } of issues) {
    if (status !== '' && !stages.has(status)) stages.set(status, stageOf(status, progress))
  }
  return stages
}

const OF_PROGRESS = { new: 'todo', indeterminate: 'doing', done: 'done' } as const

function stageOf(status: string, progress: Progress | undefined): Stage | undefined {
  if (progress !== undefined) return OF_PROGRESS[progress]
  const name = status.toLowerCase()
  return isNamedTodo(name) || BEGINNINGS.has(name) ? 'todo' : ENDS.has(name) ? 'done' : undefined
}

/** The statuses: todo first, done last. */
const inOrderOfWork = (stages: ReadonlyMap<string, Stage | undefined>): string[] =>
  [...stages]
    .toSorted(([, a = 'doing'], [, b = 'doing']) => STAGES.indexOf(a) - STAGES.indexOf(b))
    .map(([status]) => status)
