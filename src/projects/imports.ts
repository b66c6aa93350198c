/** The rows of imports: their members and progress. They do not do the import itself. */
import { Type } from '@sinclair/typebox'
import { desc, eq, getTableColumns, or, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { imports } from '../db/schema.ts'
import { given, givenLimit, insertInto, selectAll, selectOne } from '../db/statements.ts'
import { once } from '../once.ts'
import { ref } from '../schemas/common.ts'
import {
  type CurrentMember,
  type Import,
  type ImportedPerson,
  ImportSchema,
  type ImportStarted,
} from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'

/** Imports in a list, at most. */
const IMPORTS_LISTED = 100

/** Stored rows, at most, besides those of running imports. */
const KEPT = 1000

const { matches: _, ...listed } = getTableColumns(imports)

/** A row of the list: without its people, of whom there may be many. */
type ListedRow = Omit<typeof imports.$inferSelect, 'matches'>
type ImportRow = typeof imports.$inferSelect

/** The stored result of an import. */
interface Made {
  counts?: Record<string, number>
  notes?: string[]
}

/** The value of a stored JSON text. Other texts, stored by another tool, count as empty. */
function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

/** The people of an import, if any. Earlier versions counted no attachments. */
function peopleIn(text: string): Pick<Import, 'people'> {
  const people = parsed<ImportedPerson[]>(text)
  if (!Array.isArray(people)) return {}
  return { people: people.map((person) => ({ ...person, attachments: person.attachments ?? 0 })) }
}

/** What the rows of unfinished imports do not say yet, by id: their progress, or their error. */
export type LiveImports = Readonly<
  Record<string, Partial<Pick<ImportRow, 'status' | 'done' | 'total' | 'error'>>>
>

const isOver = ({ status }: ListedRow) => status === 'done' || status === 'failed'

function toImport(row: ListedRow & Partial<ImportRow>, live: LiveImports): Import {
  const { id, format, projectId, counts, matches, createdAt, updatedAt } = row
  const { status, done, total, error } = isOver(row) ? row : { ...row, ...live[id] }
  return {
    id,
    format,
    status,
    done,
    total,
    ...(projectId !== null && { projectId }),
    ...(status === 'done' && parsed<Made>(counts)),
    ...(status === 'done' && matches && peopleIn(matches)),
    ...(error !== null && { error }),
    createdAt,
    updatedAt,
  }
}

const statementsOf = (db: SharedDatabase) => ({
  one: selectOne<ImportRow>(db, () =>
    db
      .select()
      .from(imports)
      .where(eq(imports.id, given('id'))),
  ),
  latest: selectAll<ListedRow>(db, () =>
    db
      .select(listed)
      .from(imports)
      .where(or(eq(imports.memberId, given('memberId')), sql`${given('isAdmin')}`))
      .orderBy(desc(imports.id))
      .limit(givenLimit('count')),
  ),
  insert: insertInto(db, imports),
  forget: once(() =>
    db.$client.prepare(
      `delete from imports where status in ('done', 'failed')
      and id < (select id from imports order by id desc limit 1 offset ${KEPT - 1})`,
    ),
  ),
})

/** The imports of a file: members see their own, admins all. */
export class Imports {
  static readonly reads: readonly string[] = ['get', 'list']
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(ImportSchema)))

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /**
   * An import.
   * @throws ApiError 404, also for another member's
   */
  get(
    id: string,
    { id: memberId, role }: Pick<CurrentMember, 'id' | 'role'>,
    live: LiveImports = {},
  ): Import {
    const row = this.#sql.one({ id })
    if (row === undefined || (role !== 'admin' && row.memberId !== memberId)) throwNotFound(imports)
    return toImport(row, live)
  }

  /** The latest imports visible to a member, newest first, or a page of them. */
  list(
    { id: memberId, role }: Pick<CurrentMember, 'id' | 'role'>,
    live: LiveImports,
    query: PageQuery,
  ): JsonPage {
    const latest = this.#sql
      .latest({ memberId, isAdmin: Number(role === 'admin'), count: IMPORTS_LISTED })
      .map((row) => toImport(row, live))
    return pageOfRows(latest, query, this.#toJson, true)
  }

  /**
   * Adds a waiting import; deletes the oldest rows.
   * @param memberId who started it; null for the command line
   */
  create(id: string, format: string, memberId: string | null): ImportStarted {
    this.#sql.insert({ id, format, memberId })
    this.#sql.forget().run()
    return { id, status: 'waiting' }
  }
}
