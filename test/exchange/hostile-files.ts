/** Files that somebody made to take a reader's memory or time: small ones that read as much more than their bytes. */
import SQLite from 'better-sqlite3'
import { kanboardDatabase } from './kanboard-database.ts'

/** Bytes of a page of the databases here, SQLite's default. */
const PAGE = 4096

/** Where the header of a database has its number of pages. */
const PAGE_COUNT_AT = 28

/** How the header of a page of a table begins: of one that has rows, and of one that has other pages. */
const LEAF = 0x0d
const INTERIOR = 0x05

/** Bytes of such headers, after which the places of the cells are. */
const LEAF_HEADER = 8
const INTERIOR_HEADER = 12

/** Cells of a page beyond which SQLite takes it for damaged: `MX_CELL` of btreeInt.h. */
const MOST_CELLS = Math.floor((PAGE - 8) / 6)

/** Bytes of the one value that all rows share; with its row it is less than the file, beyond which SQLite takes it for damaged. */
const SHARED_BYTES = 26_000

/** Pages that the file keeps: 28 KiB, three of them the chain. */
const PAGES_BESIDE_CHAIN = 4
const CHAIN_PAGES = 3

/**
 * A database of Kanboard, of 28 KiB, whose tasks (or comments) share one value of 26 KB: by its pages it has
 * `rows` rows, of 2 GB together if nothing else is said.
 *
 * It is what better-sqlite3 wrote, with some pages patched; `pragma integrity_check` would find all of it, but nobody who
 * only reads does:
 * 1. A table of the same columns, `shared`, has one row, so long that most of it is in a chain of overflow pages. The file is cut off
 *    after the first few of them, and the last one's next page is the first one: SQLite follows a chain for as long as the
 *    row says it is.
 * 2. On the table's one page the place of its one cell is repeated, up to the {@link MOST_CELLS} that SQLite believes: so
 *    many rows are one row, whose overflow pointer all of them share.
 * 3. The root page of the table that is read, which was empty, becomes one of the inside of a tree, all of whose children are that
 *    page.
 * @param options.rows how many rows there seem to be, at least 2: rounded up to whole pages of 681, or two smaller ones
 * @param options.type what the shared value is: a budget for characters does not see bytes
 */
export function sharedChainDatabase({
  rows = 2e9 / SHARED_BYTES,
  table = 'tasks',
  type = 'blob',
}: {
  rows?: number
  table?: 'tasks' | 'comments'
  type?: 'blob' | 'text'
} = {}): Buffer {
  const value = type === 'blob' ? `zeroblob(${SHARED_BYTES})` : `printf('%.*c', ${SHARED_BYTES}, 'x')`
  const column = table === 'tasks' ? 'description' : 'comment'
  const others =
    table === 'tasks'
      ? { id: 1, title: 1, project_id: 1, is_active: 1 }
      : { id: 1, task_id: 1, user_id: 1, date_creation: 1 }
  const client = new SQLite(':memory:')
  let file: Buffer
  let rootOf: (name: string) => number
  try {
    client.pragma(`page_size = ${PAGE}`)
    client.exec(`
      create table projects (id integer primary key, name text, is_active integer);
      insert into projects values (1, 'Shared', 1);
      create table ${table} (${Object.keys(others).join(', ')}, ${column});
      create table shared (${Object.keys(others).join(', ')}, ${column});
      insert into shared values (${Object.values(others).join(', ')}, ${value});`)
    const roots = new Map(
      client.prepare<[], [string, number]>('select name, rootpage from sqlite_schema').raw().all(),
    )
    rootOf = (name) => roots.get(name) as number
    file = client.serialize()
  } finally {
    client.close()
  }
  const page = (number: number) => file.subarray((number - 1) * PAGE, number * PAGE)

  // 1. The chain lies behind all else.
  const last = PAGES_BESIDE_CHAIN + CHAIN_PAGES
  file = Buffer.from(file.subarray(0, last * PAGE))
  file.writeUInt32BE(last, PAGE_COUNT_AT)
  page(last).writeUInt32BE(PAGES_BESIDE_CHAIN + 1)

  // 2.
  const cells = Math.min(MOST_CELLS, Math.ceil(rows / 2))
  const leaf = page(rootOf('shared'))
  repeatCell(leaf, LEAF, LEAF_HEADER, leaf.readUInt16BE(LEAF_HEADER), cells)

  // 3. A cell of the inside: the number of a page, and the last row under it. The header names one more page.
  const children = Math.min(MOST_CELLS, Math.ceil(rows / cells))
  const root = page(rootOf(table))
  const cell = Buffer.of(0, 0, 0, rootOf('shared'), 1)
  const cellAt = PAGE - cell.length
  cell.copy(root, cellAt)
  root.writeUInt32BE(rootOf('shared'), LEAF_HEADER)
  repeatCell(root, INTERIOR, INTERIOR_HEADER, cellAt, children - 1)
  return file
}

/** Makes a page of a table one whose cells are all the same. */
function repeatCell(page: Buffer, kind: number, header: number, at: number, count: number): void {
  page.writeUInt8(kind, 0)
  page.writeUInt16BE(count, 3)
  page.writeUInt16BE(at, 5)
  for (let cell = 0; cell < count; cell++) page.writeUInt16BE(at, header + 2 * cell)
}

/**
 * A sound database of Kanboard whose tasks are a few bytes each, and have a value of `bytes` bytes by default: of a column that
 * was added after them. No page refers to another in vain, and `pragma integrity_check` finds nothing.
 */
export const sharedDefaultDatabase = ({ rows = 20_000, bytes = 100_000 } = {}): Buffer =>
  kanboardDatabase(`
    with recursive n (i) as (select 1000 union all select i + 1 from n limit ${rows})
    insert into tasks (id, title, project_id, column_id) select i, '', 1, 11 from n;
    alter table tasks add column large blob default x'${'00'.repeat(bytes)}';`)

/** `[[],[],...]`: `count` empty arrays, three bytes each in the file and many more in memory. */
export const emptyArrays = (count: number): Buffer =>
  Buffer.concat([Buffer.from('['), Buffer.alloc(Math.max(0, count * 3 - 1), '[],'), Buffer.from(']')])
