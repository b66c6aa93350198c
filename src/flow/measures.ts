/** Computes a board's flow metrics from the histories of its items. */
import type { Stage } from '../board/stages.ts'
import type { Flow } from '../schemas/flow.ts'
import { DAY, dateOf, dayOf, inDays, timestampOf, weekOf } from './days.ts'
import { forecast } from './forecast.ts'
import type { ItemHistory, Visit } from './item-history.ts'
import { ascending, percentile, spread } from './quantiles.ts'

/** The measured days, inclusive, and the time of the latest data. */
export interface Range {
  from: number
  to: number
  /** The end of the last day, or now if that is earlier. */
  end: number
}

export interface BoardColumn {
  name: string
  stage: Stage
}

/** The state of an item at the end of the range. */
interface Course {
  arrived: number | undefined
  started: number | undefined
  finished: number | undefined
  /** The current visit at the end; undefined if the item does not count then. */
  current: Visit | undefined
}

/** Where an item was, and when it was dismissed. */
type Stays = Pick<ItemHistory, 'visits' | 'dismissed'>

/** A span of time. */
type Span = Pick<Visit, 'from' | 'to'>

const daysOf = ({ from, to }: Range): number => to - from + 1

/** The time itself or, if the item is dismissed then, the end of that interval. */
function unlessDismissed(time: number, dismissed: ItemHistory['dismissed']): number {
  for (const { from, to } of dismissed) {
    if (from <= time && time < to) return to
  }
  return time
}

/** Whether the moment just before a time is in a span. */
const isJustBefore = (time: number, { from, to }: Span): boolean => from < time && time <= to

/**
 * The beginning of the latest stay in done columns, if the item has not left them since. A deletion does not
 * leave them, nor does a move while it is dismissed: that counts once it is restored.
 */
function doneSince(
  { visits, dismissed }: Stays,
  stageOf: (column: string) => Stage,
  end: number,
): number | undefined {
  const asOf = dismissed.find((gap) => isJustBefore(end, gap))?.from ?? end
  let since: number | undefined
  for (const visit of visits.toReversed()) {
    if (visit.end === 'left' && visit.to < end) break
    if (visit.from >= asOf) continue
    if (stageOf(visit.column) !== 'done') break
    since = visit.from
  }
  return since
}

function courseOf({ visits, dismissed }: Stays, stageOf: (column: string) => Stage, end: number): Course {
  const known = (time: number | undefined) => {
    const shown = time === undefined ? undefined : unlessDismissed(time, dismissed)
    return shown !== undefined && shown < end ? shown : undefined
  }
  const last = visits.at(-1)
  const isThere = last !== undefined && last.to >= end && !dismissed.some((gap) => isJustBefore(end, gap))
  return {
    arrived: known(visits[0]?.from),
    started: known(visits.find(({ column }) => stageOf(column) !== 'todo')?.from),
    finished: known(doneSince({ visits, dismissed }, stageOf, end)),
    current: isThere ? last : undefined,
  }
}

/** The parts of a visit in which the item was not dismissed. */
function counted(visit: Visit, dismissed: ItemHistory['dismissed']): readonly Span[] {
  if (dismissed.length === 0) return [visit]
  const spans: Span[] = []
  let start = visit.from
  for (const gap of dismissed) {
    if (gap.to <= start) continue
    if (gap.from >= visit.to) break
    if (gap.from > start) spans.push({ from: start, to: gap.from })
    start = gap.to
    if (start >= visit.to) return spans
  }
  return [...spans, { from: start, to: visit.to }]
}

class ColumnCounts {
  readonly #range: Range
  /** Differences of its number of items between the ends of consecutive days, and after the range. */
  readonly #changes: Int32Array
  /** Durations in days of the stays that ended in the range with a move to another column. */
  readonly stays: number[] = []

  constructor(range: Range) {
    this.#range = range
    this.#changes = new Int32Array(daysOf(range) + 1)
  }

