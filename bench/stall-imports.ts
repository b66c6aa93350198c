/** Imports by a member that cost more than their files suggest, and requests about the imported records. */
import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../src/db/client.ts'
import { exportArchive } from '../src/exchange/archives/export-archive.ts'
import { planBoard } from '../src/exchange/imports/import-board.ts'
import { trelloBoardIn } from '../src/exchange/sources/trello.ts'
import { toSourceBoard } from '../src/exchange/sources/trello-board.ts'
import { emptyArrays, sharedChainDatabase, sharedDefaultDatabase } from '../test/exchange/hostile-files.ts'
import { importAtOnce } from '../test/exchange/import-at-once.ts'
import { itemPath, LIST_PATH, movePath, projectPath } from './api.ts'
import { show } from './format.ts'
import { writersOf } from './stall-attacks.ts'
import { isSuccess, makeClient } from './stall-client.ts'
import {
  kanboardShared,
  packedArrays,
  plankaShared,
  trelloBoard,
  trelloLargeCard,
  trelloManyEntries,
  trelloShared,
} from './stall-files.ts'
import type { Row, Situation } from './stall-rows.ts'
import { besideWriters } from './stall-writers.ts'

/** The result of an import. */
export interface Imported {
  /** A short description. */
  remark: string
  /** The created project; undefined if there is none, as for an archive or after a failure. */
  project: string | undefined
  /** The number of created records. */
  records: number
}

/** The polling interval of an import, in milliseconds. */
const PAUSE = 100

/** The maximum length of an error in a remark. */
const REMARK = 120

/** Imports a file, and waits for its end. @throws Error if its progress cannot be read */
export async function importFile(
  { client, member }: Pick<Situation, 'client' | 'member'>,
  format: string,
  file: Buffer,
): Promise<Imported> {
  const begin = performance.now()
  const path = `/api/imports?format=${format}&again=true`
  const sending = { cookie: member, isWanted: true }
  const began = await client.send(
    'POST',
    format === 'phaseboard' ? (path.split('&')[0] ?? '') : path,
    file,
    sending,
  )
  if (began.status !== 202) return { remark: began.text.slice(0, REMARK), project: undefined, records: 0 }
  const { id } = JSON.parse(began.text)
  // On a connection whose responses are not counted.
  const asking = makeClient(client.port)
  try {
    for (;;) {
      const { text, status } = await asking.send('GET', `/api/imports/${id}`, undefined, sending)
      if (status !== 200) throw new Error(`the progress of an import was answered with ${status}: ${text}`)
      const found = JSON.parse(text)
      if (found.status === 'done' || found.status === 'failed') {
        const took = show((performance.now() - begin) / 1000, 1)
        const what = found.status === 'done' ? `${show(found.total, 0)} records` : `“${found.error}”`
        return {
          remark: `${found.status} after ${took} s: ${what.slice(0, REMARK)}`,
          project: found.projectId,
          records: found.total,
        }
      }
      await sleep(PAUSE)
    }
  } finally {
    asking.close()
  }
}

/** The limit of the write lock for an import, in milliseconds: of one record, of which there are 200,000 at most. */
const LOCK_OF_RECORD = 0.05
const LOCK = 200_000 * LOCK_OF_RECORD

/** Only an import. */
const imports = (
  title: string,
  format: string,
  file: (isFull: boolean) => Buffer | Promise<Buffer>,
): Row => ({
  title: `import of ${title}`,
  data: 'one-word',
  isSignedIn: true,
  lock: LOCK,
  run: async (situation) => {
    const { remark } = await importFile(situation, format, await file(situation.scale === 'full'))
    return remark
  },
})

