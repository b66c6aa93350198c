/** The parts of the import reader: the checks before reading, the fitting of cards, spools, and the process. */
import { deepStrictEqual } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { lineOf } from '../../src/exchange/imports/failures.ts'
import { CARD_LIMITS, fitCard, piecesOf } from '../../src/exchange/imports/fit-card.ts'
import { planBoard, rowsOfBoard } from '../../src/exchange/imports/import-board.ts'
import { NAMED_LIMITS, nameLabels } from '../../src/exchange/imports/names.ts'
import { READING_LIMITS, ReaderFailed, readApart } from '../../src/exchange/imports/read-apart.ts'
import { readIntoSpool } from '../../src/exchange/imports/read-into-spool.ts'
import { createSpool, readSpool, spoolBoard, spoolError } from '../../src/exchange/imports/spool.ts'
import { newCard, type SourceBoard, type SourceCard } from '../../src/exchange/sources/source-board.ts'
import { refuseHugeJson, TooLarge } from '../../src/exchange/sources/source-limits.ts'
import { openTable } from '../../src/exchange/sources/source-tables.ts'
import { rounds } from '../rounds.ts'
import { anyBoard, trelloExport } from './source-boards.ts'

const AT = '2026-01-31T00:00:00.000Z'

const card = (fields: Partial<SourceCard> = {}): SourceCard =>
  newCard({ id: 'c', title: 'Card', createdAt: AT, ...fields })

const board = (fields: Partial<SourceBoard> = {}): SourceBoard => ({
  format: 'csv',
  id: 'b',
  name: 'Board',
  description: '',
  archived: false,
  createdAt: AT,
  updatedAt: AT,
  columns: [],
  labels: [],
  cards: [],
  people: [],
  rest: {},
  notes: [],
  ...fields,
})

const comment = (text: string, authorId = 'ada') => ({ authorId, text, createdAt: AT, editedAt: null })
const subtask = (title: string) => ({ title, completed: true, createdAt: AT })

t.test('JSON is checked for its number of values and levels', async (t) => {
  const look = (json: string, levels = 3, most = 10) => refuseHugeJson(Buffer.from(json), levels, most)
  look('[[[1, 2, {"a": 1}]]]'.replace('{"a": 1}', '3'))
  look(`["${',[{'.repeat(20)}", "\\"${','.repeat(20)}", "\\\\"]`, 1, 4)
  look('"never closed, [[[[[[[[[')
  look('[1]]]]]]] and no JSON')
  t.throws(() => look('[[[[1]]]]'), { message: 'it is nested deeper than 3 levels' })
  t.throws(() => look('{"a":{"b":{"c":{}}}}'), { message: 'it is nested deeper than 3 levels' })
  t.throws(() => look(`[${'1,'.repeat(10)}1]`), { message: 'it has more than 10 values' })
  t.throws(() => look(`["\\\\",${'[],'.repeat(10)}1]`), new TooLarge('it has more than 10 values'))
  await fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const levelsOf = (one: unknown): number =>
        typeof one === 'object' && one !== null ? 1 + Math.max(0, ...Object.values(one).map(levelsOf)) : 0
      const json = JSON.stringify(value, undefined, 1)
      const isDeep = levelsOf(value) > 3
      const said = (() => {
        try {
          look(json, 3, 1e9)
          return false
        } catch {
          return true
        }
      })()
      deepStrictEqual(said, isDeep)
    }),
  )
})

t.test('the cells of a table are counted', async (t) => {
  const rows = (text: string) => openTable(Buffer.from(text), 4).forEachRow(() => undefined)
  rows('a,b\n1,2\n,\n3,4\n')
  t.throws(() => rows('a,b\n1,2\n3,4\n5,\n'), { message: 'it has more than 4 values' })
})

t.test('long texts continue in comments, and together they are complete', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ü', '🧁', '\n'), maxLength: 40 })
  await fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      (whole, first, further) => {
        const pieces = [...piecesOf(whole, first, further)]
        deepStrictEqual(pieces.join(''), whole)
        for (const [index, piece] of pieces.entries()) {
          const length = [...piece].length
          deepStrictEqual(
            length <= (index === 0 ? first : further) && (length > 0 || pieces.length === 1),
            true,
          )
        }
      },
    ),
  )
  const description = '🧁'.repeat(100_000)
  const long = `${'t'.repeat(10_000)}${'u'.repeat(400)}`
  const fitted = fitCard(
    card({
      id: 'i'.repeat(300),
      assignees: ['m'.repeat(201)],
      description: `${description}rest`,
      subtasks: [subtask('short'), subtask(long)],
      comments: [comment('said'), comment(`${'c'.repeat(10_000)}d`), comment('by', 'x'.repeat(201))],
    }),
  )
  t.match(fitted, { continued: 3, shortened: 3 })
  t.equal(fitted.card.description, description)
  t.strictSame(
    fitted.card.comments.map(({ text, authorId }) => [text, authorId]),
    [
      ['rest', 'unknown'],
      ['t'.repeat(10_000), 'unknown'],
      ['u'.repeat(400), 'unknown'],
      ['said', 'ada'],
      ['c'.repeat(10_000), 'ada'],
      ['d', 'ada'],
      ['by', `${'x'.repeat(199)}…`],
    ],
  )
  t.strictSame(
    fitted.card.subtasks.map(({ title }) => title),
    ['short', `${'t'.repeat(499)}…`],
  )
  t.equal(fitted.card.id, `${'i'.repeat(199)}…`)
  t.same(fitted.card.assignees, [`${'m'.repeat(199)}…`])
  t.strictSame(fitted.card.rest, { sourceId: 'i'.repeat(300), assignees: ['m'.repeat(201)] })
  const { notes } = planBoard(
    board({ cards: [fitted.card, card({ description: `${description}x` })] }),
  ).result(true)
  t.strictSame(notes, ['long texts 1 (their rest is in comments of their cards)'])
  const project = rowsOfBoard(board({ description: `${'d'.repeat(100_001)}` })).rows.projects[0]
  t.match(project, { description: `${'d'.repeat(99_999)}…`, metadata: { csv: { omitted: ['description'] } } })
  t.match(rowsOfBoard(board({ description: 'short' })).rows.projects[0], { description: 'short' })
})

