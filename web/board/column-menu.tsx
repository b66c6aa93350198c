/** The menu of a column. */
import { useState } from 'preact/hooks'
import type { KanbanColumn } from '../../src/client/api.d.ts'
import { Icon } from '../common/ui/icon.tsx'
import { late } from '../common/ui/late.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { deleteColumn, moveColumn } from './column-writes.ts'

const words = texts.board

/** The props of the dialogs that it opens. */
export interface ColumnDialogProps {
  board: Board
  column: KanbanColumn
  onClose: () => void
}

const Settings = late<ColumnDialogProps>(() => import('./column-settings.tsx'))
const Delete = late<ColumnDialogProps>(() => import('./column-delete.tsx'))

interface ColumnMenuProps {
  board: Board
  column: KanbanColumn
  onRename: () => void
}

export function ColumnMenu({ board, column, onRename }: ColumnMenuProps) {
  const [dialog, setDialog] = useState<'settings' | 'delete' | undefined>()
  const { id, name } = column
  const all = board.store.columnList
  const index = all.findIndex((one) => one.id === id)
  const [left, right] = [all[index - 1], all[index + 1]]
  const close = () => setDialog(undefined)
  const remove = () => {
    if (board.store.idsOf(name).length === 0) deleteColumn(board, id, undefined)
    else setDialog('delete')
  }
  return (
    <>
      <Menu
        label={texts.actions(name)}
        items={[
          { label: texts.rename, run: () => requestAnimationFrame(onRename) },
          { label: words.columnSettings, run: () => setDialog('settings') },
          {
            label: words.moveLeft,
            isDisabled: left === undefined,
            run: () => left && moveColumn(board, id, left.id, 'before'),
          },
          {
            label: words.moveRight,
            isDisabled: right === undefined,
            run: () => right && moveColumn(board, id, right.id, 'after'),
          },
          { label: words.deleteColumn, isDanger: true, isDisabled: all.length < 2, run: remove },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {dialog === 'settings' && <Settings board={board} column={column} onClose={close} />}
      {dialog === 'delete' && <Delete board={board} column={column} onClose={close} />}
    </>
  )
}
