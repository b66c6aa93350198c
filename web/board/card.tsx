/** A card on the board. It reads its own record, so that a change renders only this card. */
import { useComputed } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { KanbanItem } from '../../src/client/api.d.ts'
import { fullDay, isOverdue, shortDay } from '../common/dates.ts'
import { isWaiting } from '../common/item-writes.ts'
import { initials, personName } from '../common/people.ts'
import { isUnsaved } from '../common/record-writes.ts'
import { mayWriteIn } from '../common/rights.ts'
import { shownTitle } from '../common/titles.ts'
import { chipColor } from '../common/ui/chip.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { CardMenu } from './card-menu.tsx'
import { dragCard } from './drag.ts'

const words = texts.board

interface CardProps {
  board: Board
  id: string
  /** Its index in the column, from 0, and the number of cards there. */
  index: number
  size: number
  /** Its position in a virtual column, in pixels from the top, and the function that measures it. */
  top?: number | undefined
  measure?: ((element: HTMLLIElement | null) => void) | undefined
}

export function Card({ board, id, index, size, top, measure }: CardProps) {
  const item = board.store.items.get(id)
  const row = useRef<HTMLLIElement>(null)
  const face = useRef<HTMLElement>(null)
  const isMovable = mayWriteIn(board.store) && !isUnsaved(id)
  const line = useComputed(() => {
    const drop = board.drop.value
    return drop && 'card' in drop && drop.card === id && board.held.value !== id ? drop.side : undefined
  }).value
  const isHeld = useComputed(() => board.held.value === id).value
  const isStop = useComputed(() => board.isStop(id)).value

  useLayoutEffect(() => {
    if (isMovable && face.current) return dragCard(face.current, id)
  }, [isMovable, id])
  useLayoutEffect(() => measure?.(row.current), [measure, index])

  if (item === undefined) return null
  return (
    <li
      ref={row}
      class={line ? `card-row drop-${line}` : 'card-row'}
      data-index={index}
      data-card={id}
      aria-posinset={index + 1}
      aria-setsize={size}
      style={top === undefined ? undefined : { position: 'absolute', transform: `translateY(${top}px)` }}
      onFocusIn={() => board.makeCurrent(id)}
    >
      <article
        ref={face}
        class={`card${isHeld ? ' is-held' : ''}${item.dismissed ? ' is-dismissed' : ''}`}
        aria-busy={isUnsaved(id) || undefined}
      >
        <CardLabels item={item} />
        <h3 class="card-name">
          {isUnsaved(id) ? (
            <span dir="auto">{shownTitle(item.title)}</span>
          ) : (
            <a dir="auto" draggable={false} tabIndex={isStop ? 0 : -1} href={board.addressOf(id)}>
              {shownTitle(item.title)}
            </a>
          )}
        </h3>
        <CardFacts board={board} item={item} />
        {isMovable && <CardMenu board={board} item={item} tabIndex={isStop ? 0 : -1} />}
      </article>
    </li>
  )
}

const CardLabels = ({ item: { labels } }: { item: KanbanItem }) =>
  labels.length === 0 ? null : (
    <ul class="card-labels" aria-label={words.labelsOf}>
      {labels.map((label) => (
        <li key={label.id} class="chip" style={chipColor(label.color)} dir="auto">
          {label.name}
        </li>
      ))}
    </ul>
  )

/** The fields of the card, on one line. */
function CardFacts({ board, item }: { board: Board; item: KanbanItem }) {
  const ticked = item.subtasks.filter(({ completed }) => completed).length
  const isKept = board.isOnlyKept(item.id)
  const isGone = board.held.value === item.id && board.isHeldGone.value
  const { dueDate, assigneeId, priority, subtasks } = item
  const isSet =
    isWaiting(item) || item.dismissed || isKept || isGone || subtasks.length > 0 || dueDate || assigneeId
  if (!isSet && priority === 'medium') return null
  return (
    <div class="card-facts">
      {isGone && (
        <span class="danger">
          <Icon name="warning" /> {words.isGone}
        </span>
      )}
      {isWaiting(item) && <span class="card-badge">{texts.item.isNew}</span>}
      {item.dismissed && <span class="card-badge">{texts.item.isDismissed}</span>}
      {subtasks.length > 0 && (
        <Fact said={words.subtasksOf(ticked, subtasks.length)}>
          <Icon name="subtasks" /> {ticked}/{subtasks.length}
        </Fact>
      )}
      {dueDate && <DueDate dueDate={dueDate} isLate={isOverdue(item) && !board.store.isDone(item.column)} />}
      {priority !== 'medium' && (
        <Fact said={words.priorityOf(words.priorities[priority] ?? priority)}>
          <Icon name="priority" /> <span dir="auto">{words.priorities[priority] ?? priority}</span>
        </Fact>
      )}
      {isKept && <span class="warning">{words.isKept}</span>}
      {assigneeId && (
        <span class="card-person">
          <Fact said={words.assignedTo(personName(assigneeId))}>
            <span class="avatar" title={personName(assigneeId)}>
              {initials(personName(assigneeId))}
            </span>
          </Fact>
        </span>
      )}
    </div>
  )
}

function DueDate({ dueDate, isLate }: { dueDate: string; isLate: boolean }) {
  const said = isLate ? words.overdue(fullDay(dueDate)) : words.due(fullDay(dueDate))
  return (
    <span class={isLate ? 'danger' : undefined}>
      <Fact said={said}>
        <Icon name={isLate ? 'warning' : 'calendar'} /> {shortDay(dueDate)} {isLate && texts.overdue}
      </Fact>
    </span>
  )
}

/** A short text to see, and a longer one for screen readers. */
const Fact = ({ said, children }: { said: string; children: preact.ComponentChildren }) => (
  <>
    <span class="card-fact" aria-hidden="true">
      {children}
    </span>
    <span class="visually-hidden">{said}</span>
  </>
)
