/** Naming columns in place: a new one, and one that is there. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KanbanColumn } from '../../src/client/api.d.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { addColumn, changeColumn } from './column-writes.ts'

const words = texts.board
const LONGEST = 100

interface NameFieldProps {
  name: string
  onSave: (name: string) => void
  onEnd: () => void
}

function NameField({ name, onSave, onEnd }: NameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.select(), [])
  const save = () => {
    const wanted = field.current?.value.trim() ?? ''
    if (wanted !== '' && wanted !== name) onSave(wanted)
    onEnd()
  }
  return (
    <form
      class="column-name"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <input
        ref={field}
        aria-label={words.columnName}
        placeholder={words.columnName}
        dir="auto"
        maxLength={LONGEST}
        defaultValue={name}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onEnd()
        }}
      />
    </form>
  )
}

interface RenameColumnProps {
  board: Board
  column: KanbanColumn
  onEnd: () => void
}

export const RenameColumn = ({ board, column: { id, name }, onEnd }: RenameColumnProps) => (
  <NameField
    name={name}
    onSave={(wanted) => changeColumn(board, id, { name: wanted }, words.columnRenamed(wanted))}
    onEnd={onEnd}
  />
)

export function AddColumn({ board }: { board: Board }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class="column-new">
      {isOpen ? (
        <NameField name="" onSave={(name) => void addColumn(board, name)} onEnd={() => setOpen(false)} />
      ) : (
        <button type="button" class="button-link" onClick={() => setOpen(true)}>
          <Icon name="add" /> {words.addColumn}
        </button>
      )}
    </div>
  )
}
