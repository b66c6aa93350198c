/** People of the host application: whom it has named lately, and asking it for more. */
import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { HostPerson, ListMembers } from '../phaseboard.d.ts'
import { LIMITS } from '../schemas/common.ts'

/** Milliseconds after which who is seen again is noted again. */
export const SEEN_FOR = 24 * 60 * 60 * 1000

/** People that are remembered as seen: of more, some are noted once too often. */
const REMEMBERED = 10_000

/** Milliseconds that a host has to answer, and that it is left alone after it did not. */
const PATIENCE = 1000
const REST = 10_000

const isText = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= limit

/** Whether a host has named somebody who can be shown. */
const isPerson = (value: unknown): value is HostPerson => {
  const { id, name } = Object(value)
  return isText(id, LIMITS.reference) && isText(name, LIMITS.name)
}

/** Notes a person, in a write of its own. */
type Note = (person: HostPerson) => Promise<unknown>

/** Who was seen, and how the person was called. */
interface Seen {
  name: string
  email: string | null
  at: number
  /** Whether the write that notes it is on its way. */
  isNoted: boolean
}

/**
 * Notes people as the host names them: who is new, has another name, or was last noted over a day ago. Nobody waits for it, nor
 * fails with it.
 */
export class SeenPeople {
  readonly #note: Note
  readonly #isKept: (id: string) => boolean
  readonly #onError: (error: unknown) => void
  readonly #seen = new LRUCache<string, Seen>({ max: REMEMBERED })

  /**
   * @param isKept whether somebody who was noted still is: whoever was forgotten is noted again
   * @param onError takes what a note failed with
   */
  constructor(note: Note, isKept: (id: string) => boolean, onError: (error: unknown) => void) {
    this.#note = note
    this.#isKept = isKept
    this.#onError = onError
  }

  /** Notes somebody whom the host has named; whoever it has not is passed over. */
  see(person: Partial<HostPerson>): void {
    if (!isPerson(person)) return
    const { id, name, email = null } = person
    const seen = this.#seen.get(id)
    const now = Date.now()
    const isSame = seen?.name === name && seen.email === email && now - seen.at < SEEN_FOR
    if (isSame && (!seen.isNoted || this.#isKept(id))) return
    const noted = { name, email, at: now, isNoted: false }
    this.#seen.set(id, noted)
    this.#note({ id, name, email }).then(
      () => {
        noted.isNoted = true
      },
      (error) => {
        // It is tried again when the person comes again.
        this.#seen.delete(id)
        this.#onError(error)
      },
    )
  }
}

/** Which people a host is asked for. */
type Query = Parameters<ListMembers>[0]

/**
 * Asks a host for its people, within bounds: what it fails with, or takes too long for, is as if it knew nobody.
 * @param onError takes why
 */
export function createHostQuery(
  listMembers: ListMembers,
  onError: (error: unknown) => void,
): (query: Query) => Promise<HostPerson[]> {
  let restsUntil = 0
  /** Async, so that a synchronous throw of the host's function becomes a rejection. */
  const ask = async (query: Query) => listMembers(query)
  return async (query) => {
    if (Date.now() < restsUntil) return []
    const bell = new AbortController()
    const late = pause(PATIENCE, undefined, { signal: bell.signal }).then(() => {
      restsUntil = Date.now() + REST
      throw new Error(`listMembers took longer than ${PATIENCE} ms`)
    })
    try {
      const answer: unknown = await Promise.race([ask(query), late])
      if (!Array.isArray(answer)) throw new TypeError('listMembers must return an array of { id, name }')
      const unique = new Map(answer.filter(isPerson).map((person) => [person.id, person]))
      return [...unique.values()].slice(0, query.limit)
    } catch (error) {
      onError(error)
      return []
    } finally {
      bell.abort()
      late.catch(() => undefined)
    }
  }
}
