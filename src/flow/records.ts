/** Reads the records of a board's items: items, activity, and changes in the sequence. */
import { and, type SQL, sql } from 'drizzle-orm'
import { foldedNames } from '../board/folded-names.ts'
import { conditionsIn, valuesOf } from '../board/item-lists.ts'
import { withStages } from '../board/stages.ts'
import type { SharedDatabase } from '../db/client.ts'
import { inOrder } from '../db/ordering.ts'
import { kanbanColumns, kanbanItems } from '../db/schema.ts'
import { amongIds, byFields, given, selectAll } from '../db/statements.ts'
import { deletedItemsIn, type FlowFilter } from './deleted-items.ts'
import { type ChangeRow, changeOf, changesIn, creationOf, type Place, renamesOf } from './item-changes.ts'
import { factsOf, type ItemChange, type ItemFacts, type Recorded, type StoredItem } from './item-history.ts'
import type { BoardColumn } from './measures.ts'
import { type Moves, movesIn } from './moves.ts'
import { Renames } from './renames.ts'

/** An item that exists. */
interface ItemRow extends StoredItem {
  id: string
  /** Its rowid: shorter than its id. */
  row: number
}

function statementsOf(db: SharedDatabase) {
  const conditions = conditionsIn(db)
  const items = (where: (names: string[]) => SQL | undefined) =>
    byFields((names) =>
      selectAll<ItemRow>(db, () => {
        const row = sql<number>`"kanban_items"."rowid"`
        const isImported = sql<number>`${kanbanItems.source} = 'import'`
        const { id, title, column, createdAt, updatedAt, dismissed } = kanbanItems
        const fields = { id, title, column, createdAt, updatedAt, dismissed, isImported, row }
        return db.select(fields).from(kanbanItems).where(where(names)) as never
      }),
    )
  return {
    columns: selectAll<{ name: string; stage: string | null }>(db, () =>
      db
        .select({ name: kanbanColumns.name, stage: kanbanColumns.stage })
        .from(kanbanColumns)
        .where(sql`${kanbanColumns.projectId} = ${given('projectId')}`)
        .orderBy(...inOrder(kanbanColumns)),
    ),
    ofProject: items((names) => conditions(names)),
    elsewhere: items((names) =>
      and(
        amongIds(kanbanItems.id),
        conditions(names.filter((name) => name !== 'ids' && name !== 'projectId')),
      ),
    ),
    existing: selectAll<{ id: string }>(db, () =>
      db.select({ id: kanbanItems.id }).from(kanbanItems).where(amongIds(kanbanItems.id)),
    ),
    moves: movesIn(db),
    changes: changesIn(db),
    deleted: deletedItemsIn(db),
  }
}

interface BoardRecords {
  /** In the order of the board. */
  columns: BoardColumn[]
  renames: Renames
  items: Iterable<Recorded>
}

/** Who reads. */
interface FlowReader {
  memberId: string
  /** The last change in the index. */
  indexed: number
  /** Whether the caller sees what happened in a project at a change; undefined: the caller sees all. */
  sees: ((projectId: string | null, seq: number) => boolean) | undefined
}

/**
 * The changes of items in projects that a caller sees, and moves from or to them. All of those on this board: like the activity of its items, they tell of what
 * is there now.
 */
const seenOf = <Row extends Pick<ChangeRow, 'seq' | 'projectId' | 'fromProjectId'>>(
  rows: Row[],
  board: string,
  sees: FlowReader['sees'],
): Row[] =>
  sees === undefined
    ? rows
    : rows.filter(({ seq, projectId, fromProjectId }) =>
        [projectId, fromProjectId ?? projectId].some((id) => id === board || sees(id, seq)),
      )

/**
 * The last deletion of an item that no longer exists for a caller. None if the item then was, or went to, a project that the caller
 * does not see: its title and fields there are hidden, and items that still exist there are missing, too.
 */
function deletionOf(rows: readonly ChangeRow[], sees: FlowReader['sees']): ChangeRow | undefined {
  const index = rows.findLastIndex(({ action }) => action === 'deleted')
  const isSeen = sees === undefined || rows.slice(index).every(({ projectId, seq }) => sees(projectId, seq))
  return isSeen ? rows[index] : undefined
}

/** The ids of items, as JSON. */
const idsOf = (items: readonly { id: string }[]): string => JSON.stringify(items.map(({ id }) => id))

/** The ids of changed items without the existing ones. */
function idsBut(changes: ReadonlyMap<string, unknown>, rows: readonly ItemRow[]): string[] {
  if (changes.size === 0) return []
  const known = new Set(rows.map(({ id }) => id))
  return [...changes.keys()].filter((id) => !known.has(id))
}

/** The changes of an item. On most boards no item has any, and no lookup is needed. */
const changesAbout = (id: string, recorded: ReadonlyMap<string, ItemChange[]>): ItemChange[] =>
  (recorded.size > 0 && recorded.get(id)) || []

