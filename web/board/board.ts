/** The view state of a board: the shown cards, the current card, a held card, a new card. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { KanbanColumn, KanbanItem } from '../common/api.ts'
import { currentDay } from '../common/dates.ts'
import type { CardTarget } from '../common/item-writes.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { me } from '../common/session.ts'
import { toast } from '../common/toasts.ts'
import type { Anchor } from '../common/ui/place-below.ts'
import { countIn } from '../common/wip.ts'
import { href, paths, place } from '../router.ts'
import { texts } from '../texts.ts'
import { isCollapsed } from './collapsed.ts'
import { filterOf, filterQuery, isNarrowing, matches } from './filter.ts'

/** An end of a column. */
export type End = 'top' | 'bottom'

/** The drop target by id: beside a card, at an end of a column, or beside a column. */
export type Drop =
  | { column: string; card: string; side: 'before' | 'after' }
  | { column: string; end: End }
  | { besideColumn: string; side: 'before' | 'after' }

/** The fields that are chosen in a small picker. */
export type PickedField = 'assignee' | 'labels' | 'due' | 'priority' | 'column'

/** A field that is chosen for cards, and where. */
export interface Picking {
  field: PickedField
  ids: readonly string[]
  anchor: Anchor
}

/** The number of cards that can be selected: one batch request can change them, and the user can survey them. */
const MOST_SELECTED = 100
/** A board with this many cards renders only those near the viewport. */
const VIRTUAL_ABOVE = 300

