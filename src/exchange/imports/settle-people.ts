/** Who the people of an imported board are here: members, people who are known, or new ones that stand for themselves. */
import type { SharedDatabase } from '../../db/client.ts'
import type { people as peopleTable } from '../../db/schema.ts'
import { emailKey } from '../../members/emails.ts'
import { type NamedPerson as KnownName, KnownPeople, type KnownPerson } from '../../members/known-people.ts'
import { LIMITS } from '../../schemas/common.ts'
import type { ImportedPerson, Match } from '../../schemas/records.ts'
import { UNKNOWN_AUTHOR } from '../sources/source-board.ts'
import type { Mapping } from './mappings.ts'
import type { NamedPerson } from './named-people.ts'
import { shorten } from './names.ts'

/** How people are found. */
export interface PeopleOptions {
  /** Whether those of the same name are the same, where there is only one of it. */
  matchNames?: boolean
  map?: readonly Mapping[]
}

/** People that the result of an import shows, at most. */
export const SHOWN_PEOPLE = 500

/** Whether there are more to settle. @param insert writes the row of a person who stands for itself */
export type SettleSome = (
  insert: (row: typeof peopleTable.$inferInsert & { id: string }) => void,
  isLong?: () => boolean,
) => boolean

/** What is known of the people of a board. */
export interface PeopleOfBoard {
  format: string
  people: readonly NamedPerson[]
  hasOwnPeople?: boolean | undefined
}

/** How names are compared. */
const nameKey = (name: string) => name.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase()

/** Ids for somebody of another tool: its own, where nobody else has that, and else with the format before it. */
function* idsFor(id: string, format: string): Generator<string, never> {
  yield id
  const prefixed = `${format}:${id}`
  yield shorten(prefixed, LIMITS.reference)
  for (let number = 2; ; number++) {
    const suffix = `:${number}`
    yield shorten(prefixed, LIMITS.reference - suffix.length) + suffix
  }
}

/** Settles who the people of one import are. */
export class SettledPeople {
  readonly #board: PeopleOfBoard
  readonly #known: KnownPeople
  readonly #mapped: ReadonlyMap<string, KnownPerson>
  readonly #names: ReadonlyMap<string, KnownName[]>
  /** How many people of the board have a name. */
  readonly #namesakes: ReadonlyMap<string, NamedPerson[]>
  readonly #settled = new Map<string, ImportedPerson>()
  /** Ids that this import has given. */
  readonly #given = new Set([UNKNOWN_AUTHOR])

  /** @throws Error with one clear line where a mapping names nobody, or several */
  constructor(db: SharedDatabase, board: PeopleOfBoard, { matchNames = false, map = [] }: PeopleOptions) {
    this.#board = board
    this.#known = new KnownPeople(db)
    this.#namesakes = Map.groupBy(board.people, ({ name }) => nameKey(name))
    this.#names = matchNames ? Map.groupBy(this.#known.names(), ({ name }) => nameKey(name)) : new Map()
    this.#mapped = this.#mappedBy(map)
  }

  /** Settles people, in the order of the board, inside a write; until that is long enough. */
  readonly some: SettleSome = (insert, isLong = () => false) => {
    for (const person of this.#board.people.slice(this.#settled.size)) {
      this.#settle(person, insert)
      if (isLong()) return true
    }
    return false
  }

  /** What the records of a person hold, once all are settled. @param id as the file has it */
  idOf(id: string): string {
    const { id: own, memberId } = this.#settled.get(id) ?? { id, memberId: null }
    return memberId ?? own
  }