  /** Counts a stay that did not end before the range. */
  add(visit: Visit, dismissed: ItemHistory['dismissed']): void {
    const { end } = this.#range
    for (const { from, to } of counted(visit, dismissed)) {
      if (from >= end) continue
      this.#change(from, 1)
      if (to < end) this.#change(to, -1)
    }
    if (visit.end === 'moved' && visit.to < end) this.stays.push(inDays(visit.to - visit.from))
  }

  #change(time: number, by: number): void {
    const day = dayOf(time) - this.#range.from
    const index = Math.min(Math.max(day, 0), this.#changes.length - 1)
    this.#changes[index] = (this.#changes[index] as number) + by
  }

  /** Its number of items at the end of each day. */
  byDay(): Int32Array {
    let count = 0
    return this.#changes.subarray(0, -1).map((change) => {
      count += change
      return count
    })
  }
}

/** A column in the range. */
interface ShownColumn {
  name: string
  counts: ColumnCounts
  byDay: Int32Array
}

function throughputOf(finished: readonly number[], from: number): Flow['throughput'] {
  const perWeek: { week: string; finished: number }[] = []
  for (const [index, count] of finished.entries()) {
    const week = weekOf(from + index)
    const last = perWeek.at(-1)
    if (last?.week === week) last.finished += count
    else perWeek.push({ week, finished: count })
  }
  const total = finished.reduce((sum, count) => sum + count, 0)
  return { perWeek, mean: Math.round((total / finished.length) * 700) / 100 }
}

const timeInColumn = (columns: readonly ShownColumn[]): Flow['timeInColumn'] =>
  columns.map(({ name, counts }) => {
    const sorted = ascending(counts.stays)
    return { column: name, p50: percentile(sorted, 50), p85: percentile(sorted, 85) }
  })

/** An item that was finished in the range. */
interface Finished {
  id: string
  title: string
  arrived: number
  started: number
  finished: number
}

/** An item in progress at the end. */
interface Ongoing {
  id: string
  title: string
  column: string
  started: number
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)

function cycleTimeOf(finished: readonly Finished[]): Flow['cycleTime'] {
  const items = finished.map(({ id, title, started, finished }) => {
    return {
      id,
      title,
      started: timestampOf(started),
      finished: timestampOf(finished),
      days: inDays(finished - started),
    }
  })
  return { ...spread(items.map(({ days }) => days)), items }
}

/** The items in progress, oldest first. */
const agesOf = (ongoing: readonly Ongoing[], end: number, p85: number | null): Flow['age'] =>
  ongoing
    .toSorted((a, b) => a.started - b.started || byId(a, b))
    .map(({ id, title, column, started }) => {
      const days = inDays(end - started)
      return { id, title, column, days, above85: p85 !== null && days > p85 }
    })

/** The flow metrics of a board in a range of days. */
export interface BoardHistory {
  projectId: string
  /** In the order of the board. */
  columns: readonly BoardColumn[]
  /** Read once, in order: the histories of many items need not be stored. */
  items: Iterable<ItemHistory>
  range: Range
}

/** Accumulates the metrics of a board, item by item. */
class Tally {
  readonly #range: Range
  readonly #stages: ReadonlyMap<string, Stage>
  readonly #columns = new Map<string, ColumnCounts>()
  readonly #ensureFew: (columns: number) => void
  readonly arrivedByDay: number[]
  /** The items that were finished on each day. */
  readonly finishedByDay: Finished[][]
  readonly ongoing: Ongoing[] = []
  remaining = 0
  /** The first day on which an item was there; undefined if none was. */
  firstDay: number | undefined

  constructor(columns: readonly BoardColumn[], range: Range, ensureFew: (columns: number) => void) {
    this.#range = range
    this.#stages = new Map(columns.map(({ name, stage }) => [name, stage]))
    this.#ensureFew = ensureFew
    this.arrivedByDay = new Array(daysOf(range)).fill(0)
    this.finishedByDay = Array.from({ length: daysOf(range) }, () => [])
    for (const { name } of columns) this.#columnOf(name)
  }

