/** What the histories of a board's items amount to: its flow. */
import type { Stage } from '../board/stages.ts'
import type { Flow } from '../schemas/flow.ts'
import { DAY, dateOf, dayOf, inDays, timestampOf, weekOf } from './days.ts'
import { forecast } from './forecast.ts'
import type { ItemHistory, Visit } from './item-history.ts'
import { ascending, percentile, spread } from './quantiles.ts'

/** The days that are measured, both included, and the moment up to which everything is known. */
export interface Range {
  from: number
  to: number
  /** The end of the last day, or now where that is earlier. */
  end: number
}

/** A column of a board. */
export interface BoardColumn {
  name: string
  stage: Stage
}

/** What an item has come to by the end of the range. */
interface Course extends ItemHistory {
  arrived: number | undefined
  started: number | undefined
  finished: number | undefined
  /** The visit that lasts at the end; undefined for an item that does not count then. */
  current: Visit | undefined
}

/** Counts of a day for each column. */
type ByColumn = ReadonlyMap<string, Int32Array>

/** The moment, or, where the item is dismissed then, the one from which it is no longer. */
function unlessDismissed(time: number, dismissed: ItemHistory['dismissed']): number {
  for (const { from, to } of dismissed) {
    if (from <= time && time < to) return to
  }
  return time
}

/** Whether an item is dismissed just before a moment. */
const isDismissedBefore = (time: number, dismissed: ItemHistory['dismissed']): boolean =>
  dismissed.some(({ from, to }) => from < time && time <= to)

/**
 * Where the latest stay in columns of finished work begins, of an item that has not left them since. To be deleted is not
 * to leave them.
 */
function doneSince(
  visits: readonly Visit[],
  stageOf: (column: string) => Stage,
  end: number,
): number | undefined {
  const last = visits.at(-1)
  if (last === undefined || (last.end === 'left' && last.to < end)) return undefined
  let since: number | undefined
  for (const visit of visits.toReversed()) {
    if (stageOf(visit.column) !== 'done' || (visit !== last && visit.end === 'left')) break
    since = visit.from
  }
  return since
}

function courseOf(history: ItemHistory, stageOf: (column: string) => Stage, end: number): Course {
  const visits = history.visits.filter((visit) => visit.from < end)
  const { dismissed } = history
  const known = (time: number | undefined) => {
    const shown = time === undefined ? undefined : unlessDismissed(time, dismissed)
    return shown !== undefined && shown < end ? shown : undefined
  }
  const last = visits.at(-1)
  const isThere = last !== undefined && last.to >= end && !isDismissedBefore(end, dismissed)
  return {
    ...history,
    visits,
    arrived: known(visits[0]?.from),
    started: known(visits.find(({ column }) => stageOf(column) !== 'todo')?.from),
    finished: known(doneSince(visits, stageOf, end)),
    current: isThere ? last : undefined,
  }
}

/** The parts of a visit in which the item was not dismissed. */
function* counted(
  { from, to }: Visit,
  dismissed: ItemHistory['dismissed'],
): Iterable<[from: number, to: number]> {
  let start = from
  for (const gap of dismissed) {
    if (gap.to <= start) continue
    if (gap.from >= to) break
    if (gap.from > start) yield [start, gap.from]
    start = gap.to
    if (start >= to) return
  }
  yield [start, to]
}

/** How many items each column held at the end of each day. */
function countByColumn(
  courses: readonly Course[],
  columns: readonly BoardColumn[],
  { from, to, end }: Range,
): ByColumn {
  const days = to - from + 1
  const counts = new Map<string, Int32Array>(columns.map(({ name }) => [name, new Int32Array(days + 1)]))
  const add = (ofColumn: Int32Array, day: number, change: number) => {
    const index = Math.min(Math.max(day - from, 0), days)
    ofColumn[index] = (ofColumn[index] as number) + change
  }
  for (const { visits, dismissed } of courses) {
    for (const visit of visits) {
      if (visit.to < from * DAY) continue
      let ofColumn = counts.get(visit.column)
      if (ofColumn === undefined) {
        ofColumn = new Int32Array(days + 1)
        counts.set(visit.column, ofColumn)
      }
      for (const [start, stop] of counted(visit, dismissed)) {
        if (start >= end) continue
        add(ofColumn, dayOf(start), 1)
        if (stop < end) add(ofColumn, dayOf(stop), -1)
      }
    }
  }
  for (const ofColumn of counts.values()) {
    for (let day = 1; day < days; day += 1)
      ofColumn[day] = (ofColumn[day] as number) + (ofColumn[day - 1] as number)
  }
  return counts
}

