/** Hostile files that exhaust a reader's memory or time: small files that read as much more than their size. */
import SQLite from 'better-sqlite3'
import { kanboardDatabase } from './kanboard-database.ts'

/** The page size of these databases, SQLite's default. */
const PAGE = 4096

/** The offset of the number of pages in the header of a database. */
const PAGE_COUNT_AT = 28

/** The first bytes of a table's page: of one with rows (leaf), and of one with other pages (interior). */
const LEAF = 0x0d
const INTERIOR = 0x05

/** The length of such a header; the cell pointers follow it. */
const LEAF_HEADER = 8
const INTERIOR_HEADER = 12

/** SQLite takes a page with more cells as damaged: `MX_CELL` of btreeInt.h. */
const MOST_CELLS = Math.floor((PAGE - 8) / 6)

/** The size of the one value that all rows share. With its row it is smaller than the file; otherwise SQLite would take it as damaged. */
const SHARED_BYTES = 26_000

/** The pages that remain in the file: 28 KiB, of which three are the chain. */
const PAGES_BESIDE_CHAIN = 4
const CHAIN_PAGES = 3

/**
 * A Kanboard database of 28 KiB whose tasks (or comments) share one value of 26 KB. By its pages it has `rows` rows, by default
 * 2 GB together.
 *
 * better-sqlite3 wrote it, and some pages are patched. `pragma integrity_check` would find all of it, but reading does not:
 * 1. A table with the same columns, `shared`, has one row, so long that most of it is in a chain of overflow pages. The file is
 * cut off after the first few of them, and the last one points back to the first: SQLite follows a chain for the announced
 * length of the row.
 * 2. On the table's only page, the pointer of its only cell is repeated, up to the {@link MOST_CELLS} that SQLite accepts. All
 * these rows are the same row, with the same overflow pointer.
 * 3. The root page of the table that is read, which was empty, becomes an interior page whose children are all that page.
 * @param options.rows the minimum number of apparent rows, at least 2: rounded up to whole pages of 681, or two smaller ones
 * @param options.type the type of the shared value; a limit of characters does not count bytes
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

  // 1. The chain is after everything else.
  const last = PAGES_BESIDE_CHAIN + CHAIN_PAGES
  file = Buffer.from(file.subarray(0, last * PAGE))
  file.writeUInt32BE(last, PAGE_COUNT_AT)
  page(last).writeUInt32BE(PAGES_BESIDE_CHAIN + 1)

  // 2.
  const cells = Math.min(MOST_CELLS, Math.ceil(rows / 2))
  const leaf = page(rootOf('shared'))
  repeatCell(leaf, LEAF, LEAF_HEADER, leaf.readUInt16BE(LEAF_HEADER), cells)

  // 3. A cell of an interior page: the number of a page, and the last row below it. The header has one more page.
  const children = Math.min(MOST_CELLS, Math.ceil(rows / cells))
  const root = page(rootOf(table))
  const cell = Buffer.of(0, 0, 0, rootOf('shared'), 1)
  const cellAt = PAGE - cell.length
  cell.copy(root, cellAt)
  root.writeUInt32BE(rootOf('shared'), LEAF_HEADER)
  repeatCell(root, INTERIOR, INTERIOR_HEADER, cellAt, children - 1)
  return file
}

/** Turns a table's page into one whose cells are all the same. */
function repeatCell(page: Buffer, kind: number, header: number, at: number, count: number): void {
  page.writeUInt8(kind, 0)
  page.writeUInt16BE(count, 3)
  page.writeUInt16BE(at, 5)
  for (let cell = 0; cell < count; cell++) page.writeUInt16BE(at, header + 2 * cell)
}

/**
 * A valid Kanboard database. Its tasks are a few bytes each, and have a value of `bytes` bytes as the default of a column that
 * was added later. No page reference is wrong, and `pragma integrity_check` finds nothing.
 */
export const sharedDefaultDatabase = ({ rows = 20_000, bytes = 100_000 } = {}): Buffer =>
  kanboardDatabase(`
    with recursive n (i) as (select 1000 union all select i + 1 from n limit ${rows})
    insert into tasks (id, title, project_id, column_id) select i, '', 1, 11 from n;
    alter table tasks add column large blob default x'${'00'.repeat(bytes)}';`)

/** `[[],[],...]`: `count` empty arrays. Each has three bytes in the file and many more in memory. */
export const emptyArrays = (count: number): Buffer =>
  Buffer.concat([Buffer.from('['), Buffer.alloc(Math.max(0, count * 3 - 1), '[],'), Buffer.from(']')])
