/** Reads typed cards: one a line, with `@name`, `#label`, `!priority` and `due:day` as tokens. Uses neither the DOM nor the network. */
import type { KanbanLabel } from '../../src/client/api.d.ts'
import { fold } from '../../src/folding.ts'
import { asDueDate } from '../common/date-words.ts'
import { isSame } from '../common/matches.ts'
import type { NewCard } from './card-writes.ts'

/** The most requests in one batch: a card, or a label of a card. */
export const MOST_REQUESTS = 200
/** The maximum length of a title. */
export const LONGEST_TITLE = 500
/** The maximum number of words of a due date: "due:fri 4 Dec 2026 5 pm". */
const MOST_WORDS = 6
/** A longer line has no tokens: without them it is still too long for a title. */
const LONGEST_LINE = 4 * LONGEST_TITLE

interface Named {
  id: string
  name: string
  /** The kind of a person, `member` by default. */
  kind?: string
}

type TokenKind = 'person' | 'label' | 'priority' | 'due'

/** A token in the text, from `start` to `end`. */
export interface Token {
  kind: TokenKind
  start: number
  end: number
  /** As typed, e.g. `#design`. */
  text: string
  /** Its value: an id, a priority, or a date: `YYYY-MM-DD`, or a timestamp. */
  value: string
  /** The name of the value. */
  name: string
}

/** The possible values of tokens. */
export interface Known {
  labels: readonly KanbanLabel[]
  /** The people found for the first word of a name, folded; undefined before a search. */
  peopleOf: (word: string) => readonly Named[] | undefined
  /** The date that a text means: `YYYY-MM-DD`, or a timestamp; undefined for other text. */
  dateOf: (text: string) => string | undefined
  /** Whether the user wants a token to be text. */
  isText: (token: string) => boolean
}

const PRIORITIES = ['low', 'medium', 'high', 'critical']
const BEGIN = /(?<=^|\s)(?:[@#!]|due:)/gi
/** The first word of a name that may be a person's. */
const MENTION = /(?<=^|\s)@([^\s@]+)/g

/** The first words of all names in the text, folded, for which people must be found. */
export const mentionsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(MENTION)].map(([, word = '']) => fold(word))),
]

/** The beginning of a text that is a name, in as many words, however it is written; undefined if it does not begin with one. */
function nameAt(text: string, name: string): string | undefined {
  const words = name.split(/\s+/).length
  const last = [...text.matchAll(/\S+/g)][words - 1]
  const beginning = last && text.slice(0, last.index + last[0].length)
  return beginning !== undefined && isSame(beginning, name) ? beginning : undefined
}

const longestFirst = <T extends { name: string }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => b.name.length - a.name.length)

/** The person of a mention: the longest name that follows, or the only one with this first name. A member goes before a namesake elsewhere. */
function personAt(rest: string, known: Known): { person: Named; length: number } | undefined {
  const word = /^\S+/.exec(rest)?.[0] ?? ''
  const all = known.peopleOf(fold(word)) ?? []
  const members = all.filter(({ kind = 'member' }) => kind === 'member')
  const found = [...members, ...all.filter((one) => !members.includes(one))]
  const whole = longestFirst(found).find(({ name }) => nameAt(rest, name) !== undefined)
  if (whole) return { person: whole, length: nameAt(rest, whole.name)?.length ?? 0 }
  const isFirst = ({ name }: Named) => isSame(name.split(/\s/, 1)[0] ?? '', word)
  const first = members.some(isFirst) ? members.filter(isFirst) : found.filter(isFirst)
  return first.length === 1 && first[0] ? { person: first[0], length: word.length } : undefined
}

const firstWord = (text: string): string => fold(/^\S*/.exec(text)?.[0] ?? '')

/** The possible values of tokens, with the labels by the first words of their names. */
interface Index extends Known {
  labelsOf: ReadonlyMap<string, readonly KanbanLabel[]>
}

/** The token that begins at a place of a line. */
function tokenAt(line: string, at: number, known: Index): Omit<Token, 'start' | 'end'> | undefined {
  const rest = line.slice(at + 1)
  const word = /^\S+/.exec(line.slice(at))?.[0] ?? ''
  if (line[at] === '#') {
    const label = longestFirst(known.labelsOf.get(firstWord(rest)) ?? []).find(
      ({ name }) => nameAt(rest, name) !== undefined,
    )
    return (
      label && {
        kind: 'label',
        text: `#${nameAt(rest, label.name)}`,
        value: label.id,
        name: label.name,
      }
    )
  }
  if (line[at] === '@') {
    const found = personAt(rest, known)
    return (
      found && {
        kind: 'person',
        text: line.slice(at, at + 1 + found.length),
        value: found.person.id,
        name: found.person.name,
      }
    )
  }
  if (line[at] === '!') {
    const value = word.slice(1).toLowerCase()
    return PRIORITIES.includes(value) ? { kind: 'priority', text: word, value, name: value } : undefined
  }
  return dueAt(line.slice(at), known)
}

