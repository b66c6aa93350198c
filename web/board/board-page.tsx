/** The board of a project, and the dialog of the card in the address. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { OpenProject } from '../common/open-project.ts'
import { openProject } from '../common/open-project.ts'
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

/** Focuses a card when its dialog is closed. */
function useFocusBack(board: Board, item: string): void {
  const before = useRef(item)
  useEffect(() => {
    const closed = before.current
    before.current = item
    if (closed !== '' && item === '') focusCard(board, closed)
  }, [board, item])
}
