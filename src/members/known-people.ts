/** Finding who is here, member or not, by what another tool, or a person who types it, knows of somebody. */
import { and, eq, isNull, ne, type SQL } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { isRecordShown } from '../db/hidden.ts'
import { members, people } from '../db/schema.ts'
import { given, selectAll, selectOne } from '../db/statements.ts'
import { emailKey, hasEmailKey, isBeyondAscii, withEmailKey } from './emails.ts'

/** Somebody who is here. */
export interface KnownPerson {
  id: string
  isMember: boolean
}

/** Somebody with the name. */
export interface NamedPerson extends KnownPerson {
  name: string
  /** Where an imported board came from; empty for others. */
  source: string
}

/** How often one person may have been merged into another: another tool may have made a circle of it. */
const MERGES = 100

function statementsOf(db: SharedDatabase) {
  const shown = isRecordShown(people.id)
  const person = (condition: SQL | undefined) =>
    selectOne<{ id: string; mergedInto: string | null }>(db, () =>
      db
        .select({ id: people.id, mergedInto: people.mergedInto })
        .from(people)
        .where(and(condition, shown))
        .orderBy(people.id)
        .limit(1),
    )
  const ofSource = and(eq(people.source, given('source')), eq(people.sourceId, given('sourceId')))
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
    anyOfId: selectOne<{ id: string }>(db, () =>
      db
        .select({ id: people.id })
        .from(people)
        .where(eq(people.id, given('id'))),
    ),
    anyOfSource: selectOne<{ id: string }>(db, () =>
      db.select({ id: people.id }).from(people).where(ofSource).limit(1),
    ),
    memberNames: selectAll<{ id: string; name: string }>(db, () =>
      db.select({ id: members.id, name: members.name }).from(members),
    ),
    names: selectAll<{ id: string; name: string; source: string }>(db, () =>
      db
        .select({ id: people.id, name: people.name, source: people.source })
        .from(people)
        .where(and(isNull(people.mergedInto), ne(people.kind, 'member'), shown)),
    ),
  }
}

/** Who is here. Whoever was merged into somebody else is that one. */
export class KnownPeople {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** Whoever has an id. */
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

  /** Whoever has an email, whatever its case; a member before others. */
  ofEmail(email: string): KnownPerson | undefined {
    const key = emailKey(email)
    const member = this.#sql.memberOfEmail({ key }) ?? withEmailKey(this.#sql.membersBeyondAscii(), key)
    if (member !== undefined) return { id: member.id, isMember: true }
    const person = this.#sql.personOfEmail({ key })
    return person && { id: person.id, isMember: false }
  }

  /** Whoever has an id or an email. */
  ofIdOrEmail(text: string): KnownPerson | undefined {
    return this.ofId(text) ?? this.ofEmail(text)
  }

  /** Whom an earlier import from a tool brought, by the tool's id. */
  ofSource(source: string, sourceId: string): (KnownPerson & { isMerged: boolean }) | undefined {
    const person = this.#sql.personOfSource({ source, sourceId })
    if (person === undefined) return undefined
    const known = this.ofId(person.id) ?? { id: person.id, isMember: false }
    return { ...known, isMerged: known.id !== person.id }
  }

  /** Whether an import that is under way brings somebody, by the tool's id, whom nobody sees yet. */
  isComing(source: string, sourceId: string): boolean {
    const { personOfSource, anyOfSource } = this.#sql
    return (
      anyOfSource({ source, sourceId }) !== undefined && personOfSource({ source, sourceId }) === undefined
    )
  }

  /** Whether an id is somebody's, seen or not. */
  isTaken(id: string): boolean {
    return this.#sql.member({ id }) !== undefined || this.#sql.anyOfId({ id }) !== undefined
  }

  /** Everybody by name, but members that were deleted. */
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
