/** The files of the stall probe: large boards, like those of a service in long use or under attack. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { Attachments } from '../src/board/attachments.ts'
import { Subjects } from '../src/changes/subjects.ts'
import { openDatabase, type SharedDatabase, writeAs } from '../src/db/client.ts'
import { CHUNK_BYTES, FileContents } from '../src/db/file-contents.ts'
import { newId } from '../src/db/ids.ts'
import { members } from '../src/db/schema.ts'
import { planBoard } from '../src/exchange/imports/import-board.ts'
import { READING_LIMITS } from '../src/exchange/imports/read-apart.ts'
import { trelloBoardIn } from '../src/exchange/sources/trello.ts'
import { toSourceBoard } from '../src/exchange/sources/trello-board.ts'
import { Members } from '../src/members/members.ts'
import { SESSION_COOKIE } from '../src/members/sessions.ts'
import { LIMITS } from '../src/schemas/common.ts'
import type { CurrentMember } from '../src/schemas/records.ts'
import { importAtOnce } from '../test/exchange/import-at-once.ts'
import { seedBoard } from './board.ts'
import { trelloBoard } from './stall-files.ts'

/** The size of the files: the measured one, or a small one that suffices for each row to run. */
export type Scale = 'full' | 'small'

const of = <T>(scale: Scale, full: T, small: T): T => (scale === 'full' ? full : small)

/** The number of items on the large board, and of those in its first column, `To Do`. */
const ITEMS = { full: 20_000, small: 600 }
const IN_FIRST_COLUMN = { full: 13_000, small: 400 }

/** The number of metrics in the large board's second project, and the length of their histories. */
export const METRICS = { count: 1000, history: 500 }

/** Words that occur throughout the 150 MB of text; as many as a search may have. */
export const COMMON_WORDS = Array.from({ length: 50 }, (_, index) => `word${index}`)

/** The length of a text, and the number of texts in 150 MB. */
const TEXT_LENGTH = 10_000
const TEXTS = { full: 15_000, small: 100 }

/**
 * The number of texts of the maximum length of a description: 500 MB. And the number of those that consist only of the word
 * `q`: more do not fit into a file of 2 MiB.
 */
const LONG_TEXTS = { full: 5000, small: 50 }
const TEXTS_OF_ONE_WORD = 3

/** A description of the maximum length: one that repeats one word, and one of words that occur everywhere. */
const ONE_WORD = { full: 'q '.repeat(LIMITS.description / 2), small: 'q '.repeat(100) }

/** The number of changes in a file with many. */
const CHANGES = { full: 200_000, small: 6000 }

/** The cards of a board with 200,000 records. Each has a label, a comment and two subtasks. */
const IMPORTED = { full: 39_990, small: 400 }

const url = (file: string) => `file:${file}`

/** Opens a file during `work`. A service may have it open, too. */
export function withFile<T>(file: string, work: (db: SharedDatabase) => T): T {
  const { db, close } = openDatabase(url(file))
  try {
    return work(db)
  } finally {
    close()
  }
}

/** Executes `sql` for each of the given values, in one write. */
export const change = (db: SharedDatabase, sql: string, ...values: unknown[]): unknown =>
  writeAs(db, null, () => db.$client.prepare(sql).run(...values))

/** The first column of all rows. */
export const idsOf = (db: SharedDatabase, sql: string, ...values: unknown[]): string[] =>
  db.$client
    .prepare<unknown[], string>(sql)
    .pluck()
    .all(...values)

/** The newest change that meets a condition, and its record, read by another connection. @throws Error if there is none */
export function newestWhere(file: string, condition: string): { seq: number; id: string } {
  const client = new SQLite(file, { readonly: true })
  try {
    const sql = `select seq, id from changes where ${condition} order by seq desc limit 1`
    const found = client.prepare<[], { seq: number; id: string }>(sql).get()
    if (found === undefined) throw new Error(`there is no change ${condition}`)
    return found
  } finally {
    client.close()
  }
}