t.test('too many parts of a card or a board are refused with their name', async (t) => {
  const refused = (fields: Partial<SourceCard>, message: string) =>
    t.throws(() => fitCard(card(fields)), new TooLarge(message))
  const most = 'and a card may have'
  fitCard(card({ subtasks: Array(1000).fill(subtask('s')), comments: Array(1000).fill(comment('c')) }))
  refused({ subtasks: Array(1001).fill(subtask('s')) }, `the card "Card" has 1001 subtasks, ${most} 1000`)
  refused({ comments: Array(1001).fill(comment('s')) }, `the card "Card" has 1001 comments, ${most} 1000`)
  const label = { name: '', color: '', createdAt: AT }
  refused(
    { labels: Array(1001).fill(label), title: '\t' },
    `the card "(untitled)" has 1001 labels, ${most} 1000`,
  )
  const half = CARD_LIMITS.text / 2
  const texts = { description: 'x'.repeat(half), comments: [comment('x'.repeat(half))] }
  fitCard(card(texts))
  refused(
    { ...texts, subtasks: [subtask('y')] },
    `the card "Card" has 2000001 characters of text, ${most} 2000000`,
  )
  const labels = Array.from({ length: NAMED_LIMITS.labels + 1 }, () => label)
  t.throws(() => nameLabels({ labels }), { message: 'it has 10001 labels, and a board may have 10000' })
  const cards = [card(), card()]
  planBoard(board({ cards }), { records: 4 })
  t.throws(() => planBoard(board({ cards }), { records: 3 }), {
    message: 'it has 4 records, and one import may create 3 (IMPORT_RECORDS)',
  })
})

/** A spool in a hidden file of a folder. */
function spool(t: Test, folder = t.testdir()) {
  const descriptor = createSpool(join(folder, 'spool'))
  t.teardown(() => closeSync(descriptor))
  t.notOk(readdirSync(folder).includes('spool'))
  return descriptor
}

t.test('a spool returns its rows', async (t) => {
  await fc.assert(
    fc.property(anyBoard, (board) => {
      const descriptor = createSpool(join(t.testdir(), 'spool'))
      const made = rowsOfBoard(board)
      // Ids are new each time.
      const tables = made.rows.tables.map(({ rows, ...table }) => {
        const all = [...rows()]
        return { ...table, rows: () => all }
      })
      spoolBoard(descriptor, { ...made, rows: { ...made.rows, tables } }, 1e9)
      const read = readSpool(descriptor)
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
      deepStrictEqual(plain(read?.facts), plain(made.facts))
      deepStrictEqual(plain(read?.rows.projects), plain(made.rows.projects))
      deepStrictEqual([...(read?.rows.cardIds() ?? [])], [...made.rows.cardIds()])
      for (const [index, { table, count, rows }] of (read?.rows.tables ?? []).entries()) {
        deepStrictEqual([table, count], [tables[index]?.table, tables[index]?.count])
        deepStrictEqual([...rows()], plain([...(tables[index]?.rows() ?? [])]))
      }
      closeSync(descriptor)
    }),
    { numRuns: rounds(5) },
  )
})

t.test('an incomplete spool returns nothing', async (t) => {
  const descriptor = spool(t)
  t.equal(readSpool(descriptor), undefined)
  writeSync(descriptor, `${'0'.repeat(16)}\n{"id":1}\n`, 0)
  t.equal(readSpool(descriptor), undefined, 'its reader was killed')
  const long = rowsOfBoard(
    board({ cards: Array.from({ length: 3000 }, (_, n) => card({ id: `${n}`, title: 'x'.repeat(400) })) }),
  )
  t.throws(() => spoolBoard(descriptor, long, 1024 * 1024), {
    message: 'it would create more than 1 MiB of records',
  })
  spoolError(descriptor, 'because')
  t.throws(() => readSpool(descriptor), { message: 'because' })
  t.ok(fstatSync(descriptor).size < 100)
  spoolBoard(descriptor, long, 1e9)
  const read = readSpool(descriptor)
  ftruncateSync(descriptor, 5000)
  t.throws(() => [...(read?.rows.tables[2]?.rows() ?? [])], { message: 'the spool of an import was cut off' })
})

