/** Checks of the SQLite file: pages, references, tables and triggers. */
import { changeTriggers } from '../db/change-triggers.ts'
import { describe, isDamage } from '../db/client.ts'
import { shippedMigrations } from '../db/migrations.ts'
import { type Check, count, counted, type Finding, found, NOTHING, type Subject, together } from './checks.ts'

/** Problems that SQLite lists, at most. */
const PROBLEMS = 100

/** A foreign key. */
interface Reference {
  table: string
  from: string
  parent: string
  to: string
  onDelete: string
}

/** The foreign keys of the file. */
const referencesIn = ({ client }: Subject): Reference[] =>
  client
    .prepare<[], Reference>(
      `select owner.name as "table", fk."from", fk."table" as parent, coalesce(fk."to", 'id') as "to",
        fk.on_delete as onDelete
      from sqlite_schema as owner join pragma_foreign_key_list(owner.name) as fk where owner.type = 'table'`,
    )
    .all()

/** Condition: a row refers to a record that does not exist. */
const isOrphan = ({ table, from, parent, to }: Reference): string =>
  `"${table}"."${from}" is not null
    and not exists (select 1 from "${parent}" as parent where parent."${to}" = "${table}"."${from}")`

/** The finding of damage that SQLite refuses to read. @throws the error, if it is another one */
export function damageIn(error: unknown): Finding {
  if (!isDamage(error)) throw error
  return found([describe(error)])
}

export const integrity: Check = {
  name: 'integrity',
  holds: 'the file is sound',
  advice: 'restore a backup; a file that SQLite calls damaged gets worse with every write',
  find: ({ client }) => {
    try {
      const answers = client.pragma(`integrity_check(${PROBLEMS})`) as { integrity_check: string }[]
      const problems = answers.map(({ integrity_check: problem }) => problem)
      // The search index has its own check, and can be rebuilt.
      return found(problems.filter((problem) => problem !== 'ok' && !/search_index|fts5/i.test(problem)))
    } catch (error) {
      return damageIn(error)
    }
  },
}

const references: Check = {
  name: 'references',
  holds: 'every record has an existing parent',
  advice: 'another tool has written without foreign keys; --fix deletes records without a parent',
  find: (subject) =>
    together(
      referencesIn(subject).map((reference) =>
        count(
          subject.client,
          `select "${reference.from}" from "${reference.table}" where ${isOrphan(reference)}`,
          (id) => `${reference.table} of ${id}, which is not in ${reference.parent}`,
        ),
      ),
    ),
  fix: ({ $client: client }, subject) => {
    let deleted = 0
    let cleared = 0
    for (const reference of referencesIn(subject)) {
      const { table, from, onDelete } = reference
      const condition = isOrphan(reference)
      if (onDelete === 'SET NULL') {
        cleared += client.prepare(`update "${table}" set "${from}" = null where ${condition}`).run().changes
      } else {
        deleted += client.prepare(`delete from "${table}" where ${condition}`).run().changes
      }
    }
    return `deleted ${counted(deleted, 'record')} with what belonged to them, cleared ${counted(cleared, 'reference')}`
  },
}

/** The migrations that are missing. */
function missingMigrations({ client }: Subject) {
  const applied = new Set(
    client.prepare<[], number>('select created_at from __drizzle_migrations').pluck().all().map(Number),
  )
  return shippedMigrations().filter(({ folderMillis }) => !applied.has(folderMillis))
}

const migrations: Check = {
  name: 'migrations',
  holds: 'the tables are those of this version',
  advice: 'the next start of the service, and --fix, migrate them',
  find: (subject) =>
    found(
      missingMigrations(subject).map(
        ({ folderMillis }) => `the one of ${new Date(folderMillis).toISOString()}`,
      ),
    ),
  fix: () => 'migrated the tables',
}

const triggers: Check = {
  name: 'triggers',
  holds: 'every write is recorded in the sequence of changes and the search index',
  advice:
    'another tool has dropped or changed triggers: restore a backup, or let --fix recreate those of the sequence',
  find: (subject) => {
    // Those of an older version are others, until they are migrated.
    if (missingMigrations(subject).length > 0) return NOTHING
    const { client } = subject
    const stored = new Map(
      client
        .prepare<[], [string, string]>(
          "select name, sql from sqlite_schema where type in ('trigger', 'view')",
        )
        .raw()
        .all(),
    )
    const ofSearch = ['insert', 'update', 'delete'].flatMap((verb) =>
      ['projects', 'kanban_items', 'kanban_comments', 'transcript_summaries', 'personal_ideas'].map(
        (table) => `search_${table}_${verb}`,
      ),
    )
    return together([
      found(ofSearch.filter((name) => !stored.has(name)).map((name) => `${name} is missing`)),
      found(
        [...changeTriggers()].flatMap(([name, sql]) => {
          const text = stored.get(name)
          if (text === undefined) return [`${name} is missing`]
          return text === sql ? [] : [`${name} is another one`]
        }),
      ),
    ])
  },
  fix: ({ $client: client }) => {
    let made = 0
    for (const [name, sql] of changeTriggers()) {
      const stored = client
        .prepare<[string], string>(
          "select sql from sqlite_schema where type in ('trigger', 'view') and name = ?",
        )
        .pluck()
        .get(name)
      if (stored === sql) continue
      client.exec(`drop ${/^create view/i.test(sql) ? 'view' : 'trigger'} if exists "${name}"`)
      client.exec(sql)
      made++
    }
    return `recreated ${counted(made, 'trigger')}`
  },
}

/** The checks of the file, in order: a failure may affect the later ones. */
export const FILE_CHECKS: readonly Check[] = [integrity, migrations, triggers, references]
