/** The keys of projects: what the numbers of their cards begin with, as in `WEB-12`. */
import type { SharedDatabase } from '../db/client.ts'
import { conflict } from '../errors.ts'
import { fold } from '../folding.ts'
import { firstFree } from '../free-names.ts'
import { once } from '../once.ts'

/** The format of a key. */
export const PROJECT_KEY_PATTERN = '^[A-Z][A-Z0-9]{1,5}$'

const LONGEST = 6

/** Letters of a key that is made from the first word of a name, and words that give a letter each. */
const LETTERS = 3
const WORDS = 4

/** The key of a name without usable characters. */
const OTHERWISE = 'PR'

/** Projects that get a key in one write. */
const AT_ONCE = 100

/** The key of a name, whether it is taken or not: `WS` of `Web shop`, `WEB` of `Website`. */
export function keyOfName(name: string): string {
  const words =
    fold(name)
      .toUpperCase()
      .match(/[A-Z0-9]+/g) ?? []
  const ofWords = words.length > 1 ? words.slice(0, WORDS).map((word) => word[0]) : words
  const key = ofWords
    .join('')
    .replace(/^\d+/, '')
    .slice(0, words.length > 1 ? WORDS : LETTERS)
  return key.length < 2 ? `${key}${OTHERWISE}`.slice(0, LETTERS) : key
}

// Also of projects that the caller does not see, and of former ones: links to cards must not lead elsewhere.
const statementsOf = ({ $client: client }: SharedDatabase) => ({
  startingWith: once(() =>
    client
      .prepare<[object], string>(
        `select key from main.projects where key >= :start and key < :end
        union all
        select key from main.former_project_keys where key >= :start and key < :end`,
      )
      .pluck(),
  ),
  holder: once(() => client.prepare<[string], string>('select id from main.projects where key = +?').pluck()),
  without: once(() =>
    client.prepare<[], { id: string; name: string }>(
      `select id, name from projects where key is null order by created_at, id limit ${AT_ONCE}`,
    ),
  ),
  set: once(() => client.prepare<[string, string]>('update projects set key = ? where id = ?')),
})

/** The keys of projects. */
export class ProjectKeys {
  static readonly reads: readonly string[] = ['hasMissing']
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /**
   * A free key for a name: with the first free number, if the key of the name itself is taken.
   * @throws ApiError 409 if there is none
   */
  free(name: string): string {
    const key = keyOfName(name)
    const start = key.slice(0, 1)
    const taken = new Set(this.#sql.startingWith().all({ start, end: `${start}\u{10ffff}` }))
    const free = firstFree(key, taken, LONGEST)
    // A number of six digits leaves no letter.
    if (!free.startsWith(start)) throw conflict('Project key is taken', 'key_taken')
    return free
  }

  /** @throws ApiError 409 if another project has the key */
  refuseTaken(key: string, projectId?: string): void {
    const holder = this.#sql.holder().get(key)
    if (holder !== undefined && holder !== projectId) throw conflict('Project key is taken', 'key_taken')
  }

  /** Whether there are projects without a key: of an earlier version, an archive or another tool. */
  hasMissing(): boolean {
    return this.#sql.without().get() !== undefined
  }

  /** Gives a key to some projects without one. @returns whether there may be more */
  give(): boolean {
    const some = this.#sql.without().all()
    for (const { id, name } of some) this.#sql.set().run(this.free(String(name)), id)
    return some.length === AT_ONCE
  }
}