t.test('a file is read into a spool, or refused with a reason', async (t) => {
  const file = join(t.testdir(), 'file')
  const readInto = async (format: string, content: string, records = 100) => {
    writeFileSync(file, content)
    const descriptor = spool(t, dirname(file))
    await readIntoSpool({ format, file, name: 'it', records }, descriptor)
    return () => readSpool(descriptor)
  }
  t.match((await readInto('trello', trelloExport(3, 'Word')))()?.facts.made, { items: 3 })
  t.throws(await readInto('trello', '{'), {
    message:
      'it is not a Trello board export: it begins like JSON, but is not valid: perhaps it is truncated',
  })
  t.throws(await readInto('csv', 'title\na\nb\n', 3), { message: /^cannot import it: it has 4 records/ })
  t.throws(await readInto('planka', '['.repeat(200)), {
    message: 'cannot import it: it is nested deeper than 90 levels',
  })
  const broken = await readInto('none', 'title\n')
  t.throws(broken, { message: /undefined/ })
})

t.test('the reason for a failure is one line', async (t) => {
  const memory = 'There is not enough memory for so large a file'
  const room = 'The disk is full, or cannot be written'
  const coded = (code: string) => Object.assign(new Error('native'), { code })
  for (const code of ['ENOMEM', 'ERR_STRING_TOO_LONG', 'SQLITE_NOMEM']) t.equal(lineOf(coded(code)), memory)
  for (const code of ['ENOSPC', 'EFBIG', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE'])
    t.equal(lineOf(coded(code)), room)
  t.equal(lineOf(new Error('outer', { cause: coded('ENOSPC') })), room)
  t.equal(lineOf(new Error('a\n b')), 'a b')
  t.equal(lineOf('text'), 'text')
  t.equal(lineOf(new Error('x'.repeat(5000))).length, 1000)
})

/** Opens a pipe for writing, once another process has opened it for reading. */
async function openAfterReader(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENXIO') throw error
      await sleep(5)
    }
  }
}

t.test('a process reads a file, and ends when it is cancelled', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'file')
  const read = (format: string, signal?: AbortSignal, limits = {}, from = file) =>
    readApart(
      { format, file: from, name: 'it' },
      join(folder, 'spool'),
      { ...READING_LIMITS, ...limits },
      signal,
    )
  writeFileSync(file, trelloExport(3, 'Word'))
  const board = await read('trello')
  t.match(board.facts, { made: { items: 3 } })
  board.close()
  await t.rejects(read('csv'), { message: /^it is not a table of tasks/ })
  await t.rejects(read('trello', undefined, { records: 2 }), { message: /IMPORT_RECORDS/ })
  await t.rejects(read('trello', undefined, { time: 1 }), { message: 'Reading the file took too long' })
  await t.rejects(read('trello', AbortSignal.abort(new Error('enough'))), { message: 'enough' })
  // It waits for the other end of a pipe, and is cancelled when it has opened it.
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const ending = new AbortController()
  const ended = read('trello', ending.signal, {}, pipe)
  const writer = await openAfterReader(pipe)
  ending.abort(new Error('enough'))
  await t.rejects(ended, { message: 'enough' })
  closeSync(writer)
  rmSync(pipe)
  // Node itself exits with an error about its options.
  const { execPath } = process
  process.execPath = '/bin/false'
  const failed = read('trello')
  process.execPath = execPath
  await t.rejects(failed, new ReaderFailed(''))
  t.strictSame(readdirSync(folder), ['file'])
})

/** Runs the module of the process in this process, so that its coverage counts. */
async function runReader(t: Test, task: { file: string; parent: number; memory: number }) {
  const descriptor = spool(t, dirname(task.file))
  const module = resolve('src/exchange/imports/import-reader.ts')
  const child = spawn(process.execPath, [module, JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'inherit', descriptor],
  })
  const [code, signal] = await once(child, 'exit')
  return { code, signal, spool: () => readSpool(descriptor) }
}

t.test('the process ends without its parent, or if it exceeds its memory', async (t) => {
  const file = join(t.testdir(), 'file')
  writeFileSync(file, trelloExport(3, 'Word'))
  const task = { format: 'trello', file, name: 'it', records: 100, memory: 1000, parent: process.pid }
  const done = await runReader(t, task)
  t.match(done, { code: 0, signal: null })
  t.match(done.spool()?.facts.made, { items: 3 })
  writeFileSync(file, trelloExport(60_000, 'Word'))
  t.match(await runReader(t, { ...task, parent: 1 }), { code: null, signal: 'SIGKILL' })
  t.match(await runReader(t, { ...task, memory: 10 }), { code: null, signal: 'SIGKILL' })
})
