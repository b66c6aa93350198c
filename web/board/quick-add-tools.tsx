/** The tools of the field for new cards: recognised tokens as chips, and suggestions of names. Loaded when the field opens. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KanbanLabel } from '../common/api.ts'
import { readDate } from '../common/date-words.ts'
import { fullDue } from '../common/dates.ts'
import { hasLabel, LONGEST_LABEL, nextColor } from '../common/labels.ts'
import { matches } from '../common/matches.ts'
import { findPeople } from '../common/people.ts'
import { newId } from '../common/record-writes.ts'
import { me } from '../common/session.ts'
import { announce } from '../common/toasts.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Suggestions } from '../common/ui/suggestions.tsx'
import { texts } from '../texts.ts'
import { addCards, newLabelsOf } from './batch-cards.ts'
import type { Board } from './board.ts'
import type { NewCard } from './card-writes.ts'
import {
  LONGEST_TITLE,
  MOST_REQUESTS,
  mentionsIn,
  type Read,
  readCards,
  type Token,
  typingAt,
} from './quick-add.ts'

const words = texts.board.quick

/** The maximum number of suggestions. */
const MOST = 8
/** The debounce of a search, in milliseconds. */
const AFTER = 150
/** How long a new card waits for the people of its mentions, in milliseconds. Then they stay text. */
const LONGEST_WAIT = 2000
/** The maximum number of names in a text for which people are looked for. */
const MOST_NAMES = 20

interface Named {
  id: string
  name: string
  kind?: string
  isNew?: boolean
}

/** Reads the typed cards. */
export interface Plan {
  /** Whether they cannot be created, for a reason that is shown. */
  isRefused: boolean
  /** Resolves once the names in the text are known. */
  read: (text: string) => Promise<NewCard[]>
  /** Creates several cards, or one with labels. */
  addCards: typeof addCards
}

export interface QuickAddToolsProps {
  board: Board
  text: string
  field: { current: HTMLTextAreaElement | null }
  /** Receives the functions that read the typed cards. */
  plan: { current: Plan | undefined }
  /** Receives the number of cards. */
  onCount: (count: number) => void
  /** Adds all lines as one card. */
  onJoin: () => void
}

/** The people whose name contains a text, and the user, who may not be one of the people. */
async function peopleNamed(q: string, limit: number): Promise<Named[]> {
  const user = me.peek()
  const mine = user && matches(user.name, q) ? [user] : []
  const found = await findPeople(q, limit)
  return [...mine, ...found.filter(({ id }) => id !== user?.id)].slice(0, limit)
}

/** The people of the mentions in a text, by first word. */
function usePeople(text: string) {
  const known = useRef(new Map<string, readonly Named[]>())
  const loading = useRef<Promise<unknown>>(Promise.resolve())
  const [, setRound] = useState(0)
  const look = () => {
    const missing = mentionsIn(text)
      .filter((word) => !known.current.has(word))
      .slice(0, MOST_NAMES)
    if (missing.length === 0) return
    for (const word of missing) known.current.set(word, [])
    const reading = missing.map(async (word) => {
      try {
        known.current.set(word, await peopleNamed(word, MOST_NAMES))
      } catch {
        // Without a response the mention stays text, unless a later search finds the person.
        known.current.delete(word)
      }
    })
    loading.current = Promise.all([loading.current, ...reading]).then(() => setRound((round) => round + 1))
  }
  useEffect(() => {
    const timer = setTimeout(look, AFTER)
    return () => clearTimeout(timer)
  }, [text])
  const ready = () => {
    look()
    return Promise.race([loading.current, new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT))])
  }
  return { peopleOf: (word: string) => known.current.get(word), ready }
}

function problemOf({ cards, requests }: Pick<Read, 'cards' | 'requests'>): string | undefined {
  if (requests > MOST_REQUESTS) return words.tooMany(requests, MOST_REQUESTS)
  const long = cards.some(({ title }) => title.length > LONGEST_TITLE)
  return long ? words.tooLong(LONGEST_TITLE) : undefined
}

const nameOf = ({ kind, name }: Token): string =>
  kind === 'due' ? fullDue(name) : kind === 'priority' ? (texts.board.priorities[name] ?? name) : name