  readonly #stageOf = (column: string): Stage => this.#stages.get(column) ?? 'doing'

  #columnOf(name: string): ColumnCounts {
    let column = this.#columns.get(name)
    if (column === undefined) {
      this.#ensureFew(this.#columns.size + 1)
      column = new ColumnCounts(this.#range)
      this.#columns.set(name, column)
    }
    return column
  }

  add({ id, title, visits: all, dismissed }: ItemHistory): void {
    const { from, end } = this.#range
    const visits = all.filter((visit) => visit.from < end)
    for (const visit of visits) {
      if (visit.to >= from * DAY) this.#columnOf(visit.column).add(visit, dismissed)
    }
    const { arrived, started, finished, current } = courseOf({ visits, dismissed }, this.#stageOf, end)
    if (arrived !== undefined) this.firstDay = Math.min(this.firstDay ?? Infinity, dayOf(arrived))
    const arrivedOn = arrived === undefined ? -1 : dayOf(arrived) - from
    if (arrivedOn >= 0) this.arrivedByDay[arrivedOn] = (this.arrivedByDay[arrivedOn] as number) + 1
    if (finished !== undefined) {
      // A finished item has also arrived and been started.
      const item = { id, title, arrived, started, finished } as Finished
      this.finishedByDay[dayOf(finished) - from]?.push(item)
    }
    const stage = current && this.#stageOf(current.column)
    if (current === undefined || stage === 'done') return
    this.remaining += 1
    if (stage === 'doing')
      this.ongoing.push({ id, title, column: current.column, started: started as number })
  }

  /** The columns in the range: those of the board, then unresolved names that items were in or left. */
  shown(): ShownColumn[] {
    const all = [...this.#columns].map(([name, counts]) => ({ name, counts, byDay: counts.byDay() }))
    const own = all.filter(({ name }) => this.#stages.has(name))
    const others = all.filter(
      ({ name, counts, byDay }) =>
        !this.#stages.has(name) && (counts.stays.length > 0 || byDay.some((count) => count > 0)),
    )
    return [...own, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))]
  }
}

/**
 * Computes the flow metrics of a board; docs/flow.md defines each number.
 * @param ensureFew throws if there are too many columns to count day by day
 */
export function flowOf(
  { projectId, columns, items, range }: BoardHistory,
  ensureFew: (columns: number) => void,
): Flow {
  const { from, to, end } = range
  const tally = new Tally(columns, range, ensureFew)
  for (const item of items) tally.add(item)
  const shown = tally.shown()
  // Grouped by day, fewer must be compared.
  const finished = tally.finishedByDay.flatMap((ofDay) =>
    ofDay.sort((a, b) => a.finished - b.finished || byId(a, b)),
  )
  const finishedByDay = tally.finishedByDay.map((ofDay) => ofDay.length)
  const cycleTime = cycleTimeOf(finished)
  // Before its first item, nothing could be finished, so those days are irrelevant for the pace.
  const past = finishedByDay.slice(Math.max(0, (tally.firstDay ?? from) - from))
  const ahead = forecast(tally.remaining, past, projectId)
  const on = (days: number | undefined) => (days === undefined ? null : dateOf(to + days))
  return {
    from: dateOf(from),
    to: dateOf(to),
    days: tally.arrivedByDay.map((arrived, index) => ({
      date: dateOf(from + index),
      arrived,
      finished: finishedByDay[index] as number,
      byColumn: Object.fromEntries(shown.map(({ name, byDay }) => [name, byDay[index] as number])),
    })),
    cycleTime,
    leadTime: spread(finished.map(({ arrived, finished }) => inDays(finished - arrived))),
    throughput: throughputOf(finishedByDay, from),
    timeInColumn: timeInColumn(shown),
    age: agesOf(tally.ongoing, end, cycleTime.p85),
    forecast: { remaining: tally.remaining, p50: on(ahead?.p50), p85: on(ahead?.p85), p95: on(ahead?.p95) },
  }
}
