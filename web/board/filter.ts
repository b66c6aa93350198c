/** The filter of a board in the address: `?q=&label=&assignee=&priority=&due=&dismissed=1`. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { dayOf, isOverdue, today } from '../common/dates.ts'

/** Which due dates: passed, today, within the next seven days (passed ones too), or none. */
export const DUES = ['overdue', 'today', 'week', 'none'] as const
export type Due = (typeof DUES)[number]

/** A filter. Any of several values of one kind matches; all kinds must match. */
export interface Filter {
  /** Lower case; in the title or the description. */
  text: string
  /** Names or ids; `none` for cards without. */
  labels: readonly string[]
  /** Ids, `me`, or `none`. */
  assignees: readonly string[]
  priorities: readonly string[]
  dues: readonly Due[]
  /** Whether dismissed cards are shown as well. */
  dismissed: boolean
}

/** The context that the filter's special values need. */
export interface FilterContext {
  /** The id of `me`, if known. */
  me: string | undefined
  now: Date
  /** Whether a column is done, so that its cards are not overdue. */
  isDone: (column: string) => boolean
}

/** The names of the filter's parts in an address. */
export const FILTER_NAMES = ['q', 'label', 'assignee', 'priority', 'due', 'dismissed'] as const

/** The filter of an address; unknown parts are ignored. */
export function filterOf(query: URLSearchParams): Filter {
  const all = (name: string) => query.getAll(name).filter((value) => value !== '')
  return {
    text: (query.get('q') ?? '').trim().toLowerCase(),
    labels: all('label'),
    assignees: all('assignee'),
    priorities: all('priority'),
    dues: all('due').filter((due): due is Due => (DUES as readonly string[]).includes(due)),
    dismissed: query.get('dismissed') === '1',
  }
}

/** The filter's part of an address, with its question mark; empty without a filter. */
export function filterQuery(query: URLSearchParams): string {
  const own = new URLSearchParams()
  for (const name of FILTER_NAMES) {
    for (const value of query.getAll(name)) if (value !== '') own.append(name, value)
  }
  const text = own.toString()
  return text && `?${text}`
}

/** Whether it hides any card that is not dismissed. */
export const isNarrowing = ({ text, labels, assignees, priorities, dues }: Filter): boolean =>
  text !== '' || labels.length + assignees.length + priorities.length + dues.length > 0

/** Whether a card is shown. */
export function matches(item: KanbanItem, filter: Filter, context: FilterContext): boolean {
  return (
    (filter.dismissed || !item.dismissed) &&
    hasText(item, filter.text) &&
    anyOf(filter.labels, (label) => hasLabel(item, label)) &&
    anyOf(filter.assignees, (who) => item.assigneeId === assigneeOf(who, context)) &&
    anyOf(filter.priorities, (priority) => item.priority === priority) &&
    anyOf(filter.dues, (due) => isDue(item, due, context))
  )
}

const anyOf = <T>(wanted: readonly T[], holds: (one: T) => boolean) =>
  wanted.length === 0 || wanted.some(holds)

const hasText = ({ title, description }: KanbanItem, text: string) =>
  text === '' || title.toLowerCase().includes(text) || description.toLowerCase().includes(text)

const hasLabel = ({ labels }: KanbanItem, wanted: string) =>
  wanted === 'none' ? labels.length === 0 : labels.some(({ id, name }) => id === wanted || name === wanted)

/** @returns undefined, which no card has, for `me` where nobody is known */
const assigneeOf = (who: string, { me }: FilterContext) => (who === 'none' ? null : who === 'me' ? me : who)

const WEEK = 7 * 86_400_000

function isDue(item: KanbanItem, due: Due, { now, isDone }: FilterContext): boolean {
  const { dueDate, column } = item
  if (dueDate === null) return due === 'none'
  const day = dayOf(dueDate)
  if (due === 'overdue') return isOverdue(item, now) && !isDone(column)
  if (due === 'today') return day === today(now)
  return due === 'week' && day <= today(new Date(now.getTime() + WEEK))
}
