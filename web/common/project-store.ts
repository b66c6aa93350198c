/** A project with its records, updated by the stream. Uses neither the DOM nor the network. */
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type {
  Change,
  KanbanColumn,
  KanbanItem,
  KanbanLabel,
  KanbanSubtask,
  Metric,
  Objective,
  Project,
  TeamAssignment,
  TranscriptSummary,
} from '../../src/client/api.d.ts'
import type { Made } from './actors.ts'
import { byId, bySortOrder } from './order.ts'
import { Records } from './records.ts'

/** A project's own fields, without its child records. */
export type ProjectFields = Omit<
  Project,
  'kanbanItems' | 'transcriptSummaries' | 'metrics' | 'objectives' | 'teamAssignments'
>

/** The data that a project's page loads. */
interface ProjectAnswers {
  project: Project
  columns: readonly KanbanColumn[]
  labels: readonly KanbanLabel[]
  counts?: Counts | undefined
}

/** The project's own fields, from a response that also has its child records. */
export const fieldsOf = ({
  kanbanItems: _,
  transcriptSummaries: _t,
  metrics: _m,
  objectives: _o,
  teamAssignments: _a,
  ...fields
}: Project): ProjectFields => fields

/** The fields in a change, as part of a record. */
const fieldsAfter = <T>({ after }: Change): Partial<T> => after as Partial<T>

/** The numbers of comments and files of an item. */
export interface ItemCounts {
  /** The item's. */
  id: string
  comments: number
  attachments: number
}

/** By the id of the item. */
export type Counts = Readonly<Record<string, Omit<ItemCounts, 'id'>>>

/** The most items whose counts are read separately. */
const MOST_STALE = 50

/** The item whose counts a change may have changed, if any. They are not counted here, because a response may include changes that the stream delivers later. */
function countedIn({ kind, id, itemId, projectId, action, after }: Change, project: string): string | null {
  if (kind === 'kanban-comment' || kind === 'attachment')
    return action !== 'updated' && projectId === project ? itemId : null
  // It came from another project.
  return kind === 'kanban-item' && action === 'updated' && after?.projectId === project ? id : null
}

/** Loads data that changes do not contain into the store. */
interface ProjectReader {
  /** An item that came from another project, with its labels and subtasks. */
  readItem: (id: string) => void
  /** The columns. Their stages may depend on their places. */
  readColumns: () => void
}

/** The fields of texts, which two may edit at once. */
const TEXTS = ['title', 'description', 'content', 'name', 'nextStep']

/** As people sort names: "Sprint 2" comes before "Sprint 10". */
const { compare } = new Intl.Collator(undefined, { numeric: true })

/** The actor and the change of a deletion. */
type Deleted = Made & { seq: number }

const deletedBy = ({ actorId, actor, seq }: Change): Deleted => ({ actorId, seq, ...(actor && { actor }) })

export class ProjectStore {
  readonly id: string
  /** The project itself, as a collection of at most one record. */
  readonly projects = new Records<ProjectFields>()
  readonly items = new Records<KanbanItem>((id, before, after) => this.#moved(id, before, after))
  readonly columns = new Records<KanbanColumn>()
  readonly labels = new Records<KanbanLabel>()
  readonly objectives = new Records<Objective>()
  readonly metrics = new Records<Metric>()
  readonly transcripts = new Records<TranscriptSummary>()
  readonly assignments = new Records<TeamAssignment>()
  /** Of items that have any. */
  readonly counts = new Records<ItemCounts>()
  /** The items whose counts may have changed since, {@link MOST_STALE} at most, for `board/counts.ts`; undefined for all. */
  readonly staleCounts = signal<ReadonlySet<string> | undefined>(undefined)
  /** The deletion of the project, if it happened while the page was open. */
  readonly deletedBy = signal<Deleted | undefined>(undefined)
  /** The deletions of items that happened while the page was open, by id. */
  readonly deletedItems = new Map<string, Deleted>()

  readonly #columnList = computed(() => this.columns.list(bySortOrder))
  readonly #labelList = computed(() => this.labels.list((a, b) => compare(a.name, b.name)))
  readonly #roles = computed(
    () => new Map(this.assignments.list(byId).map(({ memberId, role }) => [memberId, role])),
  )
  readonly #versions = new Map<string, Signal<number>>()
  readonly #makers = new Map<string, Made>()
  readonly #madeAt = signal(0)
  readonly #orders = new Map<string, ReadonlySignal<readonly string[]>>()
  readonly #reader: ProjectReader

  /** @param reader loads data that changes do not contain */
  constructor(
    id: string,
    reader: ProjectReader = { readItem: () => undefined, readColumns: () => undefined },
  ) {
    this.id = id
    this.#reader = reader
  }

  /** The project; undefined before it is loaded, and after it is deleted. */
  get project(): ProjectFields | undefined {
    return this.projects.get(this.id)
  }

