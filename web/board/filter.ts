/** The filter of a board in the address: `?q=&label=&assignee=&priority=&due=&dismissed=1`. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { fold } from '../../src/folding.ts'
import { dayOf, isOverdue } from '../common/dates.ts'
import { isSame } from '../common/matches.ts'

/** Due dates: overdue, today, within the next seven days (including overdue ones), or none. */
const DUES = ['overdue', 'today', 'week', 'none'] as const
export type Due = (typeof DUES)[number]

/** A filter. A card matches a part if it has any of its values, and must match all parts. */
export interface Filter {
  /** In lower case. The title or the description must contain it. */
  text: string
  /** Names or ids, or `none` for cards without a label. */
  labels: readonly string[]
  /** Ids, `me`, or `none`. */
  assignees: readonly string[]
  priorities: readonly string[]
  dues: readonly Due[]
  /** Whether dismissed cards are shown too. */
  dismissed: boolean
}

/** The data for the filter's special values. */
interface FilterContext {
  /** The id of the user, for `me`, if known. */
  me: string | undefined
  /** `YYYY-MM-DD` */
  today: string
  /** Whether a column is done. Its cards are not overdue. */
  isDone: (column: string) => boolean
}

/** The names of the filter's parameters in an address. */
export const FILTER_NAMES = ['q', 'label', 'assignee', 'priority', 'due', 'dismissed'] as const

/** The filter in an address. Unknown parameters are ignored. */
export function filterOf(query: URLSearchParams): Filter {
  const all = (name: string) => query.getAll(name).filter((value) => value !== '')
  return {
    text: fold((query.get('q') ?? '').trim()),
    labels: all('label'),
    assignees: all('assignee'),
    priorities: all('priority'),
    dues: all('due').filter((due): due is Due => (DUES as readonly string[]).includes(due)),
    dismissed: query.get('dismissed') === '1',
  }
}

/** The filter as a query string with its question mark; empty without a filter. */
export function filterQuery(query: URLSearchParams): string {
  const own = new URLSearchParams()
  for (const name of FILTER_NAMES) {
    for (const value of query.getAll(name)) if (value !== '') own.append(name, value)
  }
  const text = own.toString()
  return text && `?${text}`
}

/** Whether the filter hides any card that is not dismissed. */
export const isNarrowing = ({ text, labels, assignees, priorities, dues }: Filter): boolean =>
  text !== '' || labels.length + assignees.length + priorities.length + dues.length > 0

/** Whether a card is shown. */
export function matches(item: KanbanItem, filter: Filter, context: FilterContext): boolean {
  return (
    (filter.dismissed || !item.dismissed) &&
    hasText(item, filter.text) &&
    anyOf(filter.labels, (label) => hasLabel(item, label)) &&
    anyOf(filter.assignees, (who) => isAssigned(item, who, context)) &&
    anyOf(filter.priorities, (priority) => item.priority === priority) &&
    anyOf(filter.dues, (due) => isDue(item, due, context))
  )
}

const anyOf = <T>(wanted: readonly T[], holds: (one: T) => boolean) =>
  wanted.length === 0 || wanted.some(holds)

const hasText = ({ title, description }: KanbanItem, text: string) =>
  text === '' || fold(title).includes(text) || fold(description).includes(text)

const hasLabel = ({ labels }: KanbanItem, wanted: string) =>
  wanted === 'none'
    ? labels.length === 0
    : labels.some(({ id, name }) => id === wanted || isSame(name, wanted))

/** Whether somebody is among the assignees; no card is of `me` if the user is unknown. */
const isAssigned = ({ assigneeIds }: KanbanItem, who: string, { me = '' }: FilterContext) =>
  who === 'none' ? assigneeIds.length === 0 : assigneeIds.includes(who === 'me' ? me : who)

const WEEK = 7 * 86_400_000

function isDue(item: KanbanItem, due: Due, { today, isDone }: FilterContext): boolean {
  const { dueDate, column } = item
  if (dueDate === null) return due === 'none'
  const day = dayOf(dueDate)
  if (due === 'overdue') return isOverdue(item, today) && !isDone(column)
  if (due === 'today') return day === today
  return due === 'week' && Date.parse(day) <= Date.parse(today) + WEEK
}