/** The creator of a file. */
const NOBODY = { id: null } as unknown as CurrentMember

/** Attaches a file to an item, in chunks as an upload does. @returns its id */
export function attach(
  db: SharedDatabase,
  item: string,
  bytes: Buffer,
  { name = 'bytes', mediaType = 'application/octet-stream' } = {},
): string {
  const contents = new FileContents(db.$client)
  return writeAs(db, null, () => {
    let content: number | null = null
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
      content = contents.write(content, at / CHUNK_BYTES, bytes.subarray(at, at + CHUNK_BYTES), Date.now())
    const file = { name, mediaType, size: bytes.length, sha256: hash('sha256', bytes) }
    const [made] = new Attachments(db).addFiles(item, [{ ...file, content: content as number }], NOBODY)
    return made?.id as string
  }).value
}

/** A project of 20,000 items, 12 MB of JSON, most of them in one column. */
function seedLargeBoard(file: string, scale: Scale): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: ITEMS[scale] })
  withFile(file, (db) => {
    change(db, `update kanban_items set description = printf('%.*c', 150, 'x')`)
    change(
      db,
      `update kanban_items set "column" = 'To Do' where id in (
        select id from kanban_items order by "column" = 'To Do' desc, sort_order, id limit ?)`,
      IN_FIRST_COLUMN[scale],
    )
    change(
      db,
      `update kanban_items set "column" = 'In Progress' where "column" = 'To Do' and id not in (
        select id from kanban_items where "column" = 'To Do' order by sort_order, id limit ?)`,
      IN_FIRST_COLUMN[scale],
    )
  })
}

/** A small project with many metrics, each with a history of the maximum length. */
function seedMetrics(file: string): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 40 })
  withFile(file, (db) => {
    const [project] = idsOf(db, 'select id from projects')
    const at = '2026-01-31T00:00:00.000Z'
    const history = JSON.stringify(Array.from({ length: METRICS.history }, (_, value) => ({ value, at })))
    const sql = 'insert into metrics (id, project_id, name, value, history) values (?, ?, ?, 0, ?)'
    const insert = db.$client.prepare(sql)
    writeAs(db, null, () => {
      for (let index = 0; index < METRICS.count; index++)
        insert.run(newId(), project, `metric ${index}`, history)
    })
  })
}

/** Imported boards, 50,000 cards, 73 MB of JSON: more than the service's response cache holds. */
function seedCards(file: string, scale: Scale): void {
  seedBoard(url(file), { projects: 25, itemsPerProject: of(scale, 2000, 40) })
  withFile(file, (db) => change(db, `update kanban_items set description = printf('%.*c', 1000, 'x')`))
}

/** Creates items from texts, in the first project. */
function addTexts(db: SharedDatabase, count: number, text: string): void {
  const [project] = idsOf(db, 'select id from projects order by id')
  const sql = 'insert into kanban_items (id, project_id, title, description) values (?, ?, ?, ?)'
  const insert = db.$client.prepare(sql)
  writeAs(db, null, () => {
    for (let index = 0; index < count; index++) insert.run(newId(), project, `Text ${index}`, text)
  })
}

/** A text of a given length with words that occur everywhere. */
function commonText(length: number): string {
  const sentence = `${COMMON_WORDS.join(' ')} `
  return sentence.repeat(Math.floor(length / sentence.length))
}

/** 150 MB of text, with the same words everywhere. */
function seedTexts(file: string, scale: Scale): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 40 })
  withFile(file, (db) => addTexts(db, TEXTS[scale], commonText(TEXT_LENGTH)))
}

/** 500 MB of text, in descriptions of the maximum length. */
function seedLongTexts(file: string, scale: Scale): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 40 })
  withFile(file, (db) => {
    addAside(db)
    addTexts(db, TEXTS_OF_ONE_WORD, ONE_WORD[scale])
    addTexts(db, LONG_TEXTS[scale], commonText(of(scale, LIMITS.description, 2000)))
  })
}