  /** All who are settled. */
  get all(): ImportedPerson[] {
    return [...this.#settled.values()]
  }

  #settle(person: NamedPerson, insert: Parameters<SettleSome>[0]): void {
    const { id, name, items, comments } = person
    const found = this.#find(person)
    const own = found ? id : this.#ownId(person, insert)
    this.#settled.set(id, {
      ...{ id: own, name, items, comments },
      matched: found?.matched ?? null,
      memberId: found?.id ?? null,
    })
  }

  #find(person: NamedPerson): { id: string; matched: Match } | undefined {
    const { format, hasOwnPeople = false } = this.#board
    const as = (matched: Match, known: KnownPerson | undefined) => known && { id: known.id, matched }
    const earlier = this.#known.ofSource(format, person.id)
    return (
      as('map', this.#mapped.get(person.id)) ??
      as('id', hasOwnPeople ? this.#known.ofId(person.id) : undefined) ??
      // Whoever merged the two has said who it is.
      as('map', earlier?.isMerged ? earlier : undefined) ??
      as('email', this.#ofEmail(person, earlier)) ??
      as('name', this.#ofName(person))
    )
  }

  /** Whoever has the email; the person of an earlier import itself is not found by it. */
  #ofEmail({ email }: NamedPerson, earlier: KnownPerson | undefined): KnownPerson | undefined {
    const found = email === '' ? undefined : this.#known.ofEmail(email)
    return found?.id === earlier?.id ? undefined : found
  }

  /**
   * The one who has the name: a member, or else somebody who is known from elsewhere, since a tool tells its own people by
   * their ids.
   */
  #ofName({ name }: NamedPerson): KnownPerson | undefined {
    const key = nameKey(name)
    if (this.#namesakes.get(key)?.length !== 1) return undefined
    const all = this.#names.get(key) ?? []
    const those = all.filter(({ isMember }) => isMember)
    const others = all.filter(({ source }) => source !== this.#board.format)
    const [one, ...more] = those.length > 0 ? those : others
    return more.length === 0 ? one : undefined
  }

  /** The id of somebody who stands for itself: of an earlier import of the same tool, or else a new one. */
  #ownId({ id, name, email }: NamedPerson, insert: Parameters<SettleSome>[0]): string {
    const { format } = this.#board
    const earlier = this.#known.ofSource(format, id)
    if (earlier) return earlier.id
    if (this.#known.isComing(format, id)) {
      throw new Error(`another import brings ${shorten(name, 60)} just now: begin again when it is done`)
    }
    const own = this.#freeId(id)
    this.#given.add(own)
    insert({
      ...{ id: own, name, kind: 'import', source: format, sourceId: id },
      email: email === '' ? null : emailKey(email),
    })
    return own
  }

  #freeId(id: string): string {
    const ids = idsFor(id, this.#board.format)
    let free = ids.next().value
    while (this.#given.has(free) || this.#known.isTaken(free)) free = ids.next().value
    return free
  }

  #mappedBy(map: readonly Mapping[]): Map<string, KnownPerson> {
    const mapped = new Map<string, KnownPerson>()
    for (const { from, to } of map) {
      const { id } = this.#ofBoard(from)
      const known = this.#known.ofIdOrEmail(to)
      if (known === undefined) throw new Error(`nobody here has the id or email ${JSON.stringify(to)}`)
      mapped.set(id, known)
    }
    return mapped
  }

  /** The person of the board that somebody means. @throws Error with one clear line */
  #ofBoard(text: string): NamedPerson {
    const { people, format } = this.#board
    const called = JSON.stringify(shorten(text, 100))
    const one = people.find(({ id }) => id === text || `${format}:${id}` === text)
    if (one) return one
    const key = nameKey(text)
    const [found, ...others] = people.filter(
      ({ name, email }) => nameKey(name) === key || (email !== '' && emailKey(email) === emailKey(text)),
    )
    if (found === undefined) throw new Error(`the board names nobody of the id, name or email ${called}`)
    if (others.length > 0) {
      const ids = [found, ...others].slice(0, 10).map(({ id }) => id)
      throw new Error(
        `the board names ${others.length + 1} people ${called}: say which by id, ${ids.join(' or ')}`,
      )
    }
    return found
  }
}
