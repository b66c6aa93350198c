/** Matches the people of an imported board: with members, known people, or new ones. */
import type { SharedDatabase } from '../../db/client.ts'
import { newId } from '../../db/ids.ts'
import type { people as peopleTable } from '../../db/schema.ts'
import { holdsAddress } from '../../email-addresses.ts'
import { emailKey } from '../../members/emails.ts'
import {
  type NamedPerson as KnownName,
  KnownPeople,
  type KnownPerson,
  type Origin,
} from '../../members/known-people.ts'
import { LIMITS } from '../../schemas/common.ts'
import type { ImportedPerson, Match } from '../../schemas/records.ts'
import { UNKNOWN_AUTHOR } from '../sources/source-board.ts'
import type { Mapping } from './mappings.ts'
import type { NamedPerson } from './named-people.ts'
import { shorten } from './names.ts'

/** The matching options. */
export interface PeopleOptions {
  /** Whether to match by name, if it is unique. */
  matchNames?: boolean
  map?: readonly Mapping[]
  /** Ids of people without a row, such as the default member: nobody on the board gets one. */
  reserved?: readonly string[]
}

/** Most people in the result of an import. */
export const SHOWN_PEOPLE = 500

type PersonRow = typeof peopleTable.$inferInsert

/** The known people of a board. */
export interface PeopleOfBoard {
  format: string
  people: readonly NamedPerson[]
  /** The addresses of all people in the file, in lower case, also of those who are on no card. */
  addresses?: readonly string[]
  hasOwnPeople?: boolean | undefined
}

/** The comparison key of names. */
const nameKey = (name: string) => name.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase()

/**
 * Candidate ids for a person of another tool: its own if free, else prefixed with the format. An id that holds an address is never
 * used, since everybody reads ids.
 */
function* idsFor(id: string, format: string): Generator<string, never> {
  while (holdsAddress(id)) yield newId()
  yield id
  const prefixed = `${format}:${id}`
  yield shorten(prefixed, LIMITS.reference)
  for (let number = 2; ; number++) {
    const suffix = `:${number}`
    yield shorten(prefixed, LIMITS.reference - suffix.length) + suffix
  }
}

/**
 * How a person is found again by a later import: by its id in the other tool, or if that holds an address, which nothing may show, by the
 * email.
 */
function originOf({ id, email }: Pick<NamedPerson, 'id' | 'email'>, format: string): Origin {
  const known = email === '' ? null : emailKey(email)
  return holdsAddress(id)
    ? { source: format, sourceId: '', email: known ?? id }
    : { source: format, sourceId: id, email: known }
}

/** Matches the people of one import. */
export class SettledPeople {
  readonly #board: PeopleOfBoard
  readonly #known: KnownPeople
  readonly #mapped: ReadonlyMap<string, KnownPerson>
  readonly #names: ReadonlyMap<string, KnownName[]>
  /** The number of people of the board per name. */
  readonly #namesakes: ReadonlyMap<string, NamedPerson[]>
  readonly #settled = new Map<string, ImportedPerson>()
  /** The new people of this import who are found by their addresses: the file may name one in several ways. */
  readonly #ofAddress = new Map<string, string>()
  /** Ids assigned by this import, and those that it must not assign. */
  readonly #given: Set<string>
  readonly #new: PersonRow[] = []

  /** @throws Error with one clear line if a mapping matches no person, or several */
  constructor(
    db: SharedDatabase,
    board: PeopleOfBoard,
    { matchNames = false, map = [], reserved = [] }: PeopleOptions,
  ) {
    this.#board = board
    this.#given = new Set([UNKNOWN_AUTHOR, ...reserved])
    this.#known = new KnownPeople(db)
    this.#namesakes = Map.groupBy(board.people, ({ name }) => nameKey(name))
    this.#names = matchNames ? Map.groupBy(this.#known.names(), ({ name }) => nameKey(name)) : new Map()
    this.#mapped = this.#mappedBy(map)
  }

