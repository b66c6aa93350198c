/** Imports: who asked for which, and how far each has come. What they write is not done here. */
import { Type } from '@sinclair/typebox'
import { desc, eq, or, sql } from 'drizzle-orm'
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

/** Imports that a list shows. */
export const IMPORTS_LISTED = 100

/** Rows that are kept, at most, but for those of imports that are not over. */
const KEPT = 1000

type ImportRow = typeof imports.$inferSelect

/** What is kept of what an import made. */
interface Made {
  counts?: Record<string, number>
  notes?: string[]
  people?: ImportedPerson[]
}

/** What another tool may have stored instead counts as nothing. */
function madeIn(text: string): Made {
  try {
    return JSON.parse(text) as Made
  } catch {
    return {}
  }
}

/** Why imports have failed, by id, whose rows could not be told. */
export type FailedImports = Readonly<Record<string, string>>

/** An import as a list shows it: without its people, of whom there may be many. */
function withoutPeople({ people: _, ...imported }: Import): Import {
  return imported
}

function toImport(row: ImportRow, failed: FailedImports): Import {
  const { id, format, done, total, projectId, counts, createdAt, updatedAt } = row
  const error = failed[id] ?? row.error
  const status = id in failed ? 'failed' : row.status
  return {
    id,
    format,
    status,
    done,
    total,
    ...(projectId !== null && { projectId }),
    ...(status === 'done' && madeIn(counts)),
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
  latest: selectAll<ImportRow>(db, () =>
    db
      .select()
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

/** The imports of a file: members know of their own, admins of all. */
export class Imports {
  static readonly reads: readonly string[] = ['get', 'list']
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(ImportSchema)))

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /**
   * An import.
   * @param failed those that have failed, whatever their rows say
   * @throws ApiError 404, also for somebody else's
   */
  get(
    id: string,
    { id: memberId, role }: Pick<CurrentMember, 'id' | 'role'>,
    failed: FailedImports = {},
  ): Import {
    const row = this.#sql.one({ id })
    if (row === undefined || (role !== 'admin' && row.memberId !== memberId)) throwNotFound(imports)
    return toImport(row, failed)
  }

  /** The latest imports that a member knows of, newest first, or a page of them. */
  list(
    { id: memberId, role }: Pick<CurrentMember, 'id' | 'role'>,
    failed: FailedImports,
    query: PageQuery,
  ): JsonPage {
    const latest = this.#sql
      .latest({ memberId, isAdmin: Number(role === 'admin'), count: IMPORTS_LISTED })
      .map((row) => withoutPeople(toImport(row, failed)))
    return pageOfRows(latest, query, this.#toJson, true)
  }

  /**
   * Notes an import that waits for its turn; the oldest rows are forgotten.
   * @param memberId who asks for it; null for the command line
   */
  create(id: string, format: string, memberId: string | null): ImportStarted {
    this.#sql.insert({ id, format, memberId })
    this.#sql.forget().run()
    return { id, status: 'waiting' }
  }
}
