/** A column: its head, its cards, and the field for new cards. */
import { useComputed } from '@preact/signals'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { KanbanColumn } from '../../src/client/api.d.ts'
import { refocus } from '../common/focus.ts'
import { isUnsaved } from '../common/record-writes.ts'
import { mayWriteIn } from '../common/rights.ts'
import { chipColor } from '../common/ui/chip.ts'
import { Icon } from '../common/ui/icon.tsx'
import { limitState } from '../common/wip.ts'
import { texts } from '../texts.ts'
import { AddCard } from './add-card.tsx'
import type { Board } from './board.ts'
import { Card } from './card.tsx'
import { collapse, isCollapsed } from './collapsed.ts'
import { ColumnMenu } from './column-menu.tsx'
import { RenameColumn } from './column-name.tsx'
import { dragColumn } from './drag.ts'
import { useRows } from './virtual.ts'

const words = texts.board

export function Column({ board, column }: { board: Board; column: KanbanColumn }) {
  const { id, name } = column
  const lane = useRef<HTMLDivElement>(null)
  const element = useRef<HTMLElement>(null)
  const head = useRef<HTMLElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const heading = useId()
  const [isRenaming, setRenaming] = useState(false)
  const endRenaming = () => {
    setRenaming(false)
    refocus(() => head.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus())
  }
  const isChangeable = mayWriteIn(board.store) && !isUnsaved(id)
  const mark = useComputed(() => markOf(board, id)).value
  const isClosed = useComputed(() => isCollapsed(id)).value

  useEffect(() => {
    if (!isChangeable || isRenaming || !lane.current || !element.current || !head.current) return
    const parts = { lane: lane.current, element: element.current, head: head.current, body: body.current }
    return dragColumn(parts, id)
  }, [isChangeable, isRenaming, id, isClosed])

  return (
    <div ref={lane} class={`lane ${mark}${isClosed ? ' is-collapsed' : ''}`}>
      <section ref={element} class="column" data-column={id} aria-labelledby={heading}>
        <header ref={head} class="column-head" style={chipColor(column.color)}>
          {isRenaming && <RenameColumn board={board} column={column} onEnd={endRenaming} />}
          <div class="column-title">
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the menu does the same. */}
            <h2
              id={heading}
              class={isRenaming ? 'visually-hidden' : isChangeable ? 'edit-by-click' : undefined}
              dir="auto"
              onClick={() => {
                if (isClosed) collapse(id, false)
                else if (isChangeable && (getSelection()?.isCollapsed ?? true)) setRenaming(true)
              }}
            >
              {name}
            </h2>
            <ColumnCount board={board} column={column} />
          </div>
          <button
            type="button"
            class="button-icon column-collapse"
            aria-label={isClosed ? words.expandOf(name) : words.collapseOf(name)}
            aria-expanded={!isClosed}
            onClick={() => collapse(id, !isClosed)}
          >
            <Icon name={isClosed ? 'expand' : 'collapse'} />
          </button>
          {isChangeable && !isClosed && (
            <>
              <button
                type="button"
                class="button-icon"
                aria-label={words.addAtTop(name)}
                onClick={() => {
                  board.adding.value = { column: id, end: 'top' }
                }}
              >
                <Icon name="add" />
              </button>
              <ColumnMenu board={board} column={column} onRename={() => setRenaming(true)} />
            </>
          )}
        </header>
        {!isClosed && (
          <div ref={body} class="column-body">
            {isChangeable && <AddCard board={board} column={column} end="top" />}
            <CardList board={board} name={name} scroller={body} />
            {isChangeable && <AddCard board={board} column={column} end="bottom" />}
          </div>
        )}
      </section>
    </div>
  )
}

/** Marks a column during a drag over it. */
function markOf(board: Board, id: string): string {
  const drop = board.drop.value
  if (drop === undefined) return ''
  if ('besideColumn' in drop) return drop.besideColumn === id ? `drop-${drop.side}` : ''
  if (drop.column !== id) return ''
  return 'end' in drop ? `is-entered drop-${drop.end}` : 'is-entered'
}

interface CardListProps {
  board: Board
  /** The column's name. */
  name: string
  scroller: { current: HTMLDivElement | null }
}

function CardList({ board, name, scroller }: CardListProps) {
  const ids = board.shownIn(name)
  const { rows, height, measure } = useRows({
    ids,
    isVirtual: board.isVirtual.value,
    scroller,
    keep: board.fixedIn(name),
  })
  if (ids.length === 0) {
    const hidden = board.isNarrowed.value ? board.countOf(name) : 0
    if (board.isNew.value) return <Ghosts isFirst={board.store.columnList[0]?.name === name} />
    return <p class="column-empty muted">{hidden > 0 ? words.hiddenCards(hidden) : words.emptyColumn}</p>
  }
  return (
    <ul
      class="card-list"
      aria-label={name}
      style={height === undefined ? undefined : { height: `${height}px` }}
    >
      {rows.map(({ id, index, top }) => (
        <Card key={id} board={board} id={id} index={index} size={ids.length} top={top} measure={measure} />
      ))}
    </ul>
  )
}

/** On a board without any card: where they will be. */
const Ghosts = ({ isFirst }: { isFirst: boolean }) => (
  <>
    <p class={isFirst ? 'ghost' : 'visually-hidden'}>{isFirst ? words.firstCard : words.emptyColumn}</p>
    {!isFirst && <div class="ghost" aria-hidden="true" />}
  </>
)

/** The number of cards, and the limit. */
function ColumnCount({
  board,
  column: { name, wipLimit, wipPolicy },
}: {
  board: Board
  column: KanbanColumn
}) {
  const count = board.countOf(name)
  const shown = board.isNarrowed.value ? board.shownIn(name).length : undefined
  const state = limitState(count, wipLimit, wipPolicy)
  const facts = [
    shown === undefined ? texts.cards(count) : words.countShown(shown, count),
    wipLimit > 0 && words.limitOf(wipLimit),
    state === 'above' && words.aboveLimitLabel,
    state === 'full' && words.fullLabel,
  ].filter(Boolean)
  return (
    <span class="column-count">
      <span aria-hidden="true">
        {shown !== undefined
          ? words.countOf(shown, count)
          : wipLimit > 0
            ? words.countOf(count, wipLimit)
            : count}
      </span>
      <span class="visually-hidden">{facts.join(', ')}</span>
      {state !== 'within' && (
        <span class={state === 'above' ? 'warning' : 'danger'} aria-hidden="true">
          <Icon name={state === 'above' ? 'warning' : 'stop'} />{' '}
          {state === 'above' ? words.aboveLimit : words.full}
        </span>
      )}
    </span>
  )
}
