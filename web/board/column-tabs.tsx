/** The tabs on a phone, where the screen shows one column: all columns by name, with their number of cards. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'

interface ColumnTabsProps {
  board: Board
  scroller: RefObject<HTMLElement | null>
}

const columnIn = (scroller: RefObject<HTMLElement | null>, id: string) =>
  scroller.current?.querySelector(`[data-column="${CSS.escape(id)}"]`)

export function ColumnTabs({ board, scroller }: ColumnTabsProps) {
  const [seen, setSeen] = useState<string | undefined>()
  const columns = board.store.columnList
  const ids = columns.map(({ id }) => id).join()
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const entered = entries.find(({ isIntersecting }) => isIntersecting)?.target
        if (entered instanceof HTMLElement) setSeen(entered.dataset.column)
      },
      { root: scroller.current, threshold: 0.6 },
    )
    for (const id of ids.split(',')) {
      const column = columnIn(scroller, id)
      if (column) observer.observe(column)
    }
    return () => observer.disconnect()
  }, [ids, scroller])
  return (
    <nav class="column-tabs" aria-label={texts.board.columnTabs}>
      {columns.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          aria-current={id === seen ? 'true' : undefined}
          onClick={() => columnIn(scroller, id)?.scrollIntoView({ inline: 'center', block: 'nearest' })}
        >
          <span dir="auto">{name}</span> <span class="muted">{board.countOf(name)}</span>
        </button>
      ))}
    </nav>
  )
}