export class Board {
  readonly store: ProjectStore
  /** The part of the address with the filter. */
  readonly query = computed(() => filterQuery(place.value.query))
  readonly filter = computed(() => filterOf(new URLSearchParams(this.query.value)))
  readonly isNarrowed = computed(() => isNarrowing(this.filter.value))
  /** The card that is dragged, or picked up by the keyboard. */
  readonly held = signal<string | undefined>(undefined)
  /** Whether the card was deleted in the meantime. */
  readonly isHeldGone = signal(false)
  readonly drop = signal<Drop | undefined>(undefined)
  /** The current card, which keys act on. */
  readonly current = signal<string | undefined>(undefined)
  /** The id of the column in which a card is being added. */
  readonly adding = signal<{ column: string; end: End } | undefined>(undefined)
  /** New cards that stay visible although the filter would hide them. */
  readonly kept = signal<ReadonlySet<string>>(new Set())
  /** The card whose "Move…" dialog is open. */
  readonly moving = signal<string | undefined>(undefined)
  /** The selected cards that are there. */
  readonly selected = computed(
    () => new Set([...this.#marked.value].filter((id) => this.store.items.get(id) !== undefined)),
  )
  /** The card whose menu is open. */
  readonly menu = signal<{ id: string; anchor: Anchor } | undefined>(undefined)
  /** The field that is chosen for cards in a small picker. */
  readonly picking = signal<Picking | undefined>(undefined)
  /** The column in which each card was shown last. */
  readonly lastColumns = new Map<string, string>()
  /** Whether the mouse was moved over the board after the last use of the keyboard. */
  isPointed = false

  readonly #shown = new Map<string, ReadonlySignal<readonly string[]>>()
  readonly #counts = new Map<string, ReadonlySignal<number>>()
  readonly #fixed = new Map<string, ReadonlySignal<string>>()
  /** The card of each column that Tab focuses. */
  readonly #stops = new Map<string, Signal<string | undefined>>()
  #isVirtual = false
  readonly #pathOf: (id: string) => string
  readonly #marked = signal<ReadonlySet<string>>(new Set())
  /** The beginning of a range of selected cards, and the other cards that were selected then. */
  #anchor: { id: string; others: ReadonlySet<string> } | undefined

  /** @param pathOf the path of a card, if not its usual one */
  constructor(store: ProjectStore, pathOf?: (id: string) => string) {
    this.store = store
    this.#pathOf = pathOf ?? ((id) => paths.card(store.id, id) + this.query.value)
  }

  /** The address of a card, with the filter. Subscribes to the filter. */
  addressOf(id: string): string {
    this.query.value
    return href(this.#pathOf(id))
  }

  /** The target for a write of a card. */
  card(id: string): CardTarget {
    return { store: this.store, id }
  }

  /** The ids of the shown cards of a column, in order. @param column its name */
  shownIn(column: string): readonly string[] {
    return cached(this.#shown, column, () => this.#shownNow(column)).value
  }

  /** The columns that are not collapsed, whose cards can be seen. */
  get openColumns(): readonly KanbanColumn[] {
    return this.store.columnList.filter(({ id }) => !isCollapsed(id))
  }

  /** The number of cards that count towards a column's limit: all but dismissed ones. @param column its name */
  countOf(column: string): number {
    return cached(this.#counts, column, () => countIn(this.store, column)).value
  }

  /** The number of shown cards. */
  readonly shownCount = computed(() =>
    this.store.columnList.reduce((sum, { name }) => sum + this.shownIn(name).length, 0),
  )

  /** Whether it has no card at all, not even a dismissed one. */
  readonly isNew = computed(() =>
    this.store.columnList.every(({ name }) => this.store.idsOf(name).length === 0),
  )

  /** Whether only cards near the viewport are rendered. It never turns off again, so that the view does not jump when a card disappears. */
  readonly isVirtual = computed(() => {
    this.#isVirtual ||= this.shownCount.value > VIRTUAL_ABOVE
    return this.#isVirtual
  })

  /** Whether Tab focuses a card. Each column has one such card: its last current one. */
  isStop(id: string): boolean {
    const column = this.store.items.get(id)?.column ?? ''
    const stop = this.#stop(column).value
    const shown = this.shownIn(column)
    return stop !== undefined && shown.includes(stop) ? stop === id : shown[0] === id
  }

  /** The cards of a column that must stay in the document because they are held or current. @param column its name */
  fixedIn(column: string): readonly string[] {
    const ids = () => {
      const fixed = this.isVirtual.value ? [this.held.value, this.current.value] : []
      return fixed.filter((id) => id !== undefined && this.store.items.get(id)?.column === column).join(' ')
    }
    // One string, so that signals see an unchanged value as equal.
    return cached(this.#fixed, column, ids).value.split(' ')
  }

  /** Makes a card the current one. */
  makeCurrent(id: string): void {
    this.current.value = id
    this.isPointed = false
    const column = this.store.items.peek(id)?.column
    if (column !== undefined) this.#stop(column).value = id
  }

  /** The cards that an action on a card is for: all selected ones if it is one of them. */
  targetsOf(id: string): readonly string[] {
    const selected = this.selected.peek()
    return selected.has(id) ? [...selected] : [id]
  }

  /** Selects a card, or no longer. */
  toggleSelected(id: string): void {
    const selected = new Set(this.selected.peek())
    if (!selected.delete(id)) selected.add(id)
    this.#anchor = { id, others: selected }
    this.#mark(selected)
  }

  /** Selects all cards from the last selected one to another, in the order of the board. @param from where to begin if none is */
  selectTo(id: string, from?: string): void {
    const shown = this.openColumns.flatMap(({ name }) => this.shownIn(name))
    const start = this.#anchor && this.selected.peek().has(this.#anchor.id) ? this.#anchor : undefined
    const { id: first, others } = start ?? { id: from ?? id, others: new Set<string>() }
    this.#anchor = { id: first, others }
    // The column where the range began may be collapsed by now.
    const open = shown.includes(first) ? first : id
    const [a, b] = [shown.indexOf(open), shown.indexOf(id)]
    this.#mark(new Set([...others, ...shown.slice(Math.min(a, b), Math.max(a, b) + 1)]))
  }

  /** Selects no card. @param isKept the cards that stay selected */
  deselect(isKept: (id: string) => boolean = () => false): void {
    const kept = [...this.selected.peek()].filter(isKept)
    if (kept.length !== this.#marked.peek().size) this.#mark(new Set(kept))
  }

  #mark(ids: ReadonlySet<string>): void {
    this.#marked.value = new Set([...ids].slice(0, MOST_SELECTED))
    if (ids.size > MOST_SELECTED) toast(texts.board.many.atMost(MOST_SELECTED))
  }

  /** Keeps a card visible until the filter changes. */
  keep(...ids: readonly string[]): void {
    this.kept.value = new Set([...this.kept.peek(), ...ids])
  }

  /** Whether a card is visible only because the user has just added it. */
  isOnlyKept(id: string): boolean {
    const item = this.store.items.get(id)
    return (
      item !== undefined &&
      isKept(item, this.kept.value) &&
      !matches(item, this.filter.value, contextOf(this.store))
    )
  }

  #stop(column: string): Signal<string | undefined> {
    let stop = this.#stops.get(column)
    if (stop === undefined) {
      stop = signal(undefined)
      this.#stops.set(column, stop)
    }
    return stop
  }

  #shownNow(column: string): readonly string[] {
    const { items } = this.store
    const filter = this.filter.value
    const kept = this.kept.value
    // Without a filter only the card's position matters, and the order covers that.
    const isNarrowed = this.isNarrowed.value
    const held = isNarrowed ? this.held.value : undefined
    const read = (id: string) => (isNarrowed ? items.get(id) : items.peek(id))
    const context = contextOf(this.store)
    return this.store.idsOf(column).filter((id) => {
      const item = read(id)
      return item !== undefined && (id === held || isKept(item, kept) || matches(item, filter, context))
    })
  }
}

/** Whether the user has just added a card. Once it is archived, it is like any other. */
const isKept = ({ id, dismissed }: KanbanItem, kept: ReadonlySet<string>): boolean =>
  !dismissed && kept.has(id)

const contextOf = (store: ProjectStore) => ({
  me: me.value?.id,
  today: currentDay.value,
  isDone: (column: string) => store.isDone(column),
})

function cached<T>(all: Map<string, ReadonlySignal<T>>, key: string, compute: () => T): ReadonlySignal<T> {
  let one = all.get(key)
  if (one === undefined) {
    one = computed(compute)
    all.set(key, one)
  }
  return one
}
