/**
 * The numbers of comments and files of a board's cards, which records do not have. They are loaded with the board, read again after it is shown, since
 * nobody noted their changes until then, and again for each card that gets or loses one. They are not counted here, because a response may include changes that the stream delivers later.
 */
import { batch, effect } from '@preact/signals'
import { api, type Change } from '../common/api.ts'
import { appliedSeq, onAccess, onChange, onConnected, onReset } from '../common/live.ts'
import type { Counts, ProjectStore } from '../common/project-store.ts'
import { read } from '../common/session.ts'
import { together } from '../common/together.ts'

/** The minimum delays of a read in milliseconds, after a change and after the previous read. */
const PAUSE = { change: 50, reading: 1000 }

/** The most cards whose numbers are read separately. For more, those of the whole board are read. */
const FEW = 50

const NONE = { comments: 0, attachments: 0 }

/** The card whose numbers a change may have changed, if any. */
function cardOf({ kind, id, itemId, projectId, action, after }: Change, project: string): string | null {
  if (kind === 'kanban-comment' || kind === 'attachment')
    return action !== 'updated' && projectId === project ? itemId : null
  // It came from another project.
  return kind === 'kanban-item' && action === 'updated' && after?.projectId === project ? id : null
}

/** Updates the counts of a project. @returns a function that ends this */
export function followCounts(store: ProjectStore): () => void {
  /** The cards to read; undefined for all. */
  let stale: Set<string> | undefined
  let isReading = false
  let readAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  function note(id: string): void {
    stale?.add(id)
    if (stale && stale.size > FEW) stale = undefined
    schedule()
  }

  function noteAll(): void {
    stale = undefined
    schedule()
  }

  function schedule(): void {
    if (isOver || timer !== undefined || isReading || stale?.size === 0) return
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
    const cards = stale && [...stale].filter((id) => !store.deletedItems.has(id))
    stale = new Set()
    if (cards?.length === 0) return
    const seq = appliedSeq()
    isReading = true
    readAt = performance.now()
    let hasFailed = false
    try {
      const counts = await read(() =>
        api.get('/api/projects/{id}/kanban-counts', { path: { id: store.id }, query: { itemId: cards } }),
      )
      if (store.project !== undefined) take(counts, cards, seq)
    } catch {
      // Read again with the next connection or change.
      hasFailed = true
      stale = undefined
    }
    isReading = false
    if (!hasFailed) schedule()
  }

  function take(counts: Counts, cards: string[] | undefined, seq: number): void {
    batch(() => {
      if (cards === undefined) store.loadCounts(counts, seq)
      else for (const id of cards) store.counts.put({ id, ...(counts[id] ?? NONE) }, seq)
    })
  }

  return together(
    onChange((change) => {
      const id = cardOf(change, store.id)
      if (id !== null) note(id)
    }),
    onReset(noteAll),
    onConnected(schedule),
    onAccess(({ projectId, visible }) => {
      if (projectId === store.id && visible) noteAll()
    }),
    // These could not be read without the project.
    effect(() => {
      if (store.project !== undefined) schedule()
    }),
    () => {
      isOver = true
      clearTimeout(timer)
    },
  )
}