/** The records of items in order, created lazily to save memory. */
function* recordedOf(
  existing: readonly { rows: readonly ItemRow[]; moves: Moves; isHere: boolean }[],
  deleted: readonly Omit<Recorded, 'changes'>[],
  recorded: ReadonlyMap<string, ItemChange[]>,
): Generator<Recorded> {
  for (const { rows, moves, isHere } of existing) {
    for (const item of rows) {
      const { id, row } = item
      yield {
        item: factsOf(id, item, isHere),
        entries: moves.get(row) ?? [],
        changes: changesAbout(id, recorded),
      }
    }
  }
  for (const one of deleted) yield { ...one, changes: changesAbout(one.item.id, recorded) }
}

/** Reads the records of boards' items. */
export class FlowRecords {
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #foldedNames: ReturnType<typeof foldedNames>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
    this.#foldedNames = foldedNames(db)
  }

  /**
   * The records of a board: of items that are on it, have left it, or were deleted from it. What happened to them in projects that the
   * caller does not see is ignored.
   */
  of(project: string, asked: FlowFilter, { memberId, indexed, sees }: FlowReader): BoardRecords {
    const filter = this.#foldedNames({ ...asked, projectId: project })
    const { moves, deleted, ...sql } = this.#sql
    const place = { project, indexed }
    const all = Map.groupBy(sql.changes.ofProject(place), ({ kind }) => kind)
    const changes = this.#changesOf(all.get('kanban-item') ?? [], place)
    const values = valuesOf({ ...filter, projectId: project, dismissed: 'all' }, { memberId })
    const here = sql.ofProject(values)(values)
    const others = idsBut(changes, here)
    const { elsewhere, gone } = this.#findOthers(others, values)
    const deletions = gone.flatMap((id) => deletionOf(changes.get(id) ?? [], sees) ?? [])
    const removed = deleted(deletions, { place, filter, memberId })
    const recorded = this.#recordedOf([...here, ...elsewhere, ...removed.map(({ item }) => item)], changes, {
      place,
      sees,
    })
    return {
      columns: withStages(sql.columns({ projectId: project })),
      renames: new Renames(renamesOf(all.get('kanban-column') ?? [])),
      items: recordedOf(
        [
          { rows: here, moves: moves.ofProject(project), isHere: true },
          { rows: elsewhere, moves: moves.ofItems(idsOf(elsewhere)), isHere: false },
        ],
        removed,
        recorded,
      ),
    }
  }

  /** The items of these ids: matching ones, now on other boards, and the ids of deleted ones. */
  #findOthers(others: readonly string[], filter: Record<string, unknown>) {
    if (others.length === 0) return { elsewhere: [], gone: [] }
    const ids = JSON.stringify(others)
    const values = { ...filter, ids }
    const existing = new Set(this.#sql.existing({ ids }).map(({ id }) => id))
    return {
      elsewhere: this.#sql.elsewhere(values)(values),
      gone: others.filter((id) => !existing.has(id)),
    }
  }

  /** The changes of each item, also those on other boards. */
  #changesOf(rows: readonly ChangeRow[], place: Place): Map<string, ChangeRow[]> {
    const changes = Map.groupBy(rows, ({ id }) => id)
    const travelled = [...new Set(rows.filter(({ crossing }) => crossing).map(({ id }) => id))]
    if (travelled.length === 0) return changes
    const all = this.#sql.changes.ofItems({ ...place, ids: JSON.stringify(travelled) })
    for (const [id, ofItem] of Map.groupBy(all, (row) => row.id)) changes.set(id, ofItem)
    return changes
  }

  /**
   * The changes of each item that has any, and the creations with additional information: of imported, dismissed or
   * restored items, and of those moved to another board or by other tools.
   */
  #recordedOf(
    items: readonly (ItemRow | ItemFacts)[],
    rows: ReadonlyMap<string, ChangeRow[]>,
    { place, sees }: { place: Place; sees: FlowReader['sees'] },
  ): Map<string, ItemChange[]> {
    const recorded = new Map<string, ItemChange[]>()
    for (const [id, ofItem] of rows) recorded.set(id, seenOf(ofItem, place.project, sees).map(changeOf))
    const asking = items.filter(({ id, isImported, dismissed }) => {
      if (isImported) return true
      const changes = changesAbout(id, recorded)
      return (
        changes.some(
          ({ action, column, crossing }) => action === 'deleted' || crossing || column?.isOfOther,
        ) || (changes.find(({ dismissal }) => dismissal)?.dismissal?.to ?? !dismissed) === false
      )
    })
    if (asking.length === 0) return recorded
    const creations = seenOf(
      this.#sql.changes.creations({ ...place, ids: idsOf(asking) }),
      place.project,
      sees,
    )
    for (const [id, made] of Map.groupBy(creations, (row) => row.id)) {
      const changes = [...changesAbout(id, recorded), ...made.map(creationOf)]
      recorded.set(
        id,
        changes.sort((a, b) => a.seq - b.seq),
      )
    }
    return recorded
  }
}
