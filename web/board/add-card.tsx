/** Adds several cards one after another. Enter adds the card, or one for each line, and keeps the field open. Escape closes it and keeps the draft. */
import { useComputed } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KanbanColumn } from '../../src/client/api.d.ts'
import { drafts } from '../common/drafts.ts'
import { refocus } from '../common/focus.ts'
import { Icon } from '../common/ui/icon.tsx'
import { late } from '../common/ui/late.tsx'
import { texts } from '../texts.ts'
import type { Board, End } from './board.ts'
import { addCard, type NewCard } from './card-writes.ts'
import type { Plan, QuickAddToolsProps } from './quick-add-tools.tsx'

const words = texts.board

/** The maximum length of the text: that of the most titles in one batch. */
const LONGEST = 100_000

const Tools = late<QuickAddToolsProps>(
  () => import('./quick-add-tools.tsx'),
  () => null,
)

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
    refocus(() => button.current?.focus())
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

/** The function of each open field that restores a text, by draft: a refused write may have come from a field that was closed. */
const restores = new Map<string, (text: string) => void>()

function Field({ board, id, name, end, onClose }: FieldProps) {
  const draft = `new-card:${id}:${end}`
  const [title, setTitle] = useState(() => drafts.read(draft)?.text ?? '')
  const [count, setCount] = useState(1)
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const plan = useRef<Plan | undefined>(undefined)
  const change = (text: string) => {
    setTitle(text)
    if (text === '') drafts.remove(draft)
    else drafts.keep(draft, { text, from: '' })
  }
  useLayoutEffect(() => field.current?.focus(), [])
  // With its buttons, at the end of a column that is full of cards, and whenever it has grown.
  useEffect(() => form.current?.scrollIntoView({ block: 'nearest' }))

  /** Restores the text of a refused write, below what is typed by now: each line is a card. */
  const restore = (text: string) => {
    const typed = drafts.read(draft)?.text ?? ''
    const below = typed === '' ? text : `\n${text}`
    // The caret stays where it is.
    field.current?.setRangeText(below, typed.length, typed.length, 'preserve')
    change(typed + below)
  }
  useLayoutEffect(() => {
    restores.set(draft, restore)
    return () => void restores.delete(draft)
  }, [])
  const add = async (read: (text: string) => Promise<NewCard[]>) => {
    const text = title.trim()
    if (text === '') return
    change('')
    const several = plan.current?.addCards
    const adding = read(text).then((cards) => {
      const [one] = cards
      const isAlone = one && cards.length === 1 && one.labels.length === 0
      return isAlone ? addCard(board, name, end, one) : several?.(board, name, end, cards)
    })
    requestAnimationFrame(() => form.current?.scrollIntoView({ block: 'nearest' }))
    if (!(await adding)) (restores.get(draft) ?? restore)(text)
  }
  const asOne = async (text: string) => [
    { title: text.replaceAll(/(?<!\s)\s*\n\s*/g, ' '), labels: [], fields: {} },
  ]
  const addTyped = () => {
    if (!plan.current?.isRefused) void add(plan.current?.read ?? asOne)
  }
  return (
    <form
      ref={form}
      class="add-card-form"
      onSubmit={(event) => {
        event.preventDefault()
        addTyped()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-autocomplete="list"
        aria-label={words.cardTitle}
        placeholder={words.cardTitle}
        dir="auto"
        maxLength={LONGEST}
        enterkeyhint="enter"
        value={title}
        onInput={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={(event) => {
          const isAdding = event.key === 'Enter' && !event.shiftKey
          if (!isAdding && event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          if (isAdding) addTyped()
          else onClose()
        }}
      />
      <Tools
        board={board}
        text={title}
        field={field}
        plan={plan}
        onCount={setCount}
        onJoin={() => void add(asOne)}
      />
      <div class="row">
        <button type="submit" class="button-primary">
          {count > 1 ? words.quick.create(count) : texts.add}
        </button>
        <button type="button" class="button-icon" aria-label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
    </form>
  )
}
