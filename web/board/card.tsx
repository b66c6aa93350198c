/** A card on the board. It reads its own record, so that a change renders only this card. */
import { useComputed } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KanbanItem } from '../../src/client/api.d.ts'
import { numberOf } from '../common/card-numbers.ts'
import { fullDue, isOverdue, nearDue } from '../common/dates.ts'
import { contentOf, thumbnailOf } from '../common/files/addresses.ts'
import { isWaiting } from '../common/item-writes.ts'
import { personName } from '../common/people.ts'
import { isUnsaved } from '../common/record-writes.ts'
import { mayWriteIn } from '../common/rights.ts'
import { shownTitle } from '../common/titles.ts'
import { Avatar } from '../common/ui/avatar.tsx'
import { chipColor } from '../common/ui/chip.ts'
import { Icon } from '../common/ui/icon.tsx'
import { PriorityIcon } from '../common/ui/priority.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { dragCard } from './drag.ts'
import { useMotion } from './motion.ts'

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
  const isSelected = useComputed(() => board.selected.value.has(id)).value
  useMotion({
    face,
    id,
    columns: board.lastColumns,
    column: item?.column,
    index,
    sortOrder: item?.sortOrder,
    isHeld,
  })

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
        class={`card${isHeld ? ' is-held' : ''}${item.dismissed ? ' is-dismissed' : ''}${isSelected ? ' is-selected' : ''}`}
        aria-busy={isUnsaved(id) || undefined}
      >
        {isMovable && (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the checkbox, and the card must not see the click.
          <label class="card-select" onClick={(event) => event.stopPropagation()}>
            <input
              type="checkbox"
              aria-label={words.many.selectOf(item.title)}
              tabIndex={isStop ? 0 : -1}
              checked={isSelected}
              onChange={() => board.toggleSelected(id)}
            />
          </label>
        )}
        {item.coverId && <Cover key={item.coverId} id={item.coverId} />}
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
        {isMovable && <MenuButton board={board} item={item} tabIndex={isStop ? 0 : -1} />}
      </article>
    </li>
  )
}

/** Opens the menu of a card. All cards share one menu, which is loaded after the board. */
function MenuButton({ board, item, tabIndex }: { board: Board; item: KanbanItem; tabIndex: number }) {
  const isOpen = useComputed(() => board.menu.value?.id === item.id).value
  const open = (button: HTMLElement) => {
    board.menu.value = { id: item.id, anchor: button }
  }
  return (
    <button
      type="button"
      class="button-icon card-menu"
      aria-label={texts.actions(shownTitle(item.title))}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      tabIndex={tabIndex}
      onClick={({ currentTarget }) => open(currentTarget)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        event.stopPropagation()
        open(event.currentTarget)
      }}
    >
      <Icon name="more" />
    </button>
  )
}

/** The cover of a card. Its place has the same form whatever the picture, so that nothing moves when that has loaded. */
function Cover({ id }: { id: string }) {
  /** Pictures that were attached by other programs may have no thumbnail. */
  const [isWhole, setWhole] = useState(false)
  return (
    <img
      class="card-cover"
      src={isWhole ? contentOf(id) : thumbnailOf(id)}
      alt=""
      loading="lazy"
      draggable={false}
      onError={() => setWhole(true)}
    />
  )
}

/** The number of labels that a card shows. */
const MOST_LABELS = 3

const CardLabels = ({ item: { labels } }: { item: KanbanItem }) =>
  labels.length === 0 ? null : (
    <ul class="card-labels" aria-label={words.labelsOf}>
      {labels.slice(0, MOST_LABELS).map((label) => (
        <li key={label.id} class="chip" style={chipColor(label.color)} dir="auto">
          {label.name}
        </li>
      ))}
      {labels.length > MOST_LABELS && (
        <MoreLabels names={labels.slice(MOST_LABELS).map(({ name }) => name)} />
      )}
    </ul>
  )

const MoreLabels = ({ names }: { names: readonly string[] }) => (
  <li class="muted" title={names.join(', ')}>
    <span aria-hidden="true">{words.moreLabels(names.length)}</span>
    <span class="visually-hidden">{names.join(', ')}</span>
  </li>
)

/** The fields of the card, on one line. */
function CardFacts({ board, item }: { board: Board; item: KanbanItem }) {
  const ticked = item.subtasks.filter(({ completed }) => completed).length
  const isKept = board.isOnlyKept(item.id)
  const isGone = board.held.value === item.id && board.isHeldGone.value
  const { description, dueDate, assigneeIds, priority, subtasks } = item
  const { comments = 0, attachments = 0 } = useComputed(() => board.store.counts.get(item.id)).value ?? {}
  return (
    <div class="card-facts">
      <span class="card-number">{numberOf(board.store, item) ?? '\u00a0'}</span>
      {isGone && (
        <span class="danger">
          <Icon name="warning" /> {words.isGone}
        </span>
      )}
      {isWaiting(item) && <span class="card-badge">{texts.item.isNew}</span>}
      {item.dismissed && <span class="card-badge">{texts.item.isDismissed}</span>}
      {description !== '' && (
        <Fact label={words.hasDescription}>
          <Icon name="text" />
        </Fact>
      )}
      {comments > 0 && (
        <Fact label={words.comments(comments)}>
          <Icon name="comment" /> {comments}
        </Fact>
      )}
      {attachments > 0 && (
        <Fact label={words.files(attachments)}>
          <Icon name="clip" /> {attachments}
        </Fact>
      )}
      {subtasks.length > 0 && (
        <Fact label={words.subtasksOf(ticked, subtasks.length)}>
          <Icon name="subtasks" /> {ticked}/{subtasks.length}
        </Fact>
      )}
      {dueDate && <DueDate dueDate={dueDate} isLate={isOverdue(item) && !board.store.isDone(item.column)} />}
      {priority !== 'medium' && <Priority priority={priority} />}
      {isKept && <span class="warning">{words.isKept}</span>}
      {assigneeIds.length > 0 && <People ids={assigneeIds} />}
    </div>
  )
}

/** By its icon, whose tooltip has the word; a word of another tool has no icon of its own. */
function Priority({ priority }: { priority: string }) {
  const name = words.priorities[priority]
  return (
    <Fact label={words.priorityOf(name ?? priority)}>
      <span title={name}>
        <PriorityIcon priority={priority} />
      </span>
      {name === undefined && <span dir="auto">{priority}</span>}
    </Fact>
  )
}

/** The assignees: at most three faces, and the number of the others. */
function People({ ids }: { ids: readonly string[] }) {
  return (
    <span class="card-person">
      <Fact label={words.assignedTo(ids.map(personName).join(', '))}>
        {ids.slice(0, 3).map((id) => (
          <Avatar key={id} id={id} name={personName(id)} isNamed />
        ))}
        {ids.length > 3 && <span>{words.moreLabels(ids.length - 3)}</span>}
      </Fact>
    </span>
  )
}

function DueDate({ dueDate, isLate }: { dueDate: string; isLate: boolean }) {
  const text = isLate ? words.overdue(fullDue(dueDate)) : words.due(fullDue(dueDate))
  return (
    <span class={isLate ? 'danger' : undefined}>
      <Fact label={text}>
        <Icon name={isLate ? 'warning' : 'calendar'} /> {nearDue(dueDate)} {isLate && texts.overdue}
      </Fact>
    </span>
  )
}

/** A short text to see, and a longer one for screen readers. */
const Fact = ({ label, children }: { label: string; children: preact.ComponentChildren }) => (
  <>
    <span class="card-fact" aria-hidden="true">
      {children}
    </span>
    <span class="visually-hidden">{label}</span>
  </>
)
