/** Edits the name of a new or existing column in place. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KanbanColumn } from '../../src/client/api.d.ts'
import { refocus } from '../common/focus.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { addColumn, changeColumn } from './column-writes.ts'

const words = texts.board
const LONGEST = 100

interface NameFieldProps {
  /** The current name. */
  name: string
  /** The initial text of the field, if it differs from the name. */
  text?: string | undefined
  onSave: (name: string) => void
  onEnd: () => void
}

function NameField({ name, text = name, onSave, onEnd }: NameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const hasEnded = useRef(false)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  /** Saves only once: removing the field blurs it, which would save again. */
  const end = (isSaved: boolean) => {
    if (hasEnded.current) return
    hasEnded.current = true
    const wanted = field.current?.value.trim() ?? ''
    if (isSaved && wanted !== '' && wanted !== name) onSave(wanted)
    onEnd()
  }
  return (
    <form
      class="column-name"
      onSubmit={(event) => {
        event.preventDefault()
        end(true)
      }}
    >
      <input
        ref={field}
        aria-label={words.columnName}
        placeholder={words.columnName}
        dir="auto"
        maxLength={LONGEST}
        defaultValue={text}
        onBlur={() => end(true)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          end(false)
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
  const [refused, setRefused] = useState<string | undefined>()
  const button = useRef<HTMLButtonElement>(null)
  const add = async (name: string) => {
    const isAdded = await addColumn(board, name)
    // The typed text goes back into the field.
    setRefused(isAdded ? undefined : name)
    if (!isAdded) setOpen(true)
  }
  const close = () => {
    setOpen(false)
    refocus(() => button.current?.focus())
  }
  return (
    <div class="column-new">
      {isOpen ? (
        <NameField name="" text={refused} onSave={(name) => void add(name)} onEnd={close} />
      ) : (
        <button ref={button} type="button" class="button-link" onClick={() => setOpen(true)}>
          <Icon name="add" /> {words.addColumn}
        </button>
      )}
    </div>
  )
}
