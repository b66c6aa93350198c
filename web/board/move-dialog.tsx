/** Moving a card without a pointer: to a column, and a position in it. */
import { useState } from 'preact/hooks'
import { Dialog, DialogFoot } from '../common/ui/dialog.tsx'
import { Select } from '../common/ui/select.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { moveCard } from './card-writes.ts'
import { focusCard } from './focus.ts'
import { placeAt } from './place.ts'

const words = texts.board

export default function MoveDialog({ board, id }: { board: Board; id: string }) {
  const item = board.store.items.get(id)
  const [column, setColumn] = useState(item?.column ?? '')
  const [wanted, setWanted] = useState<number | undefined>()
  const close = () => {
    board.moving.value = undefined
    focusCard(board, id)
  }
  if (item === undefined) return null
  const others = board.shownIn(column).filter((one) => one !== id)
  const here = column === item.column ? board.shownIn(column).indexOf(id) : others.length
  const index = Math.min(wanted ?? here, others.length)
  return (
    <Dialog title={words.moveTitle(item.title)} onClose={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          moveCard(board, id, placeAt(column, others, index))
          close()
        }}
      >
        <Select
          label={words.column}
          autofocus
          value={column}
          options={board.store.columnList.map(({ name }) => [name, name] as const)}
          onChoose={(name) => {
            setColumn(name)
            setWanted(undefined)
          }}
        />
        <Select
          label={words.position}
          value={String(index)}
          options={[...others, undefined].map((_, at) => [String(at), String(at + 1)] as const)}
          onChoose={(at) => setWanted(Number(at))}
        />
        <DialogFoot submit={words.move} onCancel={close} />
      </form>
    </Dialog>
  )
}
