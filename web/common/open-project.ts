/** The open project: loaded once, kept current by the stream, shared by its board, cards and overview. */
import { signal } from '@preact/signals'
import {
  type Answer,
  api,
  isNotFound,
  isPassing,
  type KanbanColumn,
  type KanbanLabel,
  type Project,
} from './api.ts'
import { drafts } from './drafts.ts'
import { onAccess, onChange, onConnected, onReset } from './live.ts'
import { type Counts, ProjectStore } from './project-store.ts'
import { readLive } from './read-live.ts'

/** The state of loading a project. */
type ProjectState =
  | { step: 'loading' }
  | { step: 'ready' }
  /** `isLost`: the user saw it on this page, and no longer does. */
  | { step: 'missing'; isLost: boolean }
  | { step: 'failed'; error: unknown }

type Answers = readonly [
  Answer<Project>,
  Answer<KanbanColumn[]>,
  Answer<KanbanLabel[]>,
  /** Absent if they could not be loaded: cards show the rest. */
  Answer<Counts> | undefined,
]

/** A conditional request. */
const unlessAs = (known: Answer<unknown> | undefined) =>
  known?.etag === undefined ? {} : { headers: { 'if-none-match': known.etag } }

/** The body of the response, or of the earlier response if it is unchanged (304). */
const orKnown = <T>(answer: Answer<T>, known: Answer<T> | undefined): T =>
  known && answer.status === 304 ? known.data : answer.data

/** The pause before what could not be loaded is loaded again, in milliseconds, unless the stream reconnects sooner. */
const AGAIN = 5000

/** The debounce before columns are reloaded after a change, in milliseconds. */
const SETTLED = 50

export class OpenProject {
  readonly store: ProjectStore
  readonly state = signal<ProjectState>({ step: 'loading' })
  readonly #ends: (() => void)[]
  /** Data loaded before the stream's position was known must be reloaded, because changes may have been missed. */
  #early: Answers | undefined
  #isLoading = false
  /** Whether to reload after the current load, or once the service is available again. */
  #isOutdated = false
  #columnsTimer: ReturnType<typeof setTimeout> | undefined
  #againTimer: ReturnType<typeof setTimeout> | undefined
  /** How often the user has lost the project. A response to an earlier request must not bring it back. */
  #losses = 0

  constructor(id: string) {
    this.store = new ProjectStore(id, {
      readItem: (itemId) => void this.#readItem(itemId),
      readColumns: () => this.#readColumnsSoon(),
    })
    // Subscribes before loading, so that no change is missed in between. Applying a change twice is harmless.
    this.#ends = [
      onChange((change) => {
        this.store.apply(change)
        const isBack = change.kind === 'project' && change.id === id && change.action === 'created'
        if (isBack && this.state.peek().step === 'missing') void this.load()
      }),
      onReset(() => void this.load()),
      onAccess(({ projectId, visible }) => {
        if (projectId !== id) return
        if (visible) void this.load()
        else {
          drafts.removeOf(this.store.peekIds())
          this.#lose()
        }
      }),
      onConnected((isBeginning) => {
        if (this.#isOutdated) void this.load()
        else if (!isBeginning) this.#check()
      }),
    ]
  }

  /** Loads the project, its columns and labels; reloads after a failure or a gap in the stream. */
  async load(): Promise<void> {
    clearTimeout(this.#againTimer)
    this.#isOutdated = true
    if (this.#isLoading) return
    this.#isLoading = true
    let hasFailed = false
    while (this.#isOutdated && !hasFailed) {
      this.#isOutdated = false
      hasFailed = !(await this.#read())
    }
    this.#isLoading = false
  }

  get #isDeleted(): boolean {
    return this.store.deletedBy.peek() !== undefined
  }

  /** Drops all of the project: the user no longer sees it. */
  #lose(): void {
    this.#losses++
    this.#early = undefined
    this.store.forget()
    this.state.value = { step: 'missing', isLost: true }
  }

  /** Access to the project may have changed while there was no connection. */
  #check(): void {
    if (this.state.peek().step === 'missing') void this.load()
    else void this.#readColumns()
  }