  /** The columns in their order. */
  get columnList(): readonly KanbanColumn[] {
    return this.#columnList.value
  }

  /** The role of a member's own assignment; undefined for none. */
  roleOf(memberId: string): string | undefined {
    return this.#roles.value.get(memberId)
  }

  isDone(column: string): boolean {
    return this.columnList.some(({ name, stage }) => name === column && stage === 'done')
  }

  /** The labels by name. */
  get labelList(): readonly KanbanLabel[] {
    return this.#labelList.value
  }

  /**
   * The ids of the items of a column in order, including dismissed ones. Subscribes to added, removed and moved items, not to
   * other changes of the items.
   */
  idsOf(column: string): readonly string[] {
    let order = this.#orders.get(column)
    if (order === undefined) {
      const version = this.#version(column)
      order = computed(() => {
        version.value
        return this.#idsNow(column)
      })
      this.#orders.set(column, order)
    }
    return order.value
  }

  /** Stores a response, as of its last change. */
  load({ project, columns, labels, counts }: ProjectAnswers, seq: number): void {
    batch(() => {
      this.projects.reset([fieldsOf(project)], seq, true)
      this.columns.reset(columns, seq, true)
      this.labels.reset(labels, seq, true)
      this.items.reset(project.kanbanItems, seq, true)
      if (counts) this.loadCounts(counts, seq)
      this.staleCounts.value = counts && new Set()
      this.objectives.reset(project.objectives, seq, true)
      this.metrics.reset(project.metrics, seq, true)
      this.transcripts.reset(project.transcriptSummaries, seq, true)
      this.assignments.reset(project.teamAssignments, seq, true)
    })
  }

  /** Stores the counts of all items. */
  loadCounts(counts: Counts, seq: number): void {
    this.counts.reset(
      Object.entries(counts).map(([id, count]) => ({ id, ...count })),
      seq,
    )
  }

  /** Clears everything: the user no longer sees the project. */
  forget(): void {
    batch(() => {
      for (const records of this.#collections()) records.forget()
      this.deletedBy.value = undefined
      this.deletedItems.clear()
      this.#makers.clear()
    })
  }

  /** The ids of all its records. */
  peekIds(): Set<string> {
    return new Set(this.#collections().flatMap((records) => [...records.peekIds()]))
  }

  #collections() {
    const { projects, items, columns, labels, objectives, metrics, transcripts, assignments, counts } = this
    return [projects, items, columns, labels, objectives, metrics, transcripts, assignments, counts]
  }

  /** Who has changed a field last while the page was open; subscribes to it. */
  makerOf(id: string, field: string): Made | undefined {
    this.#madeAt.value
    return this.#makers.get(`${id} ${field}`)
  }

  #noteMaker({ id, action, after, actorId, actor, seq }: Change): void {
    if (action !== 'updated') return
    for (const field of TEXTS) {
      if (after && field in after) this.#makers.set(`${id} ${field}`, { actorId, ...(actor && { actor }) })
    }
    this.#madeAt.value = seq
  }

