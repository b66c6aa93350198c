/** The board of a project, and the dialog of the card in the address. */
import { effect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { refocus } from '../common/focus.ts'
import { whenShown } from '../common/idle.ts'
import type { OpenProject } from '../common/open-project.ts'
import { openProject } from '../common/open-project.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { ProjectPage } from '../common/ui/project-head.tsx'
import { texts } from '../texts.ts'
import { Board } from './board.ts'
import { BoardView } from './board-view.tsx'
import { FilterBar } from './filter-bar.tsx'
import { focusCard } from './focus.ts'

interface BoardPageProps {
  id: string
  /** The id of the open card; empty if none is open. */
  item: string
  /** The dialog of the open card. */
  card: (project: OpenProject) => ComponentChildren
}

export function BoardPage({ id, item, card }: BoardPageProps) {
  const project = openProject(id)
  const board = useMemo(() => new Board(project.store), [project])
  useFocusBack(board, item)
  useCounts(project.store)
  return (
    <ProjectPage
      id={id}
      current="board"
      class="board-page"
      aside={() => <FilterBar board={board} />}
      shape="columns"
    >
      {() => (
        <>
          {!mayWriteIn(board.store) && <p class="board-note muted">{texts.readOnly}</p>}
          <BoardView board={board} />
          {item !== '' && card(project)}
        </>
      )}
    </ProjectPage>
  )
}

/** Counts the comments and files of the cards, once they are shown. */
function useCounts(store: ProjectStore): void {
  useEffect(() => {
    let end: (() => void) | undefined
    let isOver = false
    const follow = async () => {
      await whenShown()
      const { followCounts } = await import('./counts.ts')
      if (!isOver) end = followCounts(store)
    }
    // Without it, cards show the rest.
    follow().catch(() => undefined)
    return () => {
      isOver = true
      end?.()
    }
  }, [store])
}

/** Focuses a card when its dialog is closed; if the board does not show it any more, the card at its place. */
function useFocusBack(board: Board, item: string): void {
  const before = useRef(item)
  const lastPlace = useRef({ column: '', index: 0 })
  useEffect(() => {
    const closed = before.current
    before.current = item
    if (closed === '' || item !== '') return
    // A deletion begins when the dialog closes, so the card may still be there.
    refocus(() => {
      const { column, index } = lastPlace.current
      const ids = board.shownIn(column)
      const next = ids.includes(closed) ? closed : ids[Math.min(index, ids.length - 1)]
      if (next !== undefined) focusCard(board, next)
      else document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
    })
  }, [board, item])
  useEffect(
    () =>
      effect(() => {
        const column = item === '' ? undefined : board.store.items.get(item)?.column
        const index = column === undefined ? -1 : board.shownIn(column).indexOf(item)
        if (column !== undefined && index !== -1) lastPlace.current = { column, index }
      }),
    [board, item],
  )
}
