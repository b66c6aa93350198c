/**
 * Forgets a person: erases the name wherever the service stores it, including the sequence of changes and the audit log.
 * Records keep the id.
 */
import type { SharedDatabase } from '../db/client.ts'
import { isJsonObject } from '../db/json-text.ts'
import { isLimited, TooMuchWork } from '../db/work-limits.ts'
import type { Actor, AuditLog } from '../members/audit-log.ts'
import type { People } from '../members/people.ts'
import { once } from '../once.ts'
import type { Person } from '../schemas/records.ts'
import { type Subjects, subjectOfKind } from './subjects.ts'

/** The kinds whose changes contain names of people, and these fields. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  person: ['name', 'sourceId'],
  member: ['name', 'email', 'handle'],
}

/** Whether changes of a kind contain a name that may be erased later. */
export const containsName = (kind: string): boolean => Object.hasOwn(TELLING, kind)

/** A record in a change, without the values of some fields, as SQL. */
const without = (column: string, fields: readonly string[]): string =>
  `${column} = iif(${isJsonObject(column)}, json_replace(${column}, ${fields.map((field) => `'$.${field}', null`).join(', ')}), ${column})`

/** The names in a change, as SQL. */
const NAMES = ['before', 'after'].map(
  (column) => `iif(${isJsonObject(column)}, json_extract(${column}, '$.name'), null)`,
)

function statementsOf({ $client: client }: SharedDatabase) {
  const ofKind = ([kind, fields]: [string, readonly string[]]) => {
    const erase = `${without('before', fields)}, ${without('after', fields)}`
    const isTheirs = `kind = '${kind}' and id = :id`
    const indexed = `select seq from change_subjects where subject = '${subjectOfKind(kind)}' and seq > 0`
    return [
      `seq in (${indexed} and seq <= +:indexed) and ${isTheirs}`,
      `seq > +:indexed and ${isTheirs}`,
    ].map((rows) => ({
      names: client
        .prepare<[object], string>(
          `select name from (${NAMES.map((name) => `select ${name} as name from changes where ${rows}`).join(' union ')}) where name is not null`,
        )
        .pluck(),
      erase: client.prepare<[object]>(`update changes set ${erase} where ${rows}`),
    }))
  }
  return {
    tracked: Object.entries(TELLING).flatMap(ofKind),
    forgetResponses: client.prepare<[object]>(
      `update idempotency_keys set body = null
      where body is not null and instr(body, :name) > 0 and instr(body, :id) > 0`,
    ),
  }
}

/** The other rules that forgetting needs. */
interface ForgettingParts {
  people: People
  audit: AuditLog
  subjects: Subjects
}

/** Forgets people. */
export class Forgetting {
  static readonly reads: readonly string[] = []
  readonly #db: SharedDatabase
  readonly #parts: ForgettingParts
  readonly #sql: () => ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase, parts: ForgettingParts) {
    this.#db = db
    this.#parts = parts
    this.#sql = once(() => statementsOf(db))
  }

  /**
   * Forgets a person, and all people merged into it.
   * @throws ApiError 404; 409 for a member; TooMuchWork
   */
  forget(id: string, by: Actor): void {
    const { people, audit, subjects } = this.#parts
    people.ensureNoMember(id)
    // The whole audit log is scanned.
    if (isLimited(this.#db)) throw new TooMuchWork()
    for (const one of people.remove(id)) this.#erase(one, subjects.indexed())
    audit.record({ action: 'person-forgotten', by, subjectId: id, subject: null })
  }

  /** @param indexed the last change in the index of the sequence */
  #erase({ id, name }: Person, indexed: number): void {
    const { tracked, forgetResponses } = this.#sql()
    const names = new Set([name, ...tracked.flatMap((statements) => statements.names.all({ id, indexed }))])
    for (const { erase } of tracked) erase.run({ id, indexed })
    for (const one of names) {
      forgetResponses.run({ id: JSON.stringify(id), name: JSON.stringify(one) })
      this.#parts.audit.forget({ id, name: one })
    }
  }
}
