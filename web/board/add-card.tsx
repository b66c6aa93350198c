/** Adds several cards one after another. Enter adds the card and keeps the field open. Escape closes it and keeps the draft. */
import { useComputed } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KanbanColumn } from '../../src/client/api.d.ts'
import { drafts } from '../common/drafts.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import type { Board, End } from './board.ts'
import { addCard } from './card-writes.ts'

const words = texts.board

/** The maximum length of a title. */
const LONGEST = 500

interface AddCardProps {
  board: Board
  column: KanbanColumn
  end: End
}

/** Shows the field, and the button that opens it at the end of the column. */
export function AddCard({ board, column: { id, name }, end }: AddCardProps) {
  const isOpen = useComputed(() => {
    const adding = board.adding.value
    return adding?.column === id && adding.end === end
  }).value
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    board.adding.value = undefined
    requestAnimationFrame(() => button.current?.focus())
  }
  if (isOpen) return <Field board={board} id={id} name={name} end={end} onClose={close} />
  if (end === 'top') return null
  return (
    <button
      ref={button}
      type="button"
      class="button-link add-card"
      aria-label={words.addTo(name)}
      onClick={() => {
        board.adding.value = { column: id, end }
      }}
    >
      <Icon name="add" /> {words.addCard}
    </button>
  )
}

interface FieldProps {
  board: Board
  id: string
  name: string
  end: End
  onClose: () => void
}

function Field({ board, id, name, end, onClose }: FieldProps) {
  const draft = `new-card:${id}:${end}`
  const [title, setTitle] = useState(() => drafts.read(draft)?.text ?? '')
  const field = useRef<HTMLInputElement>(null)
  const change = (text: string) => {
    setTitle(text)
    if (text === '') drafts.remove(draft)
    else drafts.keep(draft, { text, from: '' })
  }
  useLayoutEffect(() => field.current?.focus(), [])

  const add = async () => {
    const wanted = title.trim()
    if (wanted === '') return
    change('')
    const adding = addCard(board, name, end, wanted)
    requestAnimationFrame(() => field.current?.scrollIntoView({ block: 'nearest' }))
    const isAdded = await adding
    // The write was refused: restore the text, unless the field already has another one.
    if (!isAdded && drafts.read(draft) === undefined) change(wanted)
  }
  return (
    <form
      class="add-card-form"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <input
        ref={field}
        aria-label={words.cardTitle}
        placeholder={words.cardTitle}
        dir="auto"
        maxLength={LONGEST}
        enterkeyhint="enter"
        value={title}
        onInput={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          onClose()
        }}
      />
      <div class="row">
        <button type="submit" class="button-primary">
          {texts.add}
        </button>
        <button type="button" class="button-icon" aria-label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
    </form>
  )
}
