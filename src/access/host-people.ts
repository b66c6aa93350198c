/** People of the host application: those named recently, and queries for others. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createCache } from '../cache.ts'
import type { HostPerson, ListMembers } from '../phaseboard.d.ts'
import { LIMITS } from '../schemas/common.ts'

/** Milliseconds after which a person seen again is recorded again. */
const SEEN_FOR = 24 * 60 * 60 * 1000

/** Size of the cache of people already seen: beyond it, some are recorded more often than needed. */
const REMEMBERED = 10_000

/** Timeout of a host's response, and the pause after a failure, in milliseconds. */
const TIMEOUT = 1000
const PAUSE = 10_000

const isText = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= limit

/** Whether a host has named a person with a name. */
const isPerson = (value: unknown): value is HostPerson => {
  const { id, name } = Object(value)
  return isText(id, LIMITS.reference) && isText(name, LIMITS.name)
}

/** Records a person, in a separate write. */
type Note = (person: HostPerson) => Promise<unknown>

/** People already seen, with their names. */
interface Seen {
  name: string
  email: string | null
  at: number
  /** Whether the write that records it is in progress. */
  isNoted: boolean
}

/**
 * Stores changed names of stored people from a host's list. The same name is not stored again for a while, because `resolveMember` may
 * return another one.
 */
export class ListedNames {
  readonly #store: Note
  readonly #onError: (error: unknown) => void
  readonly #names = createCache<string, string>(REMEMBERED, SEEN_FOR)

  /** @param onError receives the error of a failed write */
  constructor(store: Note, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
  }

  /** Stores a changed name of a person. */
  rename(person: HostPerson): void {
    const { id, name } = person
    if (this.#names.get(id) === name) return
    this.#names.set(id, name)
    this.#store(person).catch((error) => {
      this.#names.delete(id)
      this.#onError(error)
    })
  }
}

/**
 * Records people that the host names, if new, renamed, or last recorded over a day ago. Requests do not wait for it, and do not
 * fail if it fails.
 */
export class SeenPeople {
  readonly #note: Note
  readonly #isKept: (id: string) => boolean
  readonly #onError: (error: unknown) => void
  readonly #seen = createCache<string, Seen>(REMEMBERED)

  /**
   * @param isKept whether a recorded person is still stored: forgotten people are recorded again
   * @param onError receives the error of a failed write
   */
  constructor(note: Note, isKept: (id: string) => boolean, onError: (error: unknown) => void) {
    this.#note = note
    this.#isKept = isKept
    this.#onError = onError
  }

  /** Records a person if the host has given a name. */
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
        // It is retried with the person's next request.
        this.#seen.delete(id)
        this.#onError(error)
      },
    )
  }
}

/** A query for people of a host. */
type Query = Parameters<ListMembers>[0]

/**
 * Queries a host for its people, within limits: after a failure or timeout the result is empty.
 * @param onError receives the reason
 */
export function createHostQuery(
  listMembers: ListMembers,
  onError: (error: unknown) => void,
): (query: Query) => Promise<HostPerson[]> {
  let pausedUntil = 0
  /** Async, so that a synchronous throw of the host's function becomes a rejection. */
  const ask = async (query: Query) => listMembers(query)
  return async (query) => {
    if (Date.now() < pausedUntil) return []
    const timer = new AbortController()
    const timeout = sleep(TIMEOUT, undefined, { signal: timer.signal }).then(() => {
      pausedUntil = Date.now() + PAUSE
      throw new Error(`listMembers took longer than ${TIMEOUT} ms`)
    })
    try {
      const answer: unknown = await Promise.race([ask(query), timeout])
      if (!Array.isArray(answer)) throw new TypeError('listMembers must return an array of { id, name }')
      const people = answer.filter(isPerson).map(({ id, name, email = null }) => ({ id, name, email }))
      const unique = new Map(people.map((person) => [person.id, person]))
      return [...unique.values()].slice(0, query.limit)
    } catch (error) {
      onError(error)
      return []
    } finally {
      timer.abort()
      timeout.catch(() => undefined)
    }
  }
}
