/** The project whose pages are open: read once, kept current by the stream, shared by its board, its cards and its overview. */
import { signal } from '@preact/signals'
import { api, PhaseboardError } from './api.ts'
import { appliedSeq, onChange, onReset } from './live.ts'
import { ProjectStore } from './project-store.ts'
import { read } from './session.ts'

/** How far the reading of a project has come. */
export type ProjectState =
  | { step: 'loading' }
  | { step: 'ready' }
  | { step: 'missing' }
  | { step: 'failed'; error: unknown }

/** Pause before columns are read again after a change, in milliseconds. */
const SETTLED = 50

export class OpenProject {
  readonly store: ProjectStore
  readonly state = signal<ProjectState>({ step: 'loading' })
  readonly #ends: (() => void)[]
  #columnsTimer: ReturnType<typeof setTimeout> | undefined

  constructor(id: string) {
    this.store = new ProjectStore(id, {
      readItem: (itemId) => void this.#readItem(itemId),
      readColumns: () => this.#readColumnsSoon(),
    })
    // From now on, so that nothing is missed between the reading and the stream: changes are harmless when applied twice.
    this.#ends = [onChange((change) => this.store.apply(change)), onReset(() => void this.load())]
  }

  /** Reads the project, its columns and its labels; again, after a failure or a gap in the stream. */
  async load(): Promise<void> {
    const seq = appliedSeq()
    const path = { id: this.store.id }
    try {
      const [project, columns, labels] = await read(() =>
        Promise.all([
          api.get('/api/projects/{id}', { path }),
          api.get('/api/projects/{id}/kanban-columns', { path }),
          api.get('/api/projects/{id}/kanban-labels', { path }),
        ]),
      )
      this.store.load({ project, columns, labels }, seq)
      this.state.value = { step: 'ready' }
    } catch (error) {
      const isMissing = error instanceof PhaseboardError && error.status === 404
      // What is shown stays: a board that could not be read again is better than none.
      if (this.state.peek().step === 'ready' && !isMissing) return
      this.state.value = isMissing ? { step: 'missing' } : { step: 'failed', error }
    }
  }

  /** Once for the changes of one write. */
  #readColumnsSoon(): void {
    clearTimeout(this.#columnsTimer)
    this.#columnsTimer = setTimeout(() => void this.#readColumns(), SETTLED)
  }

  async #readColumns(): Promise<void> {
    const seq = appliedSeq()
    const path = { id: this.store.id }
    const columns = await api.get('/api/projects/{id}/kanban-columns', { path }).catch(() => undefined)
    if (columns) this.store.columns.reset(columns, seq)
  }

  async #readItem(id: string): Promise<void> {
    const seq = appliedSeq()
    const item = await api.get('/api/kanban-items/{id}', { path: { id } }).catch(() => undefined)
    if (item?.projectId === this.store.id) this.store.items.put(item, seq)
  }

  close(): void {
    clearTimeout(this.#columnsTimer)
    for (const end of this.#ends) end()
  }
}

let current: OpenProject | undefined

/** The project of an id: the one that is open already, or read anew. */
export function openProject(id: string): OpenProject {
  if (current?.store.id === id && current.state.peek().step !== 'missing') return current
  current?.close()
  current = new OpenProject(id)
  void current.load()
  return current
}
