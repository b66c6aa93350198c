/** Items with a due date as a calendar. */
import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels, projects } from '../db/schema.ts'
import { amongIds, byFields, given, selectAll } from '../db/statements.ts'
import { rowLimit } from '../db/work-limits.ts'
import { parseTimestamp } from '../time.ts'
import { type CalendarEvent, writeCalendar } from './icalendar.ts'
import { type ItemFile, toFile } from './item-files.ts'
import { isAssignedTo } from './item-lists.ts'
import { isDone } from './stages.ts'

/** Events of a calendar, at most: those with the latest due dates. */
const EVENTS_LIMIT = 5000

/** Most items of a calendar that the event loop writes: some 10 ms. */
const FEW = 500

/** Characters of an item's description in an event. */
const BEGINNING = 300

/** The filter; absent and empty values do not filter. */
interface CalendarFilter {
  projectId?: string | undefined
  /** `me`: the caller. */
  assigneeId?: string | undefined
}

interface DueItem {
  id: string
  title: string
  description: string
  column: string
  priority: string
  dueDate: string
  updatedAt: string
  project: string
  /** Whether it is in a done column. */
  isDone: 0 | 1
}

const CONDITIONS: Record<string, SQL | undefined> = {
  projectId: eq(kanbanItems.projectId, given('projectId')),
  assigneeId: isAssignedTo('assigneeId'),
}

function statementsOf(db: SharedDatabase) {
  const { id, title, column, priority, dueDate, updatedAt } = kanbanItems
  return {
    due: byFields((names) =>
      selectAll<DueItem>(
        db,
        () =>
          db
            .select({
              id,
              title,
              column,
              priority,
              dueDate,
              updatedAt,
              description: sql<string>`substr(${kanbanItems.description}, 1, ${sql.raw(String(BEGINNING + 1))})`,
              project: projects.name,
              isDone,
            })
            .from(kanbanItems)
            .innerJoin(projects, eq(projects.id, kanbanItems.projectId))
            .where(
              and(
                gt(kanbanItems.dueDate, sql`''`),
                eq(kanbanItems.dismissed, sql`0`),
                ...names.map((name) => CONDITIONS[name]),
              ),
            )
            .orderBy(desc(kanbanItems.dueDate), desc(kanbanItems.id))
            .limit(sql.raw(String(EVENTS_LIMIT)) as never) as never,
      ),
    ),
    labels: selectAll<{ itemId: string; name: string }>(db, () =>
      db
        .select({ itemId: kanbanItemLabels.itemId, name: kanbanLabels.name })
        .from(kanbanItemLabels)
        .innerJoin(kanbanLabels, eq(kanbanLabels.id, kanbanItemLabels.labelId))
        .where(amongIds(kanbanItemLabels.itemId))
        .orderBy(kanbanLabels.name),
    ),
    limitItems: rowLimit(db, 'kanban_items', FEW),
  }
}

const shortened = (text: string): string =>
  text.length > BEGINNING ? `${text.slice(0, BEGINNING).trimEnd()} …` : text

/** The event of an item; undefined if another tool stored an invalid date. */
function eventOf(item: DueItem, labels: readonly string[]): CalendarEvent | undefined {
  const { id, title, description, column, priority, project, isDone } = item
  const start = parseTimestamp(item.dueDate)
  if (start === undefined) return undefined
  return {
    uid: `${id}@phaseboard`,
    start,
    summary: isDone ? `✓ ${title}` : title,
    description: [`${project} · ${column} · ${priority}`, shortened(description)]
      .filter(Boolean)
      .join('\n\n'),
    categories: labels,
    lastModified: parseTimestamp(item.updatedAt) ?? start,
  }
}

export class ItemCalendar {
  static readonly reads: readonly string[] = ['write']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /**
   * The items with a due date that are not dismissed, at most {@link EVENTS_LIMIT}, as iCalendar. Those in a column of
   * the stage `done` are marked as done.
   * @param memberId the caller
   * @throws TooMuchWork
   */
  write({ projectId, assigneeId }: CalendarFilter, memberId: string): ItemFile {
    return read(this.#db, () => {
      this.#sql.limitItems()
      const values = {
        projectId: projectId || undefined,
        assigneeId: assigneeId === 'me' ? memberId : assigneeId || undefined,
      }
      const items = this.#sql.due(values)(values)
      const ids = JSON.stringify(items.map(({ id }) => id))
      const labelsOf = Map.groupBy(this.#sql.labels({ ids }), ({ itemId }) => itemId)
      const events = items.flatMap(
        (item) => eventOf(item, labelsOf.get(item.id)?.map(({ name }) => name) ?? []) ?? [],
      )
      return toFile(writeCalendar('Phaseboard', events))
    })
  }
}