  #noteCounts(itemId: string | null): void {
    const stale = this.staleCounts.peek()
    if (itemId === null || stale === undefined || stale.has(itemId)) return
    this.staleCounts.value = stale.size < MOST_STALE ? new Set(stale).add(itemId) : undefined
  }

  /** Applies a change of the stream. A known one changes nothing. */
  apply(change: Change): void {
    const { kind, id, projectId } = change
    if (projectId === this.id || id === this.id) this.#noteMaker(change)
    this.#noteCounts(countedIn(change, this.id))
    if (kind === 'kanban-item') {
      this.#applyItem(change)
      return
    }
    if (projectId !== this.id && id !== this.id) return
    switch (kind) {
      case 'project':
        this.#applyProject(change)
        return
      case 'kanban-subtask':
        this.#applySubtask(change)
        return
      case 'kanban-item-label':
        this.#applyItemLabel(change)
        return
      case 'kanban-label':
        this.#applyLabel(change)
        return
      case 'kanban-column':
        this.#applyColumn(change)
        return
      case 'objective':
        applyTo(this.objectives, change)
        return
      case 'metric':
        applyTo(this.metrics, change)
        return
      case 'transcript-summary':
        applyTo(this.transcripts, change)
        return
      case 'team-assignment':
        applyTo(this.assignments, change)
        return
    }
  }

  #applyProject(change: Change): void {
    if (change.seq >= this.projects.seqOf(this.id)) {
      this.deletedBy.value = change.action === 'deleted' ? deletedBy(change) : undefined
    }
    applyTo(this.projects, change)
  }

  #applyItem(change: Change): void {
    const { id, action, seq } = change
    const projectAfter = change.after?.projectId
    const isKnown = this.items.base(id) !== undefined
    if (action === 'updated' && projectAfter !== undefined && projectAfter !== this.id) {
      // Also for an unknown record: a running load may bring it.
      if (isKnown || change.before?.projectId === this.id) this.items.remove(id, seq)
    } else if (action === 'updated' && !isKnown) {
      // The item came from another project. The change has neither its labels nor its subtasks.
      if (projectAfter === this.id && seq >= this.items.seqOf(id)) this.#reader.readItem(id)
    } else if (action === 'deleted') {
      // Deletions in other projects are not stored.
      if (!isKnown && change.projectId !== this.id) return
      if (isKnown) this.deletedItems.set(id, deletedBy(change))
      this.items.remove(id, seq)
    } else if (action === 'created') {
      if (change.projectId !== this.id || seq < this.items.seqOf(id)) return
      this.deletedItems.delete(id)
      // Its labels and subtasks have their own changes. After a load that includes the change, this adds nothing.
      const { labels = [], subtasks = [] } = this.items.base(id) ?? {}
      this.items.put({ ...fieldsAfter<KanbanItem>(change), id, labels, subtasks } as KanbanItem, seq)
    } else {
      this.items.merge(id, (item) => ({ ...item, ...fieldsAfter<KanbanItem>(change) }), seq)
    }
  }

  #applySubtask(change: Change): void {
    if (change.itemId === null) return
    const { id, action, seq } = change
    this.items.merge(
      change.itemId,
      (item) => {
        const others = item.subtasks.filter((subtask) => subtask.id !== id)
        const known = item.subtasks.find((subtask) => subtask.id === id)
        if (action === 'deleted') return { ...item, subtasks: others }
        if (action === 'updated' && known === undefined) return item
        const subtask = { ...known, ...fieldsAfter<KanbanSubtask>(change), id } as KanbanSubtask
        return { ...item, subtasks: [...others, subtask].sort(bySortOrder) }
      },
      seq,
    )
  }

  #applyItemLabel({ id, action, seq }: Change): void {
    const [itemId = '', labelId = ''] = id.split(':')
    this.items.merge(
      itemId,
      (item) => {
        const others = item.labels.filter((label) => label.id !== labelId)
        const label = this.labels.base(labelId)
        if (action === 'deleted' || label === undefined) return { ...item, labels: others }
        return { ...item, labels: [...others, label].sort(byId) }
      },
      seq,
    )
  }

  /** A change contains the explicit stage of a column, null for a derived one. A change of it may also affect the neighbours. */
  #applyColumn(change: Change): void {
    const { id, after, seq } = change
    if (seq < this.columns.seqOf(id)) return
    const isOfPlace = after === null || ['sortOrder', 'stage', 'name'].some((name) => name in after)
    const { stage = null, ...fields } = after ?? {}
    const known = stage ?? this.columns.base(id)?.stage ?? 'doing'
    applyTo(this.columns, after === null ? change : { ...change, after: { ...fields, stage: known } })
    if (isOfPlace) this.#reader.readColumns()
  }

  #applyLabel(change: Change): void {
    applyTo(this.labels, change)
    if (change.action !== 'updated') return
    for (const itemId of this.items.ids()) {
      if (!this.items.base(itemId)?.labels.some(({ id }) => id === change.id)) continue
      this.items.merge(
        itemId,
        (item) => ({
          ...item,
          labels: item.labels.map((label) =>
            label.id === change.id ? { ...label, ...fieldsAfter<KanbanLabel>(change) } : label,
          ),
        }),
        change.seq,
      )
    }
  }

  #moved(_id: string, before: KanbanItem | undefined, after: KanbanItem | undefined): void {
    const isSamePlace =
      before?.column === after?.column &&
      before?.sortOrder === after?.sortOrder &&
      before?.dismissed === after?.dismissed
    if (isSamePlace && (before === undefined) === (after === undefined)) return
    for (const column of new Set([before?.column, after?.column])) {
      if (column !== undefined) this.#version(column).value++
    }
  }

  #version(column: string): Signal<number> {
    let version = this.#versions.get(column)
    if (version === undefined) {
      version = signal(0)
      this.#versions.set(column, version)
    }
    return version
  }

  #idsNow(column: string): string[] {
    const found: KanbanItem[] = []
    for (const id of this.items.peekIds()) {
      const item = this.items.peek(id)
      if (item?.column === column) found.push(item)
    }
    return found.sort(bySortOrder).map(({ id }) => id)
  }
}

/** Applies a change to a record whose fields are all in changes. */
export function applyTo<T extends { id: string }>(records: Records<T>, change: Change): void {
  const { id, action, seq } = change
  if (action === 'deleted') records.remove(id, seq)
  else if (action === 'created') records.put({ ...fieldsAfter<T>(change), id } as T, seq)
  else records.merge(id, (record) => ({ ...record, ...fieldsAfter<T>(change) }), seq)
}