  /** @returns whether there was a response */
  async #read(): Promise<boolean> {
    const known = this.#early ?? []
    const path = { id: this.store.id }
    try {
      const isTaken = await this.#readAndTake(
        () =>
          Promise.all([
            api.request('get', '/api/projects/{id}', { path, ...unlessAs(known[0]) }),
            api.request('get', '/api/projects/{id}/kanban-columns', { path, ...unlessAs(known[1]) }),
            api.request('get', '/api/projects/{id}/kanban-labels', { path, ...unlessAs(known[2]) }),
            // With the cards, so that those do not change their size once they are shown.
            api
              .request('get', '/api/projects/{id}/kanban-counts', { path, ...unlessAs(known[3]) })
              .catch(() => undefined),
          ]),
        (answers: Answers, seq) => {
          const project = orKnown(answers[0], known[0])
          const columns = orKnown(answers[1], known[1])
          const labels = orKnown(answers[2], known[2])
          const counts = answers[3] && orKnown(answers[3], known[3])
          this.store.load({ project, columns, labels, counts }, seq)
          this.#early = seq === 0 && this.#early === undefined ? answers : undefined
          this.state.value = { step: 'ready' }
        },
      )
      if (!isTaken) this.#isOutdated = true
      return true
    } catch (error) {
      const isMissing = isNotFound(error)
      if (!isMissing && this.state.peek().step === 'ready') {
        // The shown data stays: a stale board is better than none.
        this.#loadAgain()
      } else if (!isMissing) this.state.value = { step: 'failed', error }
      else if (this.state.peek().step === 'ready' && !this.#isDeleted) this.#lose()
      else if (this.state.peek().step !== 'missing') this.state.value = { step: 'missing', isLost: false }
      return isMissing
    }
  }

  /** Loads everything again, later. */
  #loadAgain(): void {
    this.#isOutdated = true
    clearTimeout(this.#againTimer)
    this.#againTimer = setTimeout(() => void this.load(), AGAIN)
  }

  /** Runs once for all changes of one write. */
  #readColumnsSoon(): void {
    clearTimeout(this.#columnsTimer)
    this.#columnsTimer = setTimeout(() => void this.#readColumns(), SETTLED)
  }

  #readColumns(): Promise<void> {
    const path = { id: this.store.id }
    return this.#readPart(
      () => api.get('/api/projects/{id}/kanban-columns', { path }),
      (columns, seq) => this.store.columns.reset(columns, seq, true),
      true,
    )
  }

  #readItem(id: string): Promise<void> {
    return this.#readPart(
      () => api.get('/api/kanban-items/{id}', { path: { id } }),
      (item, seq) => {
        if (item.projectId === this.store.id) this.store.items.put(item, seq)
      },
    )
  }

  /**
   * Loads a part. If the service is unavailable, everything is reloaded later.
   * @param ofProject whether it is not found only if the project is not
   */
  async #readPart<T>(
    request: () => Promise<T>,
    take: (answer: T, seq: number) => void,
    ofProject = false,
  ): Promise<void> {
    try {
      await this.#readAndTake(request, take)
    } catch (error) {
      if (isPassing(error)) this.#loadAgain()
      else if (isNotFound(error) && ofProject && !this.#isDeleted) void this.load()
    }
  }

  /** @returns whether the response was taken: the user has not lost the project meanwhile */
  async #readAndTake<T>(request: () => Promise<T>, take: (answer: T, seq: number) => void): Promise<boolean> {
    const losses = this.#losses
    const isSeen = () => losses === this.#losses
    await readLive(
      request,
      (answer, seq) => isSeen() && take(answer, seq),
      (change) => isSeen() && this.store.apply(change),
    )
    return isSeen()
  }

  close(): void {
    clearTimeout(this.#columnsTimer)
    clearTimeout(this.#againTimer)
    for (const end of this.#ends) end()
  }
}

let current: OpenProject | undefined

/** The project of an id: the open one, or a newly loaded one. */
export function openProject(id: string): OpenProject {
  if (current?.store.id === id) return current
  current?.close()
  current = new OpenProject(id)
  void current.load()
  return current
}
