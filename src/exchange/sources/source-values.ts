/** Values of other tools' files, which may be of any type, read leniently. */
import type { JsonObject } from '../../json.ts'
import { LIMITS } from '../../schemas/common.ts'
import { parseTimestamp, timestamp } from '../../time.ts'
import type { SourcePerson } from './source-board.ts'

/** Whether a value is an object, and no array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A text, or what a number says; empty for all else. Well-formed, since SQLite stores UTF-8: two names that differ in a lone
 * surrogate only would become equal.
 */
export const text = (value: unknown): string =>
  typeof value === 'string'
    ? value.toWellFormed()
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : ''

/** A finite number, also where it is written as text. */
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

/** The objects of an array; none where it is no array. */
export const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Whether a value says nothing. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** The fields that say something. */
export const withoutEmpty = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))

/** The fields but those named. */
export const without = (fields: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)))

/** Sorted by a number, which may be missing; things without one keep their order at the end. */
export const sortedBy = <T>(things: readonly T[], numberOf: (thing: T) => number | undefined): T[] =>
  things.toSorted((a, b) => {
    const [first, second] = [numberOf(a), numberOf(b)]
    if (first === undefined || second === undefined) {
      return Number(first === undefined) - Number(second === undefined)
    }
    return first - second
  })

/** Comments, oldest first; those of one time in the order given. */
export const oldestFirst = <T extends { createdAt: string }>(things: readonly T[]): T[] =>
  things.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt)))

/**
 * The first thing of each id; those without one stay. What belongs to a card is found by the card's id: were several of one, all of
 * it would belong to each of them.
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
  note(count, 'repeated cards', 'of the id of another one: left out')

/** The earliest and the latest of timestamps; the time of the import where there is none. */
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

/** A line for the notes of a board, where there is something to say. */
export const note = (count: number, what: string, why: string): string[] =>
  count > 0 ? [`${what} ${count} (${why})`] : []

/** What looks like an email. */
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/

/** A name with an email behind it, as mail programs write it. */
const NAMED_EMAIL = /^([^<>]*)<([^<>]*)>$/

/** A person as a text tells of one: `Ann Smith <ann@acme.example>`, an email, or a name. The text is the id. */
export function personIn(id: string): SourcePerson {
  const [, name = '', inBrackets] = NAMED_EMAIL.exec(id) ?? []
  const email = emailIn(inBrackets ?? id)
  return email === '' ? { id, name: id.trim(), email } : { id, name: name.trim(), email }
}

/** An email, where it is one; else empty. */
export function emailIn(value: unknown): string {
  const email = text(value).trim()
  return email.length <= LIMITS.email && EMAIL.test(email) ? email : ''
}

/** Other tools' words for the priorities, as this service lists them. */
const PRIORITIES = new Map(
  Object.entries({
    low: ['low', 'lowest', 'minor', 'trivial', 'niedrig', 'gering'],
    medium: ['medium', 'normal', 'moderate', 'mittel'],
    high: ['high', 'major', 'important', 'hoch', 'wichtig'],
    critical: ['critical', 'highest', 'blocker', 'urgent', 'kritisch', 'dringend'],
  }).flatMap(([priority, words]) => words.map((word) => [word, priority] as const)),
)

/** The priority that a word stands for; undefined for words without a counterpart. */
export const priorityOf = (word: string): string | undefined => PRIORITIES.get(word.trim().toLowerCase())

/** Gives out one thing for each name, in the order in which names were first asked for. */
export class ByName<T> {
  readonly #things = new Map<string, T>()
  readonly #make: (name: string) => T

  /** Takes what makes the thing of a new name. */
  constructor(make: (name: string) => T) {
    this.#make = make
  }

  /** The thing of a name. */
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