/** A file below 2 MiB, the size up to which no work is limited, with texts that repeat one word. */
function seedOneWord(file: string, scale: Scale): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 40 })
  withFile(file, (db) => addTexts(db, TEXTS_OF_ONE_WORD, ONE_WORD[scale]))
}

/** The large board, a small one for the uninvolved clients, and 200,000 indexed changes. */
function seedHistory(file: string, scale: Scale): void {
  seedLargeBoard(file, scale)
  withFile(file, (db) => {
    addAside(db)
    const { $client: client } = db
    const newest = client.prepare<[], number>('select max(seq) from changes').pluck()
    for (let round = 0; ; round++) {
      const missing = CHANGES[scale] - (newest.get() ?? 0)
      if (missing <= 0) break
      const sql = 'update kanban_items set priority = ? where id in (select id from kanban_items limit ?)'
      change(db, sql, `p${round}`, missing)
    }
    index(db)
  })
}

/** A project of 200 items for the uninvolved clients. */
function addAside(db: SharedDatabase): void {
  const project = newId()
  change(db, `insert into projects (id, name) values (?, 'Aside')`, project)
  const sql = `insert into kanban_items (id, project_id, title, sort_order) values (?, ?, 'Card', ?)`
  const insert = db.$client.prepare(sql)
  writeAs(db, null, () => {
    for (let position = 1; position <= 200; position++) insert.run(newId(), project, position)
  })
}

/** Indexes the changes, like the service does soon after its start. */
function index(db: SharedDatabase): void {
  const subjects = new Subjects(db)
  while (writeAs(db, null, () => subjects.index()).value > 0);
}

/** A project of 200,000 records, created by an import. A small write follows it. */
function seedImported(file: string, scale: Scale): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 40 })
  withFile(file, (db) => {
    addAside(db)
    importAtOnce(
      db,
      planBoard(toSourceBoard(trelloBoardIn(JSON.parse(trelloBoard(IMPORTED[scale]).toString()))), {
        records: READING_LIMITS.records,
      }),
      MEMBER_ID,
    )
    index(db)
  })
}

const SEEDS = {
  board: seedLargeBoard,
  metrics: seedMetrics,
  cards: seedCards,
  texts: seedTexts,
  'long-texts': seedLongTexts,
  'one-word': seedOneWord,
  history: seedHistory,
  imported: seedImported,
} satisfies Record<string, (file: string, scale: Scale) => void>

/** The data of a row's service. */
export type DataName = keyof typeof SEEDS

/** A seeded file. It is never written to: each row has a copy. */
export interface Seeded {
  file: string
  /** The cookie of an admin's session. */
  cookie: string
  /** The cookies of a viewer and two members. */
  viewer: string
  member: string
  other: string
}

/** Prepares the creation of the files. @returns functions that create each of them when it is first needed */
export function filesIn(folder: string, scale: Scale = 'full'): (name: DataName) => Seeded {
  const made = new Map<DataName, Seeded>()
  return (name) => {
    const seeded = made.get(name) ?? seed(name, join(folder, `${name}.db`), scale)
    made.set(name, seeded)
    return seeded
  }
}

/** The member who owns the import of {@link seedImported}. */
const MEMBER_ID = newId()

function seed(name: DataName, file: string, scale: Scale): Seeded {
  SEEDS[name](file, scale)
  return withFile(file, (db) => ({
    file,
    cookie: signedIn(db),
    viewer: signedIn(db, 'viewer'),
    member: signedIn(db, 'member', MEMBER_ID),
    other: signedIn(db, 'member'),
  }))
}

/** Creates a member, by default an admin. @returns the cookie of its session */
export function signedIn(
  db: SharedDatabase,
  role: 'admin' | 'member' | 'viewer' = 'admin',
  id = newId(),
): string {
  db.insert(members)
    .values({ id, name: 'Maria', email: `${id}@example.test`, role })
    .run()
  return `${SESSION_COOKIE}=${new Members(db).sessions.start(id).token}`
}