/** The due date that begins a text: of its first words, as many as mean one. */
function dueAt(text: string, { dateOf }: Known): Omit<Token, 'start' | 'end'> | undefined {
  const words = text.split(' ', MOST_WORDS)
  for (; words.length > 0; words.pop()) {
    const due = words.join(' ')
    const date = words[0] === 'due:' ? undefined : dateOf(due.slice('due:'.length))
    if (date !== undefined) return { kind: 'due', text: due, value: date, name: date }
  }
  return undefined
}

/** The tokens of a line. A card has one priority and one due date: others after the first stay text. */
function tokensOf(line: string, offset: number, known: Index): Token[] {
  if (line.length > LONGEST_LINE) return []
  const tokens: Token[] = []
  for (const { index } of line.matchAll(BEGIN)) {
    if (index < (tokens.at(-1)?.end ?? 0) - offset) continue
    const found = tokenAt(line, index, known)
    if (found === undefined || known.isText(found.text)) continue
    const isTaken = tokens.some(
      ({ kind, value }) =>
        kind === found.kind && (kind === 'priority' || kind === 'due' || value === found.value),
    )
    if (!isTaken) tokens.push({ ...found, start: offset + index, end: offset + index + found.text.length })
  }
  return tokens
}

/** A line without its tokens. */
function titleOf(line: string, offset: number, tokens: readonly Token[]): string {
  let at = 0
  let title = ''
  for (const { start, end } of tokens) {
    title += line.slice(at, start - offset)
    at = end - offset
  }
  title += line.slice(at)
  return (tokens.length === 0 ? title : title.replaceAll(/\s+/g, ' ')).trim()
}

export interface Read {
  cards: NewCard[]
  tokens: Token[]
  /** The requests that create the cards. */
  requests: number
}

/** Reads the cards of a text. A line that is nothing but tokens is a title. */
export function readCards(text: string, known: Known): Read {
  const labelsOf = new Map<string, KanbanLabel[]>()
  for (const label of known.labels) {
    const word = firstWord(label.name)
    labelsOf.set(word, [...(labelsOf.get(word) ?? []), label])
  }
  const cards: NewCard[] = []
  const all: Token[] = []
  let offset = 0
  for (const line of text.split('\n')) {
    const found = tokensOf(line, offset, { ...known, labelsOf })
    const tokens = titleOf(line, offset, found) === '' ? [] : found
    const title = titleOf(line, offset, tokens)
    if (title !== '') {
      const valueFor = (kind: TokenKind) => tokens.find((token) => token.kind === kind)?.value
      const [priority, due] = [valueFor('priority'), valueFor('due')]
      const assigneeIds = tokens.filter(({ kind }) => kind === 'person').map(({ value }) => value)
      const labels = tokens
        .filter(({ kind }) => kind === 'label')
        .map(({ value }) => known.labels.find(({ id }) => id === value))
      cards.push({
        title,
        labels: labels.filter((label) => label !== undefined),
        fields: {
          ...(assigneeIds.length > 0 && { assigneeIds }),
          ...(priority !== undefined && { priority }),
          ...(due !== undefined && { dueDate: asDueDate(due) }),
        },
      })
    }
    all.push(...tokens)
    offset += line.length + 1
  }
  return { cards, tokens: all, requests: cards.reduce((sum, { labels }) => sum + 1 + labels.length, 0) }
}

/** The mention or label that is being typed before the caret. */
export interface Typing {
  kind: 'person' | 'label'
  /** Where its sign is. */
  start: number
  /** The text after the sign. */
  typed: string
}

export function typingAt(text: string, caret: number): Typing | undefined {
  const [, sign = '', typed = ''] = /(?:^|\s)([@#])([^\s@#]*)$/.exec(text.slice(0, caret)) ?? []
  if (sign === '' || /^\S/.test(text.slice(caret))) return undefined
  return { kind: sign === '@' ? 'person' : 'label', start: caret - typed.length - 1, typed }
}
