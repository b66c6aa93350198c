/**
 * The numbers of comments and files of a board's cards, which records do not have. They are loaded with the board, and read again for each
 * card that gets or loses one.
 */
import { batch, effect } from '@preact/signals'
import { api } from '../common/api.ts'
import { appliedSeq } from '../common/live.ts'
import type { Counts, ProjectStore } from '../common/project-store.ts'
import { read } from '../common/session.ts'

/** The minimum delays of a read in milliseconds, after a change, after the previous read, and after one that has failed. */
const PAUSE = { change: 50, reading: 1000, failure: 10_000 }

const NONE = { comments: 0, attachments: 0 }

/** Updates the counts of a project. @returns a function that ends this */
export function followCounts(store: ProjectStore): () => void {
  let isReading = false
  let readAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  const isStale = () => store.staleCounts.value?.size !== 0

  function schedule(): void {
    if (isOver || timer !== undefined || isReading || !isStale()) return
    timer = setTimeout(
      () => {
        timer = undefined
        void readStale()
      },
      Math.max(PAUSE.change, readAt + PAUSE.reading - performance.now()),
    )
  }

  async function readStale(): Promise<void> {
    // Before the project is loaded, and after it is deleted or lost.
    if (store.project === undefined) return
    const stale = store.staleCounts.peek()
    const cards = stale && [...stale].filter((id) => !store.deletedItems.has(id))
    store.staleCounts.value = new Set()
    if (cards?.length === 0) return
    const seq = appliedSeq()
    isReading = true
    readAt = performance.now()
    try {
      const counts = await read(() =>
        api.get('/api/projects/{id}/kanban-counts', { path: { id: store.id }, query: { itemId: cards } }),
      )
      if (store.project !== undefined) take(counts, cards, seq)
    } catch {
      readAt += PAUSE.failure
      store.staleCounts.value = undefined
    }
    isReading = false
    schedule()
  }

  function take(counts: Counts, cards: string[] | undefined, seq: number): void {
    batch(() => {
      if (cards === undefined) store.loadCounts(counts, seq)
      else for (const id of cards) store.counts.put({ id, ...(counts[id] ?? NONE) }, seq)
    })
  }

  // They cannot be read without the project.
  const end = effect(() => {
    if (store.project !== undefined && isStale()) schedule()
  })
  return () => {
    isOver = true
    clearTimeout(timer)
    end()
  }
}
