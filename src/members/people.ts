/**
 * People: everyone with a name here. Members are people by their own rows; people of the host
 * application and of imported boards, and deleted members, have rows in `people`.
 */

import { Type } from '@sinclair/typebox'
import { eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { defineCollation } from '../db/collation.ts'
import { currentWrite } from '../db/current-write.ts'
import { throwNotFound } from '../db/existence.ts'
import { defineContains } from '../db/folded-text.ts'
import { thingOf } from '../db/kinds.ts'
import { type JsonPage, type KeyPlace, type PageQuery, readPage } from '../db/pages.ts'
import { markQuiet } from '../db/quiet-changes.ts'
import { scopeOf } from '../db/row-security.ts'
import { members, people, teamAssignments } from '../db/schema.ts'
import {
  change,
  existsIn,
  given,
  insertInto,
  selectAll,
  selectById,
  selectOne,
  updateIn,
} from '../db/statements.ts'
import { ensureFew, ROWS_READ, ROWS_SCANNED, rowLimit } from '../db/work-limits.ts'
import { conflict, invalidField, notFound } from '../errors.ts'
import { fold } from '../folding.ts'
import { once } from '../once.ts'
import type { HostPerson } from '../phaseboard.d.ts'
import { PERSON_LIMIT, ref, valuesOfList } from '../schemas/common.ts'
import {
  type CurrentMember,
  type Member,
  type MergedPerson,
  type Person,
  PersonSchema,
} from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import { hiddenTimes } from './columns.ts'
import { createMerge } from './merging.ts'

/** The assignees of items besides the first ones: the rest of a select. */
const FURTHER = `person_id from kanban_item_assignees join kanban_items on kanban_items.id = item_id`

/** The filter of the list. */
export interface PeopleQuery extends PageQuery {
  /** Only these, in this order; other filters are ignored. */
  ids?: string | readonly string[]
  /** A part of the name, ignoring case. */
  q?: string
  kind?: Person['kind']
}

/** Who reads about people: admins, and each person itself, get emails; without a reader nobody does. */
export type PeopleReader = Pick<CurrentMember, 'id' | 'role'>

/** A person without a row: named by the host, or the default member. */
export interface NamedPerson extends Pick<HostPerson, 'id' | 'name'> {
  /** Absent for a person of the host. */
  kind?: 'member'
}

/** Milliseconds after which a person of the host is queried again. */
const DAY = 24 * 60 * 60 * 1000

/** People renamed after one response of the host, at most. Later ones rename the others. */
const RENAMED_AT_ONCE = 100

/** An email in a name, or several without a space in between: group 1 is the part before the first `@`. It begins only where a part begins. */
const EMAIL_IN_NAME = /(?<![^\s@])([^\s@]+)(?:@[^\s@]+)+/gu

/** The name of the sort of people in their cursors. */
const BY_NAME = 'name'

/** People that the host has just returned, as SQL. */
const HOSTED = `(select json_extract(value, '$.id') as id, json_extract(value, '$.name') as name from json_each(+:hosted))`

/**
 * The stored people, as SQL: one row per id, a member's row first. `is_there`: can be assigned, mentioned or filtered by.
 */
const STORED = `
  select id, name, email, 'member' as kind, '' as source, '' as source_id, null as merged_into, null as seen_at,
    created_at, updated_at, not disabled as is_there, true as is_member from members
  union all
  select id, name, email, kind, source, source_id, merged_into, seen_at, created_at, updated_at,
    kind <> 'member' and merged_into is null, false from people
  where id not in (select id from members)`

/**
 * The people of the list, as SQL: names that the host has just returned replace stored ones, except those of members. For a guest
 * also disabled members, so that the list does not tell who is disabled.
 */
const LISTED = `(
  select id, iif(is_member, name, ifnull((select name from ${HOSTED} as hosted where hosted.id = stored.id), name)) as name,
    kind from (${STORED}) as stored where is_there or (+:isGuest and is_member)
  union all
  select id, name, 'host' from ${HOSTED} where id not in (select id from members) and id not in (select id from people))`

/** The fields of a person; another tool may have stored bytes. */
const FIELDS = [
  ...['id', 'name', 'email', 'kind', 'source', 'source_id as sourceId', 'merged_into as mergedInto'],
  ...['seen_at as seenAt', 'created_at as createdAt', 'updated_at as updatedAt'],
]
  .map((field) => {
    const [column, name = column] = field.split(' as ')
    return `cast(${column} as text) as ${name}`
  })
  .join(', ')

function statementsOf(db: SharedDatabase) {
  const { $client: client } = db
  return {
    some: once(() =>
      client.prepare<[string], Person & { isMember: number }>(
        `select ${FIELDS}, is_member as isMember from (${STORED}) where id in (select value from json_each(?))`,
      ),
    ),
    /** Places in the list by name; an empty key comes last. */
    places: once(() =>
      client.prepare<[object], { id: string; key: Buffer | null }>(
        `select * from (
          select cast(id as text) as id, collation_key(name) as key from ${LISTED}
          where (+:kind is null or kind = +:kind) and (+:q is null or contains_folded(name, +:q) or id in (select id from ${HOSTED})))
        where +:from is null or iif(key is null, 1, 0) > +:isEmpty
          or (iif(key is null, 1, 0) = +:isEmpty and (key > +:key or (key is +:key and id > +:from)))
        order by key is null, key, id limit +:count`,
      ),
    ),
    /** The people of a project: its lead, assignees of its items, and assigned people; or the assignees of an item. */
    namedIn: once(() =>
      client
        .prepare<[object], string>(
          `select cast(lead_id as text) from projects where id = :id and lead_id is not null
          union select cast(assignee_id as text) from kanban_items where project_id = :id and assignee_id is not null
          union select cast(assignee_id as text) from kanban_items where id = :id and assignee_id is not null
          union select ${FURTHER} where kanban_items.id = :id or kanban_items.project_id = :id
          union select cast(member_id as text) from team_assignments where project_id = :id`,
        )
        .pluck(),
    ),
    /** The people on the board of a project: its lead, and assignees of its items. */
    onBoard: once(() =>
      client
        .prepare<[object], string>(
          `select cast(lead_id as text) from projects where id = :id and lead_id is not null
          union select cast(assignee_id as text) from kanban_items where project_id = :id and assignee_id is not null
          union select ${FURTHER} where kanban_items.project_id = :id`,
        )
        .pluck(),
    ),
    itemLimit: rowLimit(db, 'kanban_items where project_id = ?', ROWS_SCANNED),
    isMember: existsIn(db, members),
    isAssigned: selectOne(db, () =>
      db
        .select({ id: teamAssignments.id })
        .from(teamAssignments)
        .where(eq(teamAssignments.memberId, given('memberId')))
        .limit(1),
    ),
    isPerson: existsIn(db, people),
    limit: rowLimit(db, '(select id from members union all select id from people)', ROWS_SCANNED),
    mergedInto: selectAll(db, () =>
      db
        .select({ id: people.id })
        .from(people)
        .where(eq(people.mergedInto, given('id'))),
    ),
    stored: selectById(db, people),
    insert: insertInto(db, people),
    update: updateIn(db, people),
    remove: change(() => db.delete(people).where(eq(people.id, given('id')))),
  }
}

/** The requested ids. @throws ApiError 400 for too many */
function idsOf(ids: PeopleQuery['ids']): string[] {
  const asked = valuesOfList(ids)
  if (asked.length > PERSON_LIMIT) throw invalidField('ids', `must not be more than ${PERSON_LIMIT}`)
  return asked
}

/** The details of a person of whom only the name is known, or shown. */
const NO_DETAILS = { email: null, source: '', sourceId: '', mergedInto: null, seenAt: null } as const

/** The record of a person without a row, whose times are unknown: fixed ones, so that its ETag does not change. */
function toPerson({ id, name, kind }: NamedPerson): Person {
  return { id, name, kind: kind ?? 'host', ...NO_DETAILS, ...hiddenTimes }
}

/** The fields of other people that guests do not see, with the values that they get instead. */
const HIDDEN_FROM_GUESTS = { ...NO_DETAILS, ...hiddenTimes } as const

export class People {
  static readonly reads: readonly string[] = [
    'page',
    'get',
    'named',
    'isKept',
    'names',
    'publicNames',
    'namedIn',
    'onBoard',
    'toAsk',
    'renamed',
  ]
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #merge: ReturnType<typeof createMerge>
  readonly #toJson = createJsonWriter(Type.Array(ref(PersonSchema)))

  constructor(db: SharedDatabase) {
    defineContains(db)
    defineCollation(db)
    this.#db = db
    this.#sql = statementsOf(db)
    this.#merge = createMerge(db)
  }

  /** One person. @param others people without a row @param reader see {@link PeopleReader} @throws ApiError 404 */
  get(id: string, others?: readonly NamedPerson[], reader?: PeopleReader): Person {
    return this.#shown(this.named([id], others), reader)[0] ?? throwNotFound(people)
  }

  /** People as shown to the caller: only admins see the emails of others, and guests see their names. */
  #shown(found: Person[], reader: PeopleReader | undefined): Person[] {
    const isGuest = scopeOf(this.#db)?.isGuest ?? false
    return found.map((person) => {
      if (reader?.role === 'admin' || person.id === reader?.id) return person
      return { ...person, email: null, ...(isGuest && HIDDEN_FROM_GUESTS) }
    })
  }

  /**
   * The known people of these ids, in that order, with their emails.
   * @param others people without a row; a name of the host replaces a stored one, except that of a member
   */
  named(ids: readonly string[], others: readonly NamedPerson[] = []): Person[] {
    const found = new Map(this.#seen(others).map((person) => [person.id, toPerson(person)]))
    for (const { isMember, ...person } of this.#sql.some().all(JSON.stringify(ids))) {
      const other = found.get(person.id)
      const isRenamed = !isMember && other?.kind === 'host'
      found.set(person.id, isRenamed ? { ...person, name: other.name } : person)
    }
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  /** Whether an id is that of a member or a stored person. */
  isKept(id: string): boolean {
    return this.#sql.isPerson(id) || this.#sql.isMember(id)
  }

  /** The names of the known ones of these people, by id, as JSON. @throws TooMuchWork */
  names(ids: readonly string[], others?: readonly NamedPerson[]): string {
    ensureFew(this.#db, ids.length, ROWS_READ)
    return JSON.stringify(Object.fromEntries(this.named(ids, others).map(({ id, name }) => [id, name])))
  }

  /** The same for public responses: without emails in names, e.g. of people of an imported board. @throws TooMuchWork */
  publicNames(ids: readonly string[], others?: readonly NamedPerson[]): string {
    ensureFew(this.#db, ids.length, ROWS_READ)
    const names = this.named(ids, others).map(({ id, name }) => [id, name.replaceAll(EMAIL_IN_NAME, '$1')])
    return JSON.stringify(Object.fromEntries(names))
  }

  /** The ids of the people on the board of a project. @throws TooMuchWork */
  onBoard(projectId: string): string[] {
    this.#sql.itemLimit(projectId)
    return this.#sql.onBoard().all({ id: projectId })
  }

  /** The ids of the people of a project or an item. @throws TooMuchWork */
  namedIn(id: string): string[] {
    this.#sql.itemLimit(id)
    return this.#sql.namedIn().all({ id })
  }

  /**
   * The people of some ids; or all who can be assigned, mentioned or filtered by, by name, or a page of them.
   * @param others people without a row: of the host, those that match; the default member is found only by its id
   * @param reader see {@link PeopleReader}
   * @throws ApiError 400 for too many ids; TooMuchWork
   */
  page(
    { ids, q, kind, ...query }: PeopleQuery,
    others: readonly NamedPerson[] = [],
    reader?: PeopleReader,
  ): JsonPage {
    const asked = idsOf(ids)
    if (asked.length > 0) return { body: this.#toJson(this.#shown(this.named(asked, others), reader)) }
    const hosted = this.#seen(others).filter((person) => person.kind === undefined)
    return read(this.#db, () => {
      this.#sql.limit()
      const isGuest = Number(scopeOf(this.#db)?.isGuest ?? false)
      const filter = { q: q ? fold(q) : null, kind: kind ?? null, hosted: JSON.stringify(hosted), isGuest }
      const page = readPage((place, count) => this.#placesAfter(filter, place, count), {
        ...query,
        sort: BY_NAME,
      })
      return { body: this.#toJson(this.#shown(this.named(page.ids, hosted), reader)), next: page.next }
    })
  }

  /** The people without a row that the caller sees: a guest sees those assigned to the guest's projects. */
  #seen(others: readonly NamedPerson[]): readonly NamedPerson[] {
    const scope = scopeOf(this.#db)
    if (!scope?.isGuest) return others
    return others.filter(
      ({ id }) => id === scope.memberId || this.#sql.isAssigned({ memberId: id }) !== undefined,
    )
  }

  #placesAfter(filter: object, place: KeyPlace | undefined, count: number): KeyPlace[] {
    const { id: from = null, key = null } = place ?? {}
    const isEmpty = key === null ? 1 : 0
    return this.#sql
      .places()
      .all({ ...filter, from, key, isEmpty, count })
      .map((one) => ({ ...one, text: null }))
  }

  /**
   * The ids to query the host for: unknown ids, and people of the host that it has not named for a day.
   * @throws ApiError 400 for too many ids
   */
  toAsk(ids: PeopleQuery['ids']): string[] {
    const asked = idsOf(ids)
    const stale = timestamp(Date.now() - DAY)
    const known = this.named(asked).filter(({ kind, seenAt }) => kind !== 'host' || (seenAt ?? '') > stale)
    const isKnown = new Set(known.map(({ id }) => id))
    return asked.filter((id) => !isKnown.has(id))
  }

  /** The people with another name in the host's response than the stored one, up to a limit. */
  renamed(hosted: readonly HostPerson[]): HostPerson[] {
    const stored = new Map(this.named(hosted.map(({ id }) => id)).map((person) => [person.id, person]))
    const isRenamed = ({ id, name }: HostPerson) => {
      const person = stored.get(id)
      return person?.kind === 'host' && person.mergedInto === null && person.name !== name
    }
    return hosted.filter(isRenamed).slice(0, RENAMED_AT_ONCE)
  }

  /** Stores a changed name of a person of the host. */
  rename({ id, name }: HostPerson): void {
    if (this.renamed([{ id, name }]).length > 0) this.#sql.update(id, { name, updatedAt: timestamp() })
  }

  /**
   * Stores a person named by the host, if new, renamed, or not named for a day. A member's own row takes
   * precedence.
   */
  see({ id, name, email = null }: HostPerson): void {
    if (this.#sql.isMember(id)) return
    const at = timestamp()
    const before = this.#sql.stored(id)
    if (before === undefined) {
      this.#sql.insert({ id, name, kind: 'host', email, seenAt: at, createdAt: at, updatedAt: at })
      return
    }
    const isSame =
      before.name === name && before.email === email && before.kind === 'host' && !before.mergedInto
    if (isSame && (before.seenAt ?? '') > timestamp(Date.now() - DAY)) return
    // A merged person that the host names again is unmerged.
    this.#sql.update(id, {
      ...{ name, email, kind: 'host', mergedInto: null, seenAt: at },
      ...(!isSame && { updatedAt: at }),
    })
  }

  /**
   * Merges a person into another: replaces the id in all records.
   * @throws ApiError 400 for the same person; 404, with the target's id if that is unknown; 409 for a
   * member; 413; TooMuchWork
   */
  merge(id: string, into: string): MergedPerson {
    if (id === into) throw invalidField('into', 'must be another person')
    this.ensureNoMember(id)
    if (this.named([into]).length === 0) throw notFound(thingOf(people), [into])
    const counts = this.#merge(id, into, timestamp())
    const { since } = currentWrite(this.#db)
    const group = markQuiet(this.#db, since) ? since + 1 : null
    const [person, target] = this.named([id, into]) as [Person, Person]
    return { group, person, into: target, counts }
  }

  /** @throws ApiError 404 for an unknown person, 409 for a member, which must be deleted first */
  ensureNoMember(id: string): void {
    this.get(id)
    if (this.#sql.isMember(id)) throw conflict('Person is a member: delete the member first', 'is_member')
  }

  /** Removes a person, and all people merged into it. @returns their ids */
  remove(id: string): Person[] {
    const gone = this.named([id, ...this.#sql.mergedInto({ id }).map((one) => one.id)])
    for (const one of gone) this.#sql.remove({ id: one.id })
    return gone
  }

  /** Stores the name of a deleted member, since records still have its id. Call it inside the write. */
  keepFormer({ id, name }: Pick<Member, 'id' | 'name'>): void {
    const at = timestamp()
    this.#sql.remove({ id })
    this.#sql.insert({ id, name, kind: 'member', createdAt: at, updatedAt: at })
  }
}