  /** Matches the people, in the order of the board. @returns the rows of those who are new */
  settle(): PersonRow[] {
    for (const person of this.#board.people) this.#settle(person)
    return this.#new
  }

  /** The id for a person's records, once all are matched. @param id in the file */
  idOf(id: string): string {
    const { id: own, memberId } = this.#settled.get(id) ?? { id, memberId: null }
    return memberId ?? own
  }

  /** All matched people. @param isDryRun whether nobody is created: then all have their ids in the file */
  all(isDryRun: boolean): ImportedPerson[] {
    return [...this.#settled].map(([id, person]) => (isDryRun ? { ...person, id } : person))
  }

  /** The check whether an address, in lower case, is that of somebody on the board or here. */
  isAddressOfPerson(): (address: string) => boolean {
    const known = new Set([...(this.#board.addresses ?? []), ...this.#known.addresses()])
    return (address) => known.has(address)
  }

  #settle(person: NamedPerson): void {
    const { id, name, items, comments, attachments } = person
    const found = this.#find(person)
    const own = found ? id : this.#ownId(person)
    this.#settled.set(id, {
      ...{ id: own, name, items, comments, attachments },
      matched: found?.matched ?? null,
      memberId: found?.id ?? null,
    })
  }

  #find(person: NamedPerson): { id: string; matched: Match } | undefined {
    const { format, hasOwnPeople = false } = this.#board
    const as = (matched: Match, known: KnownPerson | undefined) => known && { id: known.id, matched }
    const earlier = this.#known.ofOrigin(originOf(person, format))
    return (
      as('map', this.#mapped.get(person.id)) ??
      as('id', hasOwnPeople ? this.#known.ofId(person.id) : undefined) ??
      // An explicit merge identifies the person.
      as('map', earlier?.isMerged ? earlier : undefined) ??
      as('email', this.#ofEmail(person, earlier)) ??
      as('name', this.#ofName(person))
    )
  }

  /** The person with the email, except the person of an earlier import itself. */
  #ofEmail({ email }: NamedPerson, earlier: KnownPerson | undefined): KnownPerson | undefined {
    const found = email === '' ? undefined : this.#known.ofEmail(email)
    return found?.id === earlier?.id ? undefined : found
  }

  /**
   * The only person with the name: a member, or else a person from another source, since a tool identifies its own people by
   * id.
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

  /** The id of an unmatched person: from an earlier import of the same tool, or a new one. */
  #ownId({ id, name, email }: NamedPerson): string {
    const { format } = this.#board
    const origin = originOf({ id, email }, format)
    const address = origin.sourceId === '' ? origin.email : null
    const earlier = this.#known.ofOrigin(origin)?.id ?? this.#ofAddress.get(address ?? '')
    if (earlier !== undefined) return earlier
    const own = this.#freeId(id)
    this.#given.add(own)
    if (address !== null) this.#ofAddress.set(address, own)
    this.#new.push({ id: own, name, kind: 'import', ...origin })
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
      if (known === undefined) throw new Error(`no person here has the id or email ${JSON.stringify(to)}`)
      mapped.set(id, known)
    }
    return mapped
  }

  /** The person of the board in a mapping. @throws Error with one clear line */
  #ofBoard(text: string): NamedPerson {
    const { people, format } = this.#board
    const called = JSON.stringify(shorten(text, 100))
    const one = people.find(({ id }) => id === text || `${format}:${id}` === text)
    if (one) return one
    const key = nameKey(text)
    const [found, ...others] = people.filter(
      ({ name, email }) => nameKey(name) === key || (email !== '' && emailKey(email) === emailKey(text)),
    )
    if (found === undefined) throw new Error(`the board has no person with the id, name or email ${called}`)
    if (others.length > 0) {
      const ids = [found, ...others].slice(0, 10).map(({ id }) => id)
      throw new Error(
        `the board names ${others.length + 1} people ${called}: name one by id, ${ids.join(' or ')}`,
      )
    }
    return found
  }
}
