/** The actions on the selected cards. Each is one write with one undo. */
import { Icon, type IconName } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import type { Board, PickedField } from './board.ts'
import { archiveCards } from './many-writes.ts'

const words = texts.board

const FIELDS: readonly (readonly [field: PickedField, icon: IconName])[] = [
  ['column', 'move'],
  ['assignee', 'person'],
  ['labels', 'flag'],
  ['due', 'calendar'],
  ['priority', 'priority'],
]

export function SelectionBar({ board }: { board: Board }) {
  const selected = [...board.selected.value]
  if (selected.length === 0) return null
  return (
    <section class="selection-bar" aria-label={words.many.bar}>
      <p role="status">{words.many.selected(selected.length)}</p>
      <div class="selection-actions">
        {FIELDS.map(([field, icon]) => (
          <button
            key={field}
            type="button"
            class="button-link"
            onClick={({ currentTarget }) => {
              board.picking.value = { field, ids: selected, anchor: currentTarget }
            }}
          >
            <Icon name={icon} /> {words.pickers[field]}
          </button>
        ))}
        <button
          type="button"
          class="button-link"
          onClick={() => {
            archiveCards(board, selected)
            board.deselect()
          }}
        >
          <Icon name="archive" /> {texts.item.dismiss}
        </button>
      </div>
      <button
        type="button"
        class="button-icon"
        aria-label={words.many.clear}
        onClick={() => board.deselect()}
      >
        <Icon name="close" />
      </button>
    </section>
  )
}
