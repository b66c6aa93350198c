/**
 * Resolves the ids of people in records: members, people of the host application, people of imported boards. They are loaded
 * lazily, with one request for all ids of one turn of the event loop, and reloaded after changes.
 */
import { batch, type Signal, signal } from '@preact/signals'
import { texts } from '../texts.ts'
import { api, type Person } from './api.ts'
import { onAccess, onChange, onConnected, onReset } from './live.ts'
import { me, read } from './session.ts'

/** The maximum number of people per request. Their ids are in the address. */
const MOST = 100

/** A person of whom only the name is known. */
const NOBODY: Person = {
  id: '',
  name: '',
  kind: 'member',
  email: null,
  source: '',
  sourceId: '',
  mergedInto: null,
  seenAt: null,
  createdAt: '',
  updatedAt: '',
}

/** null for an unknown or forgotten person; undefined until loaded. */
type Known = Person | null | undefined

const people = new Map<string, Signal<Known>>()
/** The ids to load at the end of this turn of the event loop. */
let wanted = new Set<string>()
/** The loads run one after another, so that the last response wins. */
let reading: Promise<void> = Promise.resolve()

/** A person by id; subscribes to it. */
export function personOf(id: string): Known {
  let person = people.get(id)
  if (person === undefined) {
    person = signal<Known>(undefined)
    people.set(id, person)
    ask(id)
  }
  return person.value
}

/** A name as an id: some clients assign "maria" without a person of that id. Not a UUID, a ULID or another generated id. */
const READABLE = /^(?=.*\p{L})(?!.*\d.*\d.*\d.*\d)[\p{L}\p{M}\p{N}._@+ -]{1,40}$/u

const nameOfUnknown = (id: string): string => (READABLE.test(id) ? id : texts.people.somebody)

/** The name for an id; subscribes to it. An unknown person is the id if people can read it, else "somebody". */
export function personName(id: string): string {
  const user = me.value
  // In open mode, the user is not stored as a person.
  if (id === user?.id) return user.name
  const person = personOf(id)
  return person === undefined ? texts.people.notYet : (person?.name ?? nameOfUnknown(id))
}

/** The options besides people: nobody, and the user, who may not be one of the people. */
export const nobodyOrMe = (): [value: string, name: string][] => {
  const user = me.value
  return [['', texts.nobody], ...(user ? [[user.id, user.name] as [string, string]] : [])]
}

/**
 * Sets the names of people that came with a response, where nobody can be asked.
 * @param names by id
 * @param ids all whom it names: others are unknown
 */
export function addPeople(names: Readonly<Record<string, string>>, ids: Iterable<string>): void {
  batch(() => {
    for (const id of new Set(ids)) {
      const name = names[id]
      take(id, name === undefined ? null : { ...NOBODY, id, name })
    }
  })
}

/** Searches people who can be assigned and filtered by. @param q a part of the name @throws PhaseboardError */
export async function findPeople(q: string, limit: number): Promise<Person[]> {
  const found = await read(() => api.get('/api/people', { query: { q: q || undefined, limit } }))
  batch(() => {
    for (const person of found) take(person.id, person)
  })
  return found
}

/** Updates the shown names by the stream. */
export function followPeople(): void {
  onChange(({ kind, id }) => {
    if ((kind === 'member' || kind === 'person') && people.has(id)) ask(id)
  })
  onReset(() => askAll(() => true))
  // Guests see the people of the projects that they see.
  onAccess(() => askAll(() => true))
  onConnected(() => askAll((known) => known === undefined))
}

function askAll(isAbout: (known: Known) => boolean): void {
  for (const [id, person] of people) if (isAbout(person.peek())) ask(id)
}

function ask(id: string): void {
  if (wanted.size === 0) setTimeout(readWanted)
  wanted.add(id)
}

function readWanted(): void {
  const ids = [...wanted]
  wanted = new Set()
  for (let at = 0; at < ids.length; at += MOST) {
    const some = ids.slice(at, at + MOST)
    // The load failed: they are loaded again when the service is available.
    reading = reading.then(() => readSome(some)).catch(() => undefined)
  }
}

async function readSome(ids: readonly string[]): Promise<void> {
  const found = await read(() => api.get('/api/people', { query: { ids: ids.join() } }))
  batch(() => {
    for (const id of ids) take(id, found.find((person) => person.id === id) ?? null)
  })
}

/** Stores the person of an id. An equal one changes nothing. */
function take(id: string, person: Person | null): void {
  const known = people.get(id)
  if (known === undefined) people.set(id, signal<Known>(person))
  else if (JSON.stringify(known.peek()) !== JSON.stringify(person)) known.value = person
}
