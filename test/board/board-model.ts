/** A minimal model of a board: the expected effects on items. */

/** The fields of an item that board changes affect. */
export interface ModelItem {
  id: string
  title: string
  column: string
  sortOrder: number
  priority: string
  assigneeId: string | null
  dismissed: boolean
}

export type Fields = Partial<Omit<ModelItem, 'id'>>

/** The target of a move. */
export interface Target {
  column?: string
  beforeId?: string
  afterId?: string
  position?: 'top' | 'bottom'
}

/** The expected response to a change. */
export type Outcome = { status: 'done'; warned: string[] } | { status: 'refused' }

const TRACKED = { column: 'status_change', assigneeId: 'assignment', priority: 'priority' } as const

const byPlace = (a: ModelItem, b: ModelItem) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1)

/** The WIP limit of each limited column, and whether it blocks. */
export type Limits = Record<string, { wipLimit: number; wipPolicy: 'warn' | 'block' }>

/** Makes an empty board. */
export function createModel(limits: Limits) {
  let items: ModelItem[] = []
  let activity: string[] = []

  const inColumn = (column: string, of = items) => of.filter((item) => item.column === column).sort(byPlace)
  const counted = (column: string, of: ModelItem[]) => inColumn(column, of).filter((item) => !item.dismissed)

  /** Accepts a next state of the board, or refuses it. */
  function accept(next: ModelItem[]): Outcome {
    const grown = Object.entries(limits).filter(([column, { wipLimit }]) => {
      const now = counted(column, next).length
      return now > wipLimit && now > counted(column, items).length
    })
    if (grown.some(([, { wipPolicy }]) => wipPolicy === 'block')) return { status: 'refused' }
    const warned = grown.flatMap(([column]) => {
      const before = new Set(counted(column, items).map(({ id }) => id))
      return counted(column, next).flatMap(({ id }) => (before.has(id) ? [] : [id]))
    })
    for (const item of next) {
      const before = items.find(({ id }) => id === item.id)
      for (const [field, type] of Object.entries(TRACKED) as [keyof typeof TRACKED, string][]) {
        if (before && before[field] !== item[field])
          activity.push(`${item.id} ${type} ${before[field] ?? ''} > ${item[field] ?? ''}`)
      }
    }
    items = next
    return { status: 'done', warned }
  }

  const changed = (id: string, fields: Fields, of = items) =>
    of.map((item) => (item.id === id ? { ...item, ...fields } : item))

  return {
    items: () => items,
    activity: () => activity,
    /** The ids of each column, in order. */
    order: () =>
      Object.fromEntries(
        [...Map.groupBy(items.toSorted(byPlace), ({ column }) => column)].map(([column, all]) => [
          column,
          all.map(({ id }) => id),
        ]),
      ),
    create: (item: ModelItem): Outcome => accept([...items, item]),
    /** Adopts the service's numbers of a column; only their order is checked. */
    renumber(column: string, sortOrderOf: (id: string) => number): void {
      items = items.map((one) => (one.column === column ? { ...one, sortOrder: sortOrderOf(one.id) } : one))
    },
    /** The expected result of creating an item. */
    wouldTake(fields: Fields): Outcome {
      const kept = { items, activity: [...activity] }
      const outcome = accept([...items, { ...fields, id: '' } as ModelItem])
      items = kept.items
      activity = kept.activity
      return outcome
    },
    change: (ids: string[], fields: Fields): Outcome =>
      accept(ids.reduce((of, id) => changed(id, fields, of), items)),
    place: (places: { id: string; column: string; sortOrder: number }[]): Outcome =>
      accept(places.reduce((of, { id, ...fields }) => changed(id, fields, of), items)),
    /** @returns also the expected order of the items in the column */
    move(id: string, target: Target): Outcome & { order: string[] } {
      const item = items.find((one) => one.id === id) as ModelItem
      const column = target.column ?? item.column
      const list = inColumn(column).filter((one) => one.id !== id)
      const neighbour = list.findIndex((one) => one.id === (target.beforeId ?? target.afterId))
      const end = target.position === 'top' ? 0 : list.length
      const index = target.beforeId ? neighbour : target.afterId ? neighbour + 1 : end
      const order = [...list.slice(0, index), item, ...list.slice(index)].map((one) => one.id)
      return { ...accept(changed(id, { column })), order }
    },
    delete(id: string): void {
      items = items.filter((item) => item.id !== id)
      activity = activity.filter((entry) => !entry.startsWith(id))
    },
  }
}

export type Model = ReturnType<typeof createModel>
