/** One subtask, with its checkbox, name, position and deletion. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { KanbanSubtask } from '../common/api.ts'
import { type Side, useRowDrag } from '../common/drag-row.ts'
import { refocus } from '../common/focus.ts'
import { ConflictNotice } from '../common/text-edit/conflict-notice.tsx'
import { LeftDraft } from '../common/text-edit/left-draft.tsx'
import { LineEditor } from '../common/text-edit/line-editor.tsx'
import { useTextEdit } from '../common/text-edit/use-text-edit.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'
import { renameSubtask, tickSubtask } from './subtask-writes.ts'

const words = texts.card
const CALLED = texts.inSentence(words.subtaskTitle)

interface SubtaskRowProps {
  card: OpenCard
  subtask: KanbanSubtask
  canEdit: boolean
  isFirst: boolean
  isLast: boolean
  /** Moves it by this many places. */
  onMove: (by: -1 | 1) => void
  /** Called when another subtask was dropped above or below it. */
  onDrop: (dragged: string, side: Side) => void
  onDelete: () => void
}

export function SubtaskRow({
  card,
  subtask,
  canEdit,
  isFirst,
  isLast,
  onMove,
  onDrop,
  onDelete,
}: SubtaskRowProps) {
  const edit = useTextEdit({
    name: `kanban-subtask:${subtask.id}:title`,
    called: CALLED,
    value: subtask.title,
    save: (text, from) => renameSubtask(card, subtask.id, text, from),
    maker: () => card.store.makerOf(subtask.id, 'title'),
  })
  const row = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLSpanElement>(null)
  const side = useRowDrag({ list: card.id, id: subtask.id, row, handle, onDrop })
  const box = useRef<HTMLInputElement>(null)
  const former = useRef(edit.mode)
  useLayoutEffect(() => {
    if (former.current === 'editing' && edit.mode === 'shown') box.current?.focus()
    former.current = edit.mode
  }, [edit.mode])
  if (edit.mode === 'editing') {
    return (
      <li>
        <LineEditor label={words.subtaskTitle} edit={edit} />
      </li>
    )
  }
  if (edit.mode === 'conflict') {
    return (
      <li>
        <ConflictNotice edit={edit} called={CALLED} />
      </li>
    )
  }
  const move = (by: -1 | 1) => {
    if (by < 0 ? !isFirst : !isLast) onMove(by)
    // By then the row has moved in the document.
    refocus(() => box.current?.focus())
  }
  return (
    <li ref={row} class={side ? `card-subtask drop-row-${side}` : 'card-subtask'}>
      {canEdit && (
        <span ref={handle} class="row-handle" aria-hidden="true">
          <Icon name="move" />
        </span>
      )}
      <label>
        <input
          ref={box}
          type="checkbox"
          checked={subtask.completed}
          disabled={!canEdit}
          onChange={({ currentTarget }) => void tickSubtask(card, subtask, currentTarget.checked)}
          onKeyDown={(event) => {
            const by = event.altKey && ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key]
            if (!by) return
            event.preventDefault()
            move(by)
          }}
        />
        <span dir="auto">{shownTitle(edit.shown)}</span>
      </label>
      {canEdit && (
        <Menu
          label={texts.actions(shownTitle(subtask.title))}
          items={[
            { label: texts.rename, run: edit.begin },
            { label: texts.moveUp, run: () => move(-1), key: 'Alt+↑', isDisabled: isFirst },
            { label: texts.moveDown, run: () => move(1), key: 'Alt+↓', isDisabled: isLast },
            { label: texts.delete, run: onDelete, isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
      <LeftDraft edit={edit} />
    </li>
  )
}
