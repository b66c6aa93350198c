/**
 * A model of a board that records, after each event, where every item is. It reads nothing from a database, and computes the
 * flow from its records.
 */

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

export interface ModelColumn {
  name: string
  stage: 'todo' | 'doing' | 'done' | null
}

/** The state of an item from a moment on. */
export interface State {
  at: number
  board: 'p' | 'q' | 'nowhere'
  /** Deleted: it is in no column, but did not move. */
  isDeleted: boolean
  column: ModelColumn
  dismissed: boolean
}

export interface ModelItem {
  id: string
  states: State[]
}

/** The column names for completed work that occur in histories. */
export const DONE_NAMES: readonly string[] = ['Done', 'CLOSED', 'erledigt']

/** The stage of a column by its name, on the current board. */
function stageIn(columns: readonly ModelColumn[], name: string): string {
  const index = columns.findIndex((column) => column.name === name)
  const column = columns[index]
  if (column === undefined) return 'doing'
  if (column.stage !== null) return column.stage
  if (DONE_NAMES.includes(name)) return 'done'
  if (index === 0) return 'todo'
  return index === columns.length - 1 ? 'done' : 'doing'
}

const before = (item: ModelItem, time: number) => item.states.findLast(({ at }) => at < time)
const isOn = (state: State | undefined): state is State => state?.board === 'p' && !state.isDeleted

/** The first moment from `time` on at which an item is not dismissed. A move of the write that dismissed it came before. */
const shownFrom = (item: ModelItem, time: number) => {
  const index = item.states.findLastIndex(({ at }) => at <= time)
  const [earlier, state] = [item.states[index - 1], item.states[index]]
  if (!state?.dismissed) return time
  if (earlier && !earlier.dismissed && earlier.column !== state.column && state.at === time) return time
  return item.states.slice(index).find(({ dismissed }) => !dismissed)?.at ?? Number.POSITIVE_INFINITY
}

const round = (days: number) => Math.round(days * 100) / 100

export function flowOfModel(
  items: readonly ModelItem[],
  columns: readonly ModelColumn[],
  { from, to, end }: { from: number; to: number; end: number },
) {
  const stage = (state: State) => stageIn(columns, state.column.name)
  const until = (time: number) => (time < end ? time : undefined)
  const courses = items.flatMap((item) => {
    const known = item.states.filter(({ at }) => at < end)
    const arrival = known.find(isOn)
    if (arrival === undefined) return []
    const start = known.find((state) => isOn(state) && stage(state) !== 'todo')
    // What happens to a dismissed item counts once it is restored, except that it leaves the board.
    const shown = known.findLastIndex(({ dismissed }) => !dismissed)
    let done: number | undefined
    for (const [index, state] of known.entries()) {
      if (state.isDeleted) continue
      if (!isOn(state)) done = undefined
      else if (index > shown + 1) continue
      else if (stage(state) !== 'done') done = undefined
      else done ??= state.at
    }
    return {
      id: item.id,
      item,
      arrived: until(shownFrom(item, arrival.at)),
      started: start && until(shownFrom(item, start.at)),
      finished: done === undefined ? undefined : until(shownFrom(item, done)),
    }
  })
  const days = []
  const onDay = (time: number | undefined, day: number) =>
    time !== undefined && Math.floor(time / DAY) === day
  for (let day = from; day <= to; day += 1) {
    const close = Math.min((day + 1) * DAY, end)
    const byColumn: Record<string, number> = {}
    for (const { item } of courses) {
      const state = before(item, close)
      if (isOn(state) && !state.dismissed)
        byColumn[state.column.name] = (byColumn[state.column.name] ?? 0) + 1
    }
    days.push({
      date: new Date(day * DAY).toISOString().slice(0, 10),
      arrived: courses.filter(({ arrived }) => onDay(arrived, day)).length,
      finished: courses.filter(({ finished }) => onDay(finished, day)).length,
      byColumn,
    })
  }
  const finished = courses
    .filter((course) => course.finished !== undefined && course.finished >= from * DAY)
    .map(({ id, arrived, started, finished }) => ({
      id,
      started: new Date(started as number).toISOString(),
      finished: new Date(finished as number).toISOString(),
      days: round(((finished as number) - (started as number)) / DAY),
      lead: round(((finished as number) - (arrived as number)) / DAY),
    }))
    .sort((a, b) => (a.finished < b.finished ? -1 : a.finished > b.finished ? 1 : a.id < b.id ? -1 : 1))
  const current = courses.flatMap((course) => {
    const state = before(course.item, end)
    return isOn(state) && !state.dismissed ? [{ ...course, state }] : []
  })
  const rank = (values: number[], percent: number) => {
    const sorted = values.toSorted((a, b) => a - b)
    const atLeast = sorted.filter((_, index) => (index + 1) / sorted.length >= percent / 100)
    return atLeast[0] ?? null
  }
  const spread = (values: number[]) => ({
    count: values.length,
    p50: rank(values, 50),
    p85: rank(values, 85),
    p95: rank(values, 95),
  })
  const cycle = finished.map((one) => one.days)
  const p85 = rank(cycle, 85)
  return {
    days,
    cycleTime: { ...spread(cycle), items: finished.map(({ lead: _, ...item }) => item) },
    leadTime: spread(finished.map(({ lead }) => lead)),
    age: current
      .filter(({ state }) => stage(state) === 'doing')
      .map(({ id, state, started }) => {
        const days = round((end - (started as number)) / DAY)
        return { id, column: state.column.name, days, above85: p85 !== null && days > p85 }
      }),
    remaining: current.filter(({ state }) => stage(state) !== 'done').length,
    perWeekTotal: finished.length,
  }
}
