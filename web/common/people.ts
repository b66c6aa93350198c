/**
 * The people of ids in records: members, people of the host application, people of imported boards. They are
 * loaded lazily, all of one turn in one request, and reloaded after changes.
 */
import { batch, type Signal, signal } from '@preact/signals'
import { texts } from '../texts.ts'
import { api, type Person } from './api.ts'
import { onChange, onConnected, onReset } from './live.ts'
import { me, read } from './session.ts'

/** Most people per request: their ids are in the address. */
const MOST = 100

/** null for an unknown or forgotten person; undefined until loaded. */
type Known = Person | null | undefined

const people = new Map<string, Signal<Known>>()
/** The ids to load at the end of this turn. */
let wanted = new Set<string>()
/** The loads, one after another, so that the last response wins. */
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

/** The name of an id; subscribes to it. An unknown person is "somebody". */
export function personName(id: string): string {
  const user = me.value
  // In open mode the user is not stored as a person.
  if (id === user?.id) return user.name
  const person = personOf(id)
  return person === undefined ? texts.people.notYet : (person?.name ?? texts.people.somebody)
}

/** Whether an id is known, or still loading. */
export const isKnown = (id: string): boolean => id === me.value?.id || personOf(id) !== null

/** What can be chosen where somebody is, besides the people: nobody, and the user, who may be none of them. */
export const nobodyOrMe = (): [value: string, name: string][] => {
  const user = me.value
  return [['', texts.nobody], ...(user ? [[user.id, user.name] as [string, string]] : [])]
}

/** Finds those who can be assigned and filtered by. @param q a part of the name @throws PhaseboardError */
export async function findPeople(q: string, limit: number): Promise<Person[]> {
  const found = await read(() => api.get('/api/people', { query: { q: q || undefined, limit } }))
  batch(() => {
    for (const person of found) take(person.id, person)
  })
  return found
}

/** Keeps shown names current by the stream. */
export function followPeople(): void {
  onChange(({ kind, id }) => {
    if ((kind === 'member' || kind === 'person') && people.has(id)) ask(id)
  })
  onReset(() => askAll(() => true))
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
    // Without an answer they are asked for again when the service is there.
    reading = reading.then(() => readSome(some)).catch(() => undefined)
  }
}

async function readSome(ids: readonly string[]): Promise<void> {
  const found = await read(() => api.get('/api/people', { query: { ids: ids.join() } }))
  batch(() => {
    for (const id of ids) take(id, found.find((person) => person.id === id) ?? null)
  })
}

/** Stores the person of an id; an equal one changes nothing. */
function take(id: string, person: Person | null): void {
  const known = people.get(id)
  if (known === undefined) people.set(id, signal<Known>(person))
  else if (JSON.stringify(known.peek()) !== JSON.stringify(person)) known.value = person
}

/** One or two letters for a person. */
export const initials = (name: string): string =>
  name
    .split(/[\s@._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
