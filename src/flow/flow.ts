/** The flow metrics of a board: how its items move from todo to done columns. */
import type { Reader } from '../changes/api-changes.ts'
import type { Changes } from '../changes/changes.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { projects } from '../db/schema.ts'
import { existsIn } from '../db/statements.ts'
import {
  ensureFew,
  isFollowedByWorker,
  isLimited,
  ROWS_READ,
  ROWS_SCANNED,
  rowLimit,
  TooMuchWork,
} from '../db/work-limits.ts'
import { invalidField } from '../errors.ts'
import { ref } from '../schemas/common.ts'
import { FlowSchema } from '../schemas/flow.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'
import { parseTimestamp } from '../time.ts'
import { DAY, dayOf, timeOf } from './days.ts'
import type { FlowFilter } from './deleted-items.ts'
import { historyOf, type Recorded } from './item-history.ts'
import { type BoardHistory, flowOf, type Range } from './measures.ts'
import { FlowRecords } from './records.ts'

/** Default length of a range in days, and maximum days between its ends: three years, including a leap year. */
const DAYS = 90
const DAYS_LIMIT = 3 * 365 + 1

/** Most counts of columns per day: on the event loop, and in total. */
const COUNTS_ON_LOOP = 20_000
const COUNTS_LIMIT = 1_000_000

/** Most unindexed changes to scan on the event loop: some 5 ms. */
const TAIL = 10_000

/** Tolerance for timestamps in the future, in milliseconds: SQLite's own are rounded, and other tools' clocks may be ahead. */
const AHEAD = 1000

/** The range and the filter. */
export interface FlowQuery extends FlowFilter {
  /** The first and the last day; a date-time means its day. */
  from?: string
  to?: string
}

const dayNamed = (text: string): number => dayOf(timeOf(parseTimestamp(text)))

/**
 * The requested range. It ends today at the latest.
 * @param now milliseconds since 1970
 * @throws ApiError 400 for a range that is longer than three years, has not begun, or ends before it begins
 */
function rangeOf({ from, to }: Pick<FlowQuery, 'from' | 'to'>, now: number): Range {
  const today = dayOf(now)
  const last = Math.min(to ? dayNamed(to) : today, today)
  const first = from ? dayNamed(from) : last - DAYS + 1
  if (first > today) throw invalidField('from', 'must not be in the future')
  if (first > last) throw invalidField('from', 'must not be after `to`')
  if (last - first > DAYS_LIMIT) throw invalidField('from', 'must be at most three years before `to`')
  return { from: first, to: last, end: Math.min((last + 1) * DAY, now + AHEAD) }
}

function statementsOf(db: SharedDatabase) {
  return {
    projectExists: existsIn(db, projects),
    limits: [
      rowLimit(db, 'kanban_items where project_id = +?', ROWS_READ),
      rowLimit(
        db,
        'kanban_activity where item_id in (select id from kanban_items where project_id = +?)',
        ROWS_SCANNED,
      ),
      rowLimit(db, 'change_subjects where subject = +?', ROWS_SCANNED),
    ],
  }
}

/** The histories of items, created lazily. */
function* historiesOf(items: Iterable<Recorded>, board: Parameters<typeof historyOf>[1]) {
  for (const item of items) yield historyOf(item, board)
}

/** The flow of boards. */
export class Flow {
  static readonly reads: readonly string[] = ['ofProject']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #records: FlowRecords
  readonly #subjects: Changes['subjects']
  readonly #visibility: Changes['visibility']
  readonly #toJson = createJsonWriter(ref(FlowSchema))

  constructor(db: SharedDatabase, { subjects, visibility }: Pick<Changes, 'subjects' | 'visibility'>) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#records = new FlowRecords(db)
    this.#subjects = subjects
    this.#visibility = visibility
  }

  /**
   * The flow of a project's board in a range of days, as JSON. docs/flow.md defines the numbers.
   * @param reader the caller
   * @param now milliseconds since 1970
   * @throws ApiError 404 for an unknown project; 400 for an invalid range, or one too long for the number of columns;
   * TooMuchWork
   */
  ofProject(projectId: string, query: FlowQuery, reader: Reader, now = Date.now()): JsonBytes {
    const range = rangeOf(query, now)
    const history = read(this.#db, () => {
      if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
      if (isLimited(this.#db)) {
        for (const limit of this.#sql.limits) limit(projectId)
        ensureFew(this.#db, this.#subjects.behind(), TAIL)
      }
      return this.#historyOf(projectId, query, range, reader)
    })
    const days = range.to - range.from + 1
    return this.#toJson(flowOf(history, (columns) => this.#ensureFewCounts(columns * days)))
  }

  #historyOf(projectId: string, filter: FlowFilter, range: Range, reader: Reader): BoardHistory {
    const view = this.#visibility.of(reader)
    const { columns, renames, items } = this.#records.of(projectId, filter, {
      indexed: this.#subjects.indexed(),
      memberId: reader.id,
      sees: view.isLimited ? (id, seq) => view.seesProject(id, seq) : undefined,
    })
    // Columns of done items may precede it, e.g. that of a closed list of Trello.
    const firstColumn = columns.find(({ stage }) => stage === 'todo') ?? columns[0]
    const board = { renames, firstColumn: firstColumn?.name }
    return { projectId, columns, items: historiesOf(items, board), range }
  }

  /**
   * @param counts of columns at the end of a day
   * @throws ApiError 400 for too many columns and days; TooMuchWork
   */
  #ensureFewCounts(counts: number): void {
    if (counts > COUNTS_LIMIT) throw invalidField('from', 'is too long ago for a board of so many columns')
    if (counts > COUNTS_ON_LOOP && isFollowedByWorker(this.#db)) throw new TooMuchWork()
  }
}