/** A label that is created with a card. */
const newLabelIn = ({ store }: Board, name: string, others: readonly KanbanLabel[]): KanbanLabel =>
  ({ id: newId(), projectId: store.id, name, color: nextColor(others) }) as KanbanLabel

export default function QuickAddTools({ board, text, field, plan, onCount, onJoin }: QuickAddToolsProps) {
  /** The tokens that the user wants to be text. */
  const [asText, setAsText] = useState<ReadonlySet<string>>(new Set())
  /** The labels that are created with the card, as placeholders. */
  const newLabels = useSignal<readonly KanbanLabel[]>([])
  /** The latest ones: the key that chooses a new label may also add the card. */
  const labelsNow = () => {
    const known = board.store.labelList
    return [...known, ...newLabels.value.filter(({ name }) => !hasLabel(known, name))]
  }
  const labels = labelsNow()
  const { peopleOf, ready } = usePeople(text)
  const reading = (typed: string) =>
    readCards(typed, {
      labels: labelsNow(),
      peopleOf,
      dateOf: readDate,
      isText: (token) => asText.has(token.toLowerCase()),
    })
  const { cards, tokens, requests } = reading(text)
  const problem = problemOf({ cards, requests: requests + newLabelsOf(board.store, cards).length })
  plan.current = {
    isRefused: problem !== undefined,
    addCards,
    read: async (typed) => {
      await ready()
      return reading(typed).cards
    },
  }
  useLayoutEffect(
    () => () => {
      plan.current = undefined
    },
    [],
  )
  useLayoutEffect(() => onCount(cards.length), [cards.length])
  useEffect(() => {
    if (text === '') setAsText(new Set())
  }, [text === ''])

  const shown = [...new Map(tokens.map((token) => [token.text.toLowerCase(), token])).values()]
  const recognised = shown.map((token) => words.token(token.kind, nameOf(token))).join(', ')
  const before = useRef('')
  useEffect(() => {
    if (recognised !== '' && recognised !== before.current) announce(words.recognised(recognised))
    before.current = recognised
  }, [recognised])
  const undo = (token: Token) => {
    setAsText(new Set([...asText, token.text.toLowerCase()]))
    announce(words.isText(token.text))
    field.current?.focus()
  }
  // Backspace right after a token, or after the space behind it, makes it text before it deletes anything.
  const onBackspace = (event: KeyboardEvent, area: HTMLTextAreaElement): boolean => {
    const { selectionStart: at, selectionEnd } = area
    if (event.key !== 'Backspace' || at !== selectionEnd) return false
    const token = tokens.find(({ end }) => end === at || (end + 1 === at && text[end] === ' '))
    if (token) undo(token)
    return token !== undefined
  }

  return (
    <>
      {shown.length > 0 && (
        <ul class="row" aria-label={words.tokens}>
          {shown.map((token) => (
            <li key={token.text.toLowerCase()}>
              <button
                type="button"
                class="button add-card-token"
                aria-label={words.keepAsText(words.token(token.kind, nameOf(token)))}
                title={words.keepAsText(token.text)}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => undo(token)}
              >
                <span dir="auto">{nameOf(token)}</span> <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      {cards.length > 1 && problem === undefined && (
        <button type="button" class="button-link" onClick={onJoin}>
          {words.join}
        </button>
      )}
      <Suggestions<Named>
        text={text}
        field={field}
        typingAt={typingAt}
        find={({ kind, typed }) => {
          if (kind !== 'label') return () => peopleNamed(typed, MOST)
          const has = ({ name }: Named) => matches(name, typed)
          const found: Named[] = labels.filter(has).slice(0, MOST)
          // A number alone is probably not a label.
          const isName = typed.length <= LONGEST_LABEL && /[^\d]/.test(typed)
          return isName && !hasLabel(labels, typed) ? [...found, { id: '', name: typed, isNew: true }] : found
        }}
        shownOf={({ name, isNew }) => (isNew ? texts.board.createLabel(name) : name)}
        onChoose={({ name, isNew }) => {
          if (isNew) newLabels.value = [...newLabels.peek(), newLabelIn(board, name, labels)]
        }}
        label={(kind) => (kind === 'label' ? texts.card.labels : texts.fields.person)}
        countText={words.suggestions}
        onKey={onBackspace}
      />
    </>
  )
}
