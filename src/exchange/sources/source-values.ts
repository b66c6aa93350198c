/** Values of other tools' files, which may be of any type, read leniently. */
import { isObject, type JsonObject } from '../../json.ts'
import { LIMITS } from '../../schemas/common.ts'
import { parseTimestamp, timestamp } from '../../time.ts'
import type { SourceLink, SourcePerson } from './source-board.ts'

/**
 * A text, or a number as text; empty for other values. Well-formed, since SQLite stores UTF-8: two names that differ only in a lone
 * surrogate would become equal.
 */
export const text = (value: unknown): string =>
  typeof value === 'string'
    ? value.toWellFormed()
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : ''

/** A finite number, also if written as text. */
export function number(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined
}

/** An ISO 8601 date or date-time as a timestamp. */
export const time = (value: unknown): string | undefined => parseTimestamp(text(value))

/** Seconds of Unix time as a timestamp; 0 stands for none. */
export function unixTime(value: unknown): string | undefined {
  const seconds = number(value)
  return seconds !== undefined && seconds > 0 && seconds < 253_402_300_800
    ? timestamp(Math.floor(seconds * 1000))
    : undefined
}

/** The objects of an array; none for other values. */
export const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** The ids in a list, as texts, each once. */
export const idsIn = (values: unknown): string[] => [
  ...new Set((Array.isArray(values) ? values : []).map(text).filter((id) => id !== '')),
]

/** The non-empty fields. */
export const withoutEmpty = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))

/** The fields except the named ones. */
export const without = (fields: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)))

/** Fields of users that no metadata keeps: only admins see the emails of others. */
export const EMAIL_FIELDS: ReadonlySet<string> = new Set(['email', 'emailAddress'])

/** Sorts by a number, which may be missing; entries without one keep their order at the end. */
export const sortedBy = <T>(things: readonly T[], numberOf: (thing: T) => number | undefined): T[] =>
  things.toSorted((a, b) => {
    const [first, second] = [numberOf(a), numberOf(b)]
    if (first === undefined || second === undefined) {
      return Number(first === undefined) - Number(second === undefined)
    }
    return first - second
  })

/** Comments, oldest first; equal times keep their order. */
export const oldestFirst = <T extends { createdAt: string }>(things: readonly T[]): T[] =>
  things.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt)))

/**
 * The first entry of each id; entries without one stay. Children are found by the card's id: several cards with one id would
 * each get all of them.
 */
export function distinctBy<T>(things: readonly T[], idOf: (thing: T) => string): T[] {
  const seen = new Set<string>()
  return things.filter((thing) => {
    const id = idOf(thing)
    const isNew = !seen.has(id)
    if (id !== '') seen.add(id)
    return isNew
  })
}

/** The note for cards that {@link distinctBy} left out. */
export const repeatedCards = (count: number): string[] =>
  note(count, 'repeated cards', 'with the id of another one: omitted')

/** The earliest and the latest of timestamps; the time of the import if there are none. */
export function span(times: Iterable<string | undefined>): { first: string; last: string } {
  let first: string | undefined
  let last: string | undefined
  for (const at of times) {
    if (at === undefined) continue
    if (first === undefined || at < first) first = at
    if (last === undefined || at > last) last = at
  }
  const now = first === undefined || last === undefined ? timestamp() : ''
  return { first: first ?? now, last: last ?? now }
}

/** A line for the notes of a board, if the count is not 0. */
export const note = (count: number, what: string, why: string): string[] =>
  count > 0 ? [`${what} ${count} (${why})`] : []

/** Most kinds of readers in the note of {@link restrictedNote}, and the characters of each. */
const MOST_READERS = 10
const READER_LENGTH = 60

/**
 * The note for comments and the like that only some may read in the other tool. They are not imported, not even into metadata: everybody
 * who sees a card reads those.
 * @param readers of each one
 */
export function restrictedNote(what: string, readers: readonly string[], tool: string): string[] {
  const counts = [...Map.groupBy(readers, (name) => name.replace(/\s+/g, ' ').slice(0, READER_LENGTH))]
  const shown = counts.slice(0, MOST_READERS).map(([name, { length }]) => `${length} for ${name}`)
  const more = counts.length > shown.length ? ', ...' : ''
  return note(readers.length, `restricted ${what}`, `left out, still in ${tool}: ${shown.join(', ')}${more}`)
}

/** The pattern of emails. */
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/

/** A name followed by an email, as in mail programs. */
const NAMED_EMAIL = /^([^<>]*)<([^<>]*)>$/

/** A person from a text: `Ann Smith <ann@acme.example>`, an email, or a name. The text is the id. */
export function personIn(id: string): SourcePerson {
  const [, name = '', inBrackets] = NAMED_EMAIL.exec(id) ?? []
  const email = emailIn(inBrackets ?? id)
  return email === '' ? { id, name: id.trim(), email } : { id, name: name.trim(), email }
}

/** A valid email, or empty. */
export function emailIn(value: unknown): string {
  const email = text(value).trim()
  return email.length <= LIMITS.email && EMAIL.test(email) ? email : ''
}

/** Other tools' words for how a card depends on another one; for any other word, it relates to it. */
const LINK_WORDS = new Map<string, SourceLink['type']>([
  ['blocks', 'blocks'],
  ['is blocked by', 'blocked_by'],
  ['is-blocked-by', 'blocked_by'],
  ['duplicates', 'duplicates'],
  ['is a child of', 'parent'],
])

/** The kind of link of a word. */
export const linkOf = (word: string): SourceLink['type'] => LINK_WORDS.get(word.toLowerCase()) ?? 'relates'

/** Other tools' words for this service's priorities. */
const PRIORITIES = new Map(
  Object.entries({
    low: ['low', 'lowest', 'minor', 'trivial', 'niedrig', 'gering', 'basse', 'faible', 'baja', 'bajo'],
    medium: ['medium', 'normal', 'moderate', 'mittel', 'moyenne', 'moyen', 'normale', 'media', 'medio'],
    high: ['high', 'major', 'important', 'hoch', 'wichtig', 'haute', 'élevée', 'importante', 'alta', 'alto'],
    critical: [
      'critical',
      'highest',
      'blocker',
      'urgent',
      'kritisch',
      'dringend',
      'critique',
      'urgente',
      'crítica',
    ],
  }).flatMap(([priority, words]) => words.map((word) => [word, priority] as const)),
)

/** The priority of a word; undefined for unknown words. */
export const priorityOf = (word: string): string | undefined => PRIORITIES.get(word.trim().toLowerCase())

/** Creates one value per name, in the order of first use. */
export class ByName<T> {
  readonly #things = new Map<string, T>()
  readonly #make: (name: string) => T

  /** Takes the factory of values. */
  constructor(make: (name: string) => T) {
    this.#make = make
  }

  /** The value of a name. */
  of(name: string): T {
    let thing = this.#things.get(name)
    if (thing === undefined) {
      thing = this.#make(name)
      this.#things.set(name, thing)
    }
    return thing
  }

  /** All of them, in order. */
  get all(): T[] {
    return [...this.#things.values()]
  }
}
