/** The files of the stall probe: large boards, as a long-used or hostile service may hold them. */
import { join } from 'node:path'
import { openDatabase, type SharedDatabase, write } from '../src/db/client.ts'
import { newId } from '../src/db/ids.ts'
import { members } from '../src/db/schema.ts'
import { Members } from '../src/members/members.ts'
import { SESSION_COOKIE } from '../src/members/sessions.ts'
import { seedBoard } from './board.ts'

/** How many of the 20,000 items of the large board are in its first column, `To Do`. */
export const IN_FIRST_COLUMN = 13_000

/** The metrics of the large board's second project, and how long the history of each is. */
export const METRICS = { count: 1000, history: 500 }

/** Words that stand everywhere in the 150 MB of text: as many as a search may have. */
export const COMMON_WORDS = Array.from({ length: 50 }, (_, index) => `word${index}`)

/** Characters of one text, and how many of them make 150 MB. */
const TEXT_LENGTH = 10_000
const TEXTS = 15_000

const url = (file: string) => `file:${file}`

/** Opens a file that no process has open, for as long as `work` takes. */
export function withFile<T>(file: string, work: (db: SharedDatabase) => T): T {
  const { db, close } = openDatabase(url(file))
  try {
    return work(db)
  } finally {
    close()
  }
}

/** Runs `sql` with what it is given, as one write. */
export const change = (db: SharedDatabase, sql: string, ...values: unknown[]): unknown =>
  write(db, () => db.$client.prepare(sql).run(...values))

/** The first column of all rows. */
export const idsOf = (db: SharedDatabase, sql: string, ...values: unknown[]): string[] =>
  db.$client
    .prepare<unknown[], string>(sql)
    .pluck()
    .all(...values)

/** One project of 20,000 items, 12 MB of JSON, most of them in one column. */
function seedLargeBoard(file: string): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 20_000 })
  withFile(file, (db) => {
    change(db, `update kanban_items set description = printf('%.*c', 150, 'x')`)
    change(
      db,
      `update kanban_items set "column" = 'To Do' where id in (
        select id from kanban_items order by "column" = 'To Do' desc, sort_order, id limit ?)`,
      IN_FIRST_COLUMN,
    )
    change(
      db,
      `update kanban_items set "column" = 'In Progress' where "column" = 'To Do' and id not in (
        select id from kanban_items where "column" = 'To Do' order by sort_order, id limit ?)`,
      IN_FIRST_COLUMN,
    )
  })
}

/** A small project with many metrics, each with as long a history as is kept. */
function seedMetrics(file: string): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 40 })
  withFile(file, (db) => {
    const [project] = idsOf(db, 'select id from projects')
    const at = '2026-01-31T00:00:00.000Z'
    const history = JSON.stringify(Array.from({ length: METRICS.history }, (_, value) => ({ value, at })))
    const sql = 'insert into metrics (id, project_id, name, value, history) values (?, ?, ?, 0, ?)'
    const insert = db.$client.prepare(sql)
    write(db, () => {
      for (let index = 0; index < METRICS.count; index++)
        insert.run(newId(), project, `metric ${index}`, history)
    })
  })
}

/** Boards as an import brings them, 50,000 cards, 73 MB of JSON: more than the service keeps answers of. */
function seedCards(file: string): void {
  seedBoard(url(file), { projects: 25, itemsPerProject: 2000 })
  withFile(file, (db) => change(db, `update kanban_items set description = printf('%.*c', 1000, 'x')`))
}

/** 150 MB of text in which the same words occur everywhere. */
function seedTexts(file: string): void {
  seedBoard(url(file), { projects: 1, itemsPerProject: 40 })
  withFile(file, (db) => {
    const [project] = idsOf(db, 'select id from projects')
    const sentence = `${COMMON_WORDS.join(' ')} `
    const text = sentence.repeat(Math.floor(TEXT_LENGTH / sentence.length))
    const sql = 'insert into kanban_items (id, project_id, title, description) values (?, ?, ?, ?)'
    const insert = db.$client.prepare(sql)
    write(db, () => {
      for (let index = 0; index < TEXTS; index++) insert.run(newId(), project, `Text ${index}`, text)
    })
  })
}

const SEEDS = { board: seedLargeBoard, metrics: seedMetrics, cards: seedCards, texts: seedTexts }

/** What a row's service works with. */
export type DataName = keyof typeof SEEDS

/** A seeded file. Nobody writes to it: each row has a copy. */
export interface Seeded {
  file: string
  /** A cookie of an admin's session. */
  cookie: string
}

/** Prepares for making the files. @returns what makes each of them when it is first needed */
export function filesIn(folder: string): (name: DataName) => Seeded {
  const made = new Map<DataName, Seeded>()
  return (name) => {
    const seeded = made.get(name) ?? seed(name, join(folder, `${name}.db`))
    made.set(name, seeded)
    return seeded
  }
}

function seed(name: DataName, file: string): Seeded {
  SEEDS[name](file)
  return withFile(file, (db) => ({ file, cookie: signedIn(db) }))
}

/** Makes an admin. @returns a cookie of its session */
export function signedIn(db: SharedDatabase): string {
  const id = newId()
  db.insert(members).values({ id, name: 'Maria', email: 'maria@example.test', role: 'admin' }).run()
  return `${SESSION_COOKIE}=${new Members(db).sessions.start(id).token}`
}
