/** The menu of a card. It has every action that drag and drop and keys have. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { approve, isWaiting, moveItem, toggleDismissed } from '../common/item-writes.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { focusCard } from './focus.ts'
import { moveBy } from './steps.ts'

export function CardMenu({ board, item, tabIndex }: { board: Board; item: KanbanItem; tabIndex: number }) {
  const { id, column, title } = item
  const ids = board.shownIn(column)
  const isFirst = ids[0] === id
  const isLast = ids.at(-1) === id
  const moveTo = (at: 'top' | 'bottom') => {
    void moveItem(board.card(id), { column, at })
    focusCard(board, id)
  }
  const step = (by: 1 | -1) => {
    moveBy(board, id, by)
    focusCard(board, id)
  }
  return (
    <Menu
      label={texts.actions(title)}
      class="button-icon card-menu"
      tabIndex={tabIndex}
      items={[
        { label: texts.open, href: href(paths.card(board.store.id, id)) + board.query.peek() },
        isWaiting(item) && { label: texts.item.approve, run: () => approve(board.card(id)) },
        {
          label: texts.moveToTop,
          run: () => moveTo('top'),
          isDisabled: isFirst,
        },
        { label: texts.moveUp, run: () => step(-1), isDisabled: isFirst },
        { label: texts.moveDown, run: () => step(1), isDisabled: isLast },
        {
          label: texts.moveToBottom,
          run: () => moveTo('bottom'),
          isDisabled: isLast,
        },
        {
          label: texts.item.moveTo,
          key: 'm',
          run: () => {
            board.moving.value = id
          },
        },
        {
          label: item.dismissed ? texts.restore : texts.item.dismiss,
          key: 'x',
          run: () => toggleDismissed(board.card(id)),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  )
}