/** An import of a single card, followed by typical requests about that card, all of which must succeed. */
const importsCard = (title: string, file: (isFull: boolean) => Buffer): Row => ({
  title: `import of ${title}; then GET, PATCH, move, a new step, DELETE`,
  data: 'one-word',
  isSignedIn: true,
  run: async (situation) => {
    const { client, member: cookie } = situation
    const { remark, project } = await importFile(situation, 'trello', file(situation.scale === 'full'))
    if (project === undefined) throw new Error(`the import of ${title}: ${remark}`)
    const path = `${projectPath(project)}/kanban-items`
    const { text } = await client.send('GET', path, undefined, { cookie, isWanted: true })
    const id = JSON.parse(text)[0]?.id
    const ask = async (method: string, path: string, body?: unknown) => {
      const { status } = await client.send(method, path, body, { cookie })
      if (!isSuccess(status)) throw new Error(`${method} ${path} was answered with ${status}`)
    }
    await ask('GET', itemPath(id))
    await ask('GET', `${itemPath(id)}/subtasks`)
    await ask('GET', projectPath(project))
    await ask('GET', LIST_PATH)
    await ask('PATCH', itemPath(id), { priority: 'high' })
    await ask('POST', movePath(id), { column: 'List 1', position: 'top' })
    await ask('POST', `${itemPath(id)}/subtasks`, { title: 'Another step' })
    await ask('GET', `/api/kanban-items?q=step`)
    await ask('GET', `${itemPath(id)}/changes`)
    await ask('DELETE', itemPath(id))
    return remark
  },
})

/** The path of a row's archive. */
const archiveBeside = ({ file }: Situation) => `${file}-archive.zip`

/** Creates an archive with a given number of cards, each with a label, a comment and two subtasks. */
async function makeArchive(situation: Situation): Promise<void> {
  const file = `${situation.file}-archive.db`
  const { db, close } = openDatabase(`file:${file}`)
  try {
    importAtOnce(
      db,
      planBoard(toSourceBoard(trelloBoardIn(JSON.parse(trelloBoard(ARCHIVED[situation.scale]).toString())))),
      null,
    )
    await exportArchive(db.$client, archiveBeside(situation), { force: true, onProgress: () => undefined })
  } finally {
    close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
  }
}

/** The number of cards in an archive of 120,000 records. */
const ARCHIVED = { full: 24_000, small: 200 }

/** The rows by their command-line names. */
export const IMPORTS: Record<string, Row> = {
  'import-chain': imports(
    'a Kanboard database of 28 KiB that reads as 2 GB: its rows share one chain of pages',
    'kanboard',
    (isFull) => sharedChainDatabase(isFull ? {} : { rows: 10 }),
  ),
  'import-chain-text': imports('the same with texts in place of bytes, as comments', 'kanboard', (isFull) =>
    sharedChainDatabase({ type: 'text', table: 'comments', ...(!isFull && { rows: 10 }) }),
  ),
  'import-default': imports(
    'a Kanboard database of 1 MB that reads as 2 GB: a column has a large default',
    'kanboard',
    (isFull) => sharedDefaultDatabase(isFull ? {} : { rows: 10, bytes: 10 }),
  ),
  'import-arrays': imports('80 million empty arrays as JSON, packed', 'planka', (isFull) =>
    packedArrays(isFull ? 80_000_000 : 1000),
  ),
  'import-arrays-plain': imports('35 million empty arrays as JSON, 100 MiB', 'trello', (isFull) =>
    emptyArrays(isFull ? 34_900_000 : 1000),
  ),
  'import-shared-trello': imports(
    '10,000 cards of Trello that share 10,000 comments and 10,000 entries',
    'trello',
    (isFull) => (isFull ? trelloShared(10_000, 10_000) : trelloShared(10, 10)),
  ),
  'import-shared-planka': imports(
    '10,000 cards of Planka that share 10,000 comments, tasks and labels',
    'planka',
    (isFull) => (isFull ? plankaShared(10_000, 10_000) : plankaShared(10, 10)),
  ),
  'import-shared-kanboard': imports(
    '10,000 tasks of Kanboard that share 10,000 comments, subtasks and tags',
    'kanboard',
    (isFull) => (isFull ? kanboardShared(10_000, 10_000) : kanboardShared(10, 10)),
  ),
  'import-large-card': importsCard('a card with a description of 1.9 MB', (isFull) =>
    trelloLargeCard(isFull ? 1_900_000 : 40_000),
  ),
  'import-steps': importsCard('a card with 1000 steps', (isFull) => trelloManyEntries(isFull ? 1000 : 500)),
  'import-archive': {
    title: 'import of an archive of 120,000 records by an admin, beside 8 writers',
    data: 'history',
    isSignedIn: true,
    timeout: 120,
    lock: 120_000 * LOCK_OF_RECORD,
    warmUp: makeArchive,
    run: async (situation) => {
      const { client, cookie } = situation
      const archive = readFileSync(archiveBeside(situation))
      return besideWriters(
        writersOf(situation),
        async () => (await importFile({ client, member: cookie }, 'phaseboard', archive)).remark,
      )
    },
  },
}
