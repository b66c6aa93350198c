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
import { defineContains, fold } from '../db/folded-text.ts'
import { isHiddenRecord } from '../db/hidden.ts'
import { thingOf } from '../db/kinds.ts'
import { type JsonPage, type KeyPlace, type PageQuery, readPage } from '../db/pages.ts'
import { members, people } from '../db/schema.ts'
import { change, existsIn, given, insertInto, selectAll, selectById, updateIn } from '../db/statements.ts'
import { ensureFew, ROWS_READ, ROWS_SCANNED, rowLimit } from '../db/work-limits.ts'
import { conflict, invalidField, notFound } from '../errors.ts'
import { once } from '../once.ts'
import type { HostPerson } from '../phaseboard.d.ts'
import { PERSON_LIMIT, ref, valuesOfList } from '../schemas/common.ts'
import { type Member, type MergedPerson, type Person, PersonSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import { createMerge } from './merging.ts'

/** The filter of the list. */
export interface PeopleQuery extends PageQuery {
  /** Only these, in this order; other filters are ignored. */
  ids?: string | readonly string[]
  /** A part of the name, ignoring case. */
  q?: string
  kind?: Person['kind']
}

/** Milliseconds after which a person of the host is queried again. */
const DAY = 24 * 60 * 60 * 1000

/** An email in a name, with what comes before its host. */
const EMAIL_IN_NAME = /([^\s@]+)@[^\s@]+/gu

/** The name of the sort of people in their cursors. */
const BY_NAME = 'name'

/** People that the host has just named, as SQL. */
const HOSTED = `(select json_extract(value, '$.id') as id, json_extract(value, '$.name') as name from json_each(+:hosted))`

/**
 * All people, as SQL: one row per id; a member's row first, then names that the host has just given, then stored ones.
 * `is_there`: can be assigned, mentioned or filtered by.
 */
const PEOPLE = `(
  select id, name, 'member' as kind, '' as source, '' as source_id, null as merged_into, null as seen_at,
    created_at, updated_at, not disabled as is_there from members
  union all
  select id, ifnull((select name from ${HOSTED} as hosted where hosted.id = people.id), name), kind, source, source_id,
    merged_into, seen_at, created_at, updated_at, kind <> 'member' and merged_into is null from people
  where id not in (select id from members) and not ${isHiddenRecord('people', 'people.id')}
  union all
  select id, name, 'host', '', '', null, null, +:now, +:now, true from ${HOSTED}
  where id not in (select id from members) and id not in (select id from people))`

/** The fields of a person; another tool may have stored bytes. */
const FIELDS = [
  ...['id', 'name', 'kind', 'source', 'source_id as sourceId', 'merged_into as mergedInto'],
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
      client.prepare<[object], Person>(
        `select ${FIELDS} from ${PEOPLE} where id in (select value from json_each(+:ids))`,
      ),
    ),
    /** Places in the list by name; an empty key comes last. */
    places: once(() =>
      client.prepare<[object], { id: string; key: Buffer | null }>(
        `select * from (
          select cast(id as text) as id, collation_key(name) as key from ${PEOPLE}
          where is_there and (+:kind is null or kind = +:kind) and (+:q is null or contains_folded(name, +:q) or id in (select id from ${HOSTED})))
        where +:from is null or iif(key is null, 1, 0) > +:isEmpty
          or (iif(key is null, 1, 0) = +:isEmpty and (key > +:key or (key is +:key and id > +:from)))
        order by key is null, key, id limit +:count`,
      ),
    ),
    /** Whom a project names: its lead, whose its items are, and who is assigned to it; or whose an item is. */
    namedIn: once(() =>
      client
        .prepare<[object], string>(
          `select cast(lead_id as text) from projects where id = :id and lead_id is not null
          union select cast(assignee_id as text) from kanban_items where project_id = :id and assignee_id is not null
          union select cast(assignee_id as text) from kanban_items where id = :id and assignee_id is not null
          union select cast(member_id as text) from team_assignments where project_id = :id`,
        )
        .pluck(),
    ),
    /** Whom the board of a project names: its lead, and whose its items are. */
    onBoard: once(() =>
      client
        .prepare<[object], string>(
          `select cast(lead_id as text) from projects where id = :id and lead_id is not null
          union select cast(assignee_id as text) from kanban_items where project_id = :id and assignee_id is not null`,
        )
        .pluck(),
    ),
    itemLimit: rowLimit(db, 'kanban_items where project_id = ?', ROWS_SCANNED),
    isMember: existsIn(db, members),
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

/** The statement parameter for people that the host has just named. */
const said = (hosted: readonly HostPerson[]) => ({ hosted: JSON.stringify(hosted), now: timestamp() })

/** The people. */
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

  /** One person. @param hosted people that the host has just named @throws ApiError 404 */
  get(id: string, hosted?: readonly HostPerson[]): Person {
    return this.named([id], hosted)[0] ?? throwNotFound(people)
  }

  /** The known people of these ids, in that order. @param hosted people that the host has just named */
  named(ids: readonly string[], hosted: readonly HostPerson[] = []): Person[] {
    const found = new Map(
      this.#sql
        .some()
        .all({ ids: JSON.stringify(ids), ...said(hosted) })
        .map((person) => [person.id, person]),
    )
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  /** Whether somebody is a member, or kept as a person. */
  isKept(id: string): boolean {
    return this.#sql.isPerson(id) || this.#sql.isMember(id)
  }

  /** The names of these people by their ids, as JSON; of those that are known. @throws TooMuchWork */
  names(ids: readonly string[], hosted?: readonly HostPerson[]): string {
    ensureFew(this.#db, ids.length, ROWS_READ)
    return JSON.stringify(Object.fromEntries(this.named(ids, hosted).map(({ id, name }) => [id, name])))
  }

  /** The same for everybody: no email that stands in a name, e.g. of a person of an imported board. @throws TooMuchWork */
  publicNames(ids: readonly string[], hosted?: readonly HostPerson[]): string {
    ensureFew(this.#db, ids.length, ROWS_READ)
    const names = this.named(ids, hosted).map(({ id, name }) => [id, name.replaceAll(EMAIL_IN_NAME, '$1')])
    return JSON.stringify(Object.fromEntries(names))
  }

  /** The ids of the people on the board of a project. @throws TooMuchWork */
  onBoard(projectId: string): string[] {
    this.#sql.itemLimit(projectId)
    return this.#sql.onBoard().all({ id: projectId })
  }

  /** The ids of the people whom a project or an item names. @throws TooMuchWork */
  namedIn(id: string): string[] {
    this.#sql.itemLimit(id)
    return this.#sql.namedIn().all({ id })
  }

  /**
   * The people of some ids; or all who can be assigned, mentioned or filtered by, by name, or a page of them.
   * @param hosted matching people that the host has just named
   * @throws ApiError 400 for too many ids; TooMuchWork
   */
  page({ ids, q, kind, ...query }: PeopleQuery, hosted: readonly HostPerson[] = []): JsonPage {
    const asked = idsOf(ids)
    if (asked.length > 0) return { body: this.#toJson(this.named(asked, hosted)) }
    return read(this.#db, () => {
      this.#sql.limit()
      const filter = { q: q ? fold(q) : null, kind: kind ?? null, ...said(hosted) }
      const page = readPage((place, count) => this.#placesAfter(filter, place, count), {
        ...query,
        sort: BY_NAME,
      })
      return { body: this.#toJson(this.named(page.ids, hosted)), next: page.next }
    })
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
    if (id === into) throw invalidField('into', 'must be somebody else')
    this.ensureNoMember(id)
    if (this.named([into]).length === 0) throw notFound(thingOf(people), [into])
    const counts = this.#merge(id, into, timestamp())
    return { group: currentWrite(this.#db).since + 1, person: this.get(id), into: this.get(into), counts }
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

  /** Stores the name of a deleted member, since records keep its id. Call it inside the write. */
  keepFormer({ id, name }: Pick<Member, 'id' | 'name'>): void {
    const at = timestamp()
    this.#sql.remove({ id })
    this.#sql.insert({ id, name, kind: 'member', createdAt: at, updatedAt: at })
  }
}