/** How many of some moments are on each day of the range. */
function countByDay(times: readonly (number | undefined)[], { from, to }: Range): number[] {
  const counts = new Array<number>(to - from + 1).fill(0)
  for (const time of times) {
    const index = time === undefined ? -1 : dayOf(time) - from
    if (index >= 0 && index < counts.length) counts[index] = (counts[index] as number) + 1
  }
  return counts
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

function timeInColumn(
  courses: readonly Course[],
  names: Iterable<string>,
  { from, end }: Range,
): Flow['timeInColumn'] {
  const spans = new Map<string, number[]>([...names].map((name) => [name, []]))
  for (const { visits } of courses) {
    for (const visit of visits) {
      if (visit.end === 'moved' && visit.to >= from * DAY && visit.to < end)
        spans.get(visit.column)?.push(inDays(visit.to - visit.from))
    }
  }
  return [...spans].map(([column, days]) => {
    const sorted = ascending(days)
    return { column, p50: percentile(sorted, 50), p85: percentile(sorted, 85) }
  })
}

const byTime =
  <T extends { id: string }>(timeOf: (one: T) => number) =>
  (a: T, b: T) =>
    timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1)

/** An item that was finished. */
type Finished = Course & { started: number; finished: number }

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

/** The items that are being worked on, the oldest first. */
function agesOf(
  courses: readonly Course[],
  stageOf: (column: string) => Stage,
  end: number,
  p85: number | null,
): Flow['age'] {
  return courses
    .filter(({ current }) => current !== undefined && stageOf(current.column) === 'doing')
    .sort(byTime(({ started }) => started as number))
    .map(({ id, title, started, current }) => {
      const days = inDays(end - (started as number))
      return { id, title, column: (current as Visit).column, days, above85: p85 !== null && days > p85 }
    })
}

/** How a board flowed in a range of days. */
export interface BoardHistory {
  projectId: string
  /** In the order of the board. */
  columns: readonly BoardColumn[]
  items: readonly ItemHistory[]
  range: Range
}

/** The names of the columns that a range shows: those of the board, then those that lead nowhere, by name. */
function namesShown(counts: ByColumn, columns: readonly BoardColumn[]): string[] {
  const own = columns.map(({ name }) => name)
  const known = new Set(own)
  const others = [...counts].flatMap(([name, ofColumn]) =>
    !known.has(name) && ofColumn.some((count) => count > 0) ? [name] : [],
  )
  return [...own, ...others.sort()]
}

/** Measures the flow of a board: docs/flow.md says what each number means. */
export function flowOf({ projectId, columns, items, range }: BoardHistory): Flow {
  const { from, to, end } = range
  const stages = new Map(columns.map(({ name, stage }) => [name, stage]))
  const stageOf = (column: string): Stage => stages.get(column) ?? 'doing'
  const courses = items.map((item) => courseOf(item, stageOf, end))
  const counts = countByColumn(courses, columns, range)
  const names = namesShown(counts, columns)
  const isInRange = (time: number | undefined) => time !== undefined && time >= from * DAY
  const finished = courses
    .filter((course): course is Finished => isInRange(course.finished))
    .sort(byTime((course) => course.finished))
  const arrivedByDay = countByDay(
    courses.map((course) => course.arrived),
    range,
  )
  const finishedByDay = countByDay(
    courses.map((course) => course.finished),
    range,
  )
  const cycleTime = cycleTimeOf(finished)
  const remaining = courses.filter(({ current }) => current && stageOf(current.column) !== 'done').length
  const ahead = forecast(remaining, finishedByDay, projectId)
  const on = (days: number | undefined) => (days === undefined ? null : dateOf(to + days))
  return {
    from: dateOf(from),
    to: dateOf(to),
    days: arrivedByDay.map((arrived, index) => ({
      date: dateOf(from + index),
      arrived,
      finished: finishedByDay[index] as number,
      byColumn: Object.fromEntries(names.map((name) => [name, counts.get(name)?.[index] ?? 0])),
    })),
    cycleTime,
    leadTime: spread(finished.map((course) => inDays(course.finished - (course.arrived as number)))),
    throughput: throughputOf(finishedByDay, from),
    timeInColumn: timeInColumn(courses, names, range),
    age: agesOf(courses, stageOf, end, cycleTime.p85),
    forecast: { remaining, p50: on(ahead?.p50), p85: on(ahead?.p85), p95: on(ahead?.p95) },
  }
}
