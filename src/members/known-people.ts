/** Finds people, members or not, by id, email, name or another tool's id. */
import { and, eq, isNotNull, isNull, ne, type SQL } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { members, people } from '../db/schema.ts'
import { given, selectAll, selectOne } from '../db/statements.ts'
import { emailKey, hasEmailKey, isBeyondAscii, withEmailKey } from './emails.ts'

export interface KnownPerson {
  id: string
  isMember: boolean
}

export interface NamedPerson extends KnownPerson {
  name: string
  /** The format of the imported board; empty for others. */
  source: string
}

/** Where an imported person comes from: another tool's id for it, or if that is empty, the email. */
export interface Origin {
  source: string
  sourceId: string
  email: string | null
}

/** Longest chain of merges to follow: another tool may have created a cycle. */
const MERGES = 100

function statementsOf(db: SharedDatabase) {
  const person = (condition: SQL | undefined) =>
    selectOne<{ id: string; mergedInto: string | null }>(db, () =>
      db
        .select({ id: people.id, mergedInto: people.mergedInto })
        .from(people)
        .where(condition)
        .orderBy(people.id)
        .limit(1),
    )
  const ofSource = and(eq(people.source, given('source')), eq(people.sourceId, given('sourceId')))
  const ofAddress = and(ofSource, eq(people.email, given('email')))
  return {
    member: selectOne<{ id: string }>(db, () =>
      db
        .select({ id: members.id })
        .from(members)
        .where(eq(members.id, given('id'))),
    ),
    memberOfEmail: selectOne<{ id: string }>(db, () =>
      db
        .select({ id: members.id })
        .from(members)
        .where(hasEmailKey(given('key'))),
    ),
    membersBeyondAscii: selectAll<{ id: string; email: string }>(db, () =>
      db.select({ id: members.id, email: members.email }).from(members).where(isBeyondAscii),
    ),
    person: person(eq(people.id, given('id'))),
    personOfEmail: person(and(eq(people.email, given('key')), isNull(people.mergedInto))),
    personOfSource: person(ofSource),
    personOfAddress: person(ofAddress),
    memberEmails: selectAll<{ email: string }>(db, () => db.select({ email: members.email }).from(members)),
    personEmails: selectAll<{ email: string | null }>(db, () =>
      db.select({ email: people.email }).from(people).where(isNotNull(people.email)),
    ),
    memberNames: selectAll<{ id: string; name: string }>(db, () =>
      db.select({ id: members.id, name: members.name }).from(members),
    ),
    names: selectAll<{ id: string; name: string; source: string }>(db, () =>
      db
        .select({ id: people.id, name: people.name, source: people.source })
        .from(people)
        .where(and(isNull(people.mergedInto), ne(people.kind, 'member'))),
    ),
  }
}

/** The known people. A merged person is replaced by its target. */
export class KnownPeople {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  ofId(id: string): KnownPerson | undefined {
    let at = id
    for (let merges = 0; merges < MERGES; merges++) {
      if (this.#sql.member({ id: at })) return { id: at, isMember: true }
      const person = this.#sql.person({ id: at })
      if (person === undefined) return undefined
      if (person.mergedInto === null) return { id: at, isMember: false }
      at = person.mergedInto
    }
    return undefined
  }

  /** The person with an email, ignoring case; members first. */
  ofEmail(email: string): KnownPerson | undefined {
    const key = emailKey(email)
    const member = this.#sql.memberOfEmail({ key }) ?? withEmailKey(this.#sql.membersBeyondAscii(), key)
    if (member !== undefined) return { id: member.id, isMember: true }
    const person = this.#sql.personOfEmail({ key })
    return person && { id: person.id, isMember: false }
  }

  ofIdOrEmail(text: string): KnownPerson | undefined {
    return this.ofId(text) ?? this.ofEmail(text)
  }

  /** The person of an earlier import. */
  ofOrigin({ source, sourceId, email }: Origin): (KnownPerson & { isMerged: boolean }) | undefined {
    const person =
      sourceId === ''
        ? this.#sql.personOfAddress({ source, sourceId, email })
        : this.#sql.personOfSource({ source, sourceId })
    if (person === undefined) return undefined
    const known = this.ofId(person.id) ?? { id: person.id, isMember: false }
    return { ...known, isMerged: known.id !== person.id }
  }

  /** The emails of all people, in lower case. */
  addresses(): string[] {
    const emails = [...this.#sql.memberEmails(), ...this.#sql.personEmails()]
    return emails.flatMap(({ email }) => email?.toLowerCase() ?? [])
  }

  /** Whether an id is taken. */
  isTaken(id: string): boolean {
    return this.#sql.member({ id }) !== undefined || this.#sql.person({ id }) !== undefined
  }

  /** All people by name, without deleted members. */
  names(): NamedPerson[] {
    const memberNames = this.#sql.memberNames()
    const ids = new Set(memberNames.map(({ id }) => id))
    return [
      ...memberNames.map((member) => ({ ...member, source: '', isMember: true })),
      ...this.#sql
        .names()
        .filter(({ id }) => !ids.has(id))
        .map((person) => ({ ...person, isMember: false })),
    ]
  }
}
