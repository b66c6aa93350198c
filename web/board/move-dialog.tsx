/** Moving a card without a pointer: to a column, and a position in it. */
import { useId, useState } from 'preact/hooks'
import { Dialog } from '../shared/ui/dialog.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { moveCard } from './card-writes.ts'
import { focusCard } from './focus.ts'
import { placeAt } from './place.ts'

const words = texts.board

export default function MoveDialog({ board, id }: { board: Board; id: string }) {
  const field = useId()
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
        <div class="field">
          <label for={`${field}-column`}>{words.column}</label>
          <select
            id={`${field}-column`}
            autofocus
            value={column}
            onChange={({ currentTarget }) => {
              setColumn(currentTarget.value)
              setWanted(undefined)
            }}
          >
            {board.store.columnList.map(({ id: one, name }) => (
              <option key={one} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${field}-position`}>{words.position}</label>
          <select
            id={`${field}-position`}
            value={String(index)}
            onChange={({ currentTarget }) => setWanted(Number(currentTarget.value))}
          >
            {[...others, undefined].map((_, at) => (
              <option key={at} value={String(at)}>
                {at + 1}
              </option>
            ))}
          </select>
        </div>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={close}>
            {texts.cancel}
          </button>
          <button type="submit" class="button-primary">
            {words.move}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
