/** Deletes a column that has cards, after the user has chosen the column that gets them. */
import { useState } from 'preact/hooks'
import { Dialog, DialogFoot } from '../common/ui/dialog.tsx'
import { Select } from '../common/ui/select.tsx'
import { texts } from '../texts.ts'
import type { ColumnDialogProps } from './column-menu.tsx'
import { deleteColumn } from './column-writes.ts'

const words = texts.board

export default function ColumnDelete({ board, column, onClose }: ColumnDialogProps) {
  const others = board.store.columnList.filter(({ id }) => id !== column.id)
  const [chosen, choose] = useState(others[0]?.name ?? '')
  const moveTo = others.some(({ name }) => name === chosen) ? chosen : (others[0]?.name ?? '')
  return (
    <Dialog title={words.deleteTitle(column.name)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          deleteColumn(board, column.id, moveTo)
          onClose()
        }}
      >
        <Select
          label={words.moveItsCards(board.store.idsOf(column.name).length)}
          value={moveTo}
          options={others.map(({ name }) => [name, name])}
          onChoose={choose}
        />
        <DialogFoot submit={words.deleteColumn} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
