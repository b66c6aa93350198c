/** Attacks by a viewer or a member within their rights: searches, lists, streams, batches, repeated requests. */
import { statSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { itemPath, LIST_PATH, projectPath, searchPath } from './api.ts'
import { show } from './format.ts'
import { makeClient } from './stall-client.ts'
import { COMMON_WORDS, change, type DataName, newestWhere } from './stall-data.ts'
import {
  BATCH_LOCK,
  BATCH_PATH,
  ITEMS_PATH,
  type Row,
  type Situation,
  STALLED_WATCH,
  stopReading,
} from './stall-rows.ts'
import { besideWriters } from './stall-writers.ts'
import { times } from './times.ts'

const CHANGES_PATH = '/api/changes'
const itemsOf = (project: string) => `${projectPath(project)}/kanban-items`
const undoPath = (seq: number | string) => `${CHANGES_PATH}/${seq}/undo`

const seconds = (begin: number) => (performance.now() - begin) / 1000

/** The given number on the full data, or a few on small data. */
const count = ({ scale }: Situation, full: number, small = Math.ceil(full / 20)) =>
  scale === 'full' ? full : small

/** A separate connection. */
const alone = () => new Agent({ keepAlive: true, maxSockets: 1 })

/** Where the uninvolved writers write. */
export const writersOf = ({ client: { port }, other, aside }: Situation) => ({
  port,
  cookie: other,
  items: aside,
})

/** A viewer searches for several texts, one after another. */
const search = (title: string, data: DataName, ...texts: string[]): Row => ({
  title,
  data,
  isSignedIn: true,
  run: async ({ client, viewer }) => {
    for (const text of texts) await client.send('GET', searchPath(text), undefined, { cookie: viewer })
  },
})

const REPEATED = 'q '.repeat(50).trim()
const DISTINCT = COMMON_WORDS.join(' ')
/** Fewer words than a search may have. */
const FEWER = COMMON_WORDS.slice(0, 20).join(' ')
const PREFIX = 'w'

/** Seconds within which the service must shut down, whatever it is doing. */
const ENDING = 12
/** Seconds after which it is killed. */
const ENDED = 40

/** Starts searches, tells the service to shut down, and waits for that. */
async function endWhileSearching(situation: Situation) {
  const { client, viewer, pid } = situation
  const searching = [PREFIX, FEWER, 'q', REPEATED].map((text) =>
    client
      .send('GET', searchPath(text), undefined, { cookie: viewer, agent: alone() })
      .catch(() => undefined),
  )
  await Promise.race([Promise.all(searching), sleep(1000)])
  const begin = performance.now()
  process.kill(pid, 'SIGTERM')
  while (isAlive(pid) && seconds(begin) < ENDED) await sleep(50)
  const took = seconds(begin)
  if (isAlive(pid)) return { remark: `did not end within ${ENDED} s`, isOver: true }
  return { remark: `ended ${show(took, 1)} s after SIGTERM`, isOver: took > ENDING }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** One client floods the service, and another sends a single request half a second later. @returns how long the other waits */
async function flood(
  { client, member, other }: Situation,
  paths: readonly string[],
  wanted: string,
): Promise<string> {
  const flooding = Promise.all(
    paths.map((path) =>
      client.send('GET', path, undefined, { cookie: member, agent: alone() }).catch(() => undefined),
    ),
  )
  await sleep(500)
  const another = makeClient(client.port)
  const begin = performance.now()
  try {
    const { status } = await another.send('GET', wanted, undefined, { cookie: other })
    const waited = seconds(begin)
    const began = performance.now()
    await flooding
    return `the other got ${status} after ${show(waited, 1)} s, the flood ended ${show(seconds(began), 1)} s later`
  } finally {
    another.close()
  }
}

/** Different lists of the same size. A cache of one is of no use for another. */
const heavyLists = ({ project }: Situation, several: number) =>
  times(several, (n) => `${itemsOf(project)}?dismissed=all&updatedAfter=2026-01-01T00:00:00.${100 + n}Z`)

/** Batches of reads of a large list. */
async function batchesOfReads(situation: Situation): Promise<void> {
  const { client, viewer, project } = situation
  const requests = times(200, () => ({ method: 'GET', path: itemsOf(project) }))
  await Promise.all(
    times(3, () => client.send('POST', BATCH_PATH, { requests }, { cookie: viewer, agent: alone() })),
  )
}

/** Bulk PATCHes of 500 items each. A body is too small for all of their ids, so a placeholder stands for them. */
async function batchOfBulks({ client, member, items }: Situation): Promise<void> {
  const named = { name: 'Ids', metadata: { ids: items.slice(0, 500) } }
  const bulks = times(199, (position) => ({
    method: 'PATCH',
    path: ITEMS_PATH,
    body: { ids: '{{named.metadata.ids}}', update: { priority: `bulk ${position}` } },
  }))
  const requests = [{ method: 'POST', path: LIST_PATH, body: named, as: 'named' }, ...bulks]
  await client.send('POST', BATCH_PATH, { requests }, { cookie: member })
}

/** Kinds with no or few changes in the data. */
const RARE = [
  'transcript-summary',
  'metric',
  'objective',
  'personal-idea',
  'team-assignment',
  'kanban-comment',
]

/** Long polls that find nothing. Each first searches all changes. */
async function pollWithout(situation: Situation): Promise<string> {
  const { client, viewer, project, items } = situation
  const wait = count(situation, 30, 1)
  const filters = times(count(situation, 300), (n) => {
    const kind = RARE.filter((_, bit) => (n + 1) & (1 << bit)).join(',') || 'metric'
    return [
      `after=0&kind=${kind}`,
      `after=0&projectId=${project}&kind=${kind}`,
      `after=0&itemId=${items[n % items.length]}&kind=${kind}`,
      `after=${n}&kind=${kind}`,
    ][n % 4]
  })
  const begin = performance.now()
  await Promise.all(
    filters.map((filter) =>
      client.send('GET', `${CHANGES_PATH}?wait=${wait}&${filter}`, undefined, {
        cookie: viewer,
        agent: alone(),
      }),
    ),
  )
  return `all answered after ${show(seconds(begin), 0)} s`
}

/** One member opens streams. Then another one opens a stream, and something changes. */
async function manyStreams(situation: Situation): Promise<string> {
  const { client, member, other, aside } = situation
  const streams = times(count(situation, 900), () => client.stall('/api/changes/stream', member))
  for (const stream of streams) stream.resume()
  await sleep(count(situation, 5000, 300))
  const another = client.stall('/api/changes/stream', other)
  const heard = new Promise<string>((resolve) => {
    let text = ''
    another.on('data', (bytes) => {
      text += bytes
      if (text.includes('"kind"')) resolve('heard of it')
      else if (/^HTTP\/1.1 [45]/.test(text)) resolve(`was answered ${text.slice(9, 12)}`)
    })
    another.resume()
  })
  await sleep(500)
  const begin = performance.now()
  await client.send('PATCH', itemPath(aside[0] ?? ''), { title: 'Heard of' }, { cookie: other })
  const result = await Promise.race([heard, sleep(20_000, 'heard nothing for 20 s')])
  return `another with a stream ${result} after ${show(seconds(begin), 1)} s`
}

/** The size of a database with its log. */
const sizeOf = (file: string) =>
  [file, `${file}-wal`].reduce((sum, part) => sum + (statSync(part, { throwIfNoEntry: false })?.size ?? 0), 0)

/** The time limit for repeated requests, in milliseconds. */
const REPEATING = 45_000

/** Repeats a small write with different keys. @returns the growth of the file */
async function repeatWithKeys(
  situation: Situation,
  path: string,
  bodyOf: (position: number) => unknown,
): Promise<string> {
  const { client, member, file } = situation
  const before = sizeOf(file)
  const all = count(situation, 1000, 20)
  const end = performance.now() + REPEATING
  let sent = 0
  const lanes = times(4, async () => {
    const agent = alone()
    while (sent < all && performance.now() < end) {
      const position = sent++
      const headers = { 'idempotency-key': `key-${position}` }
      await client.send('PATCH', path, bodyOf(position), { cookie: member, agent, headers })
    }
  })
  await Promise.all(lanes)
  return `${sent} of ${all} sent, the file grew by ${show((sizeOf(file) - before) / 1e6, 0)} MB`
}

const ODD = `insert into changes (kind, id, action, project_id, item_id, before, after)
  select 'kanban-item', id, 'updated', project_id, id, '{"title":"Bro', 'no JSON' from kanban_items limit 1`

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The rows by their command-line names. */
export const ATTACKS: Record<string, Row> = {
  'search-word-small': search(
    'search for the one word of 3 texts of 100,000 characters, in a file below 2 MiB',
    'one-word',
    'q',
  ),
  'search-repeated-small': search('the same, for that word 50 times', 'one-word', REPEATED),
  'search-word': search('search for the one word of 3 texts beside 500 MB of others', 'long-texts', 'q'),
  'search-repeated': search('the same, for that word 50 times', 'long-texts', REPEATED),
  'search-distinct': search(
    'search for 50 words that occur everywhere in 5,000 texts of 100,000 characters, and for 20 of them',
    'long-texts',
    DISTINCT,
    FEWER,
  ),
  'search-prefix': search('search for all words of these that begin with `w`', 'long-texts', PREFIX),
  'search-flood': {
    title: '8 such searches of a member at once; another asks for an item',
    data: 'long-texts',
    isSignedIn: true,
    run: (situation) =>
      flood(
        situation,
        times(8, () => searchPath(PREFIX)),
        itemPath(situation.aside[0] ?? ''),
      ),
  },
  'search-end': {
    title: 'SIGTERM while such searches run',
    data: 'long-texts',
    isSignedIn: true,
    ends: true,
    run: endWhileSearching,
  },
  'batch-reads': {
    title: '3 batches of 200 reads of 20,000 items by a viewer, beside 8 writers',
    data: 'history',
    refusal: 413,
    isSignedIn: true,
    run: (situation) => besideWriters(writersOf(situation), () => batchesOfReads(situation)),
  },
  'batch-bulks': {
    title: 'batch of 199 bulk PATCHes of 500 items, beside 8 writers',
    data: 'history',
    refusal: 413,
    lock: BATCH_LOCK,
    isSignedIn: true,
    run: (situation) => besideWriters(writersOf(situation), () => batchOfBulks(situation)),
  },
  'undo-import': {
    title: 'undo of an import of 200,000 records, beside 8 writers',
    data: 'imported',
    isSignedIn: true,
    run: (situation) =>
      besideWriters(writersOf(situation), () => {
        const { seq } = newestWhere(situation.file, `kind = 'kanban-comment'`)
        return situation.client.send('POST', undoPath(seq), undefined, { cookie: situation.cookie })
      }),
  },
  'delete-beside': {
    title: 'DELETE project with 20,000 items and 200,000 changes, beside 8 writers',
    data: 'history',
    isSignedIn: true,
    run: (situation) =>
      besideWriters(writersOf(situation), () =>
        situation.client.send('DELETE', projectPath(situation.project), undefined, {
          cookie: situation.cookie,
        }),
      ),
  },
  'undo-deletion': {
    title: 'undo of that deletion, beside 8 writers',
    data: 'history',
    isSignedIn: true,
    warmUp: ({ client, project, cookie }) =>
      client.send('DELETE', projectPath(project), undefined, { cookie }),
    run: (situation) => {
      const { file, client, cookie } = situation
      const { seq } = newestWhere(file, `kind = 'project' and action = 'deleted'`)
      return besideWriters(writersOf(situation), () =>
        client.send('POST', undoPath(seq), undefined, { cookie }),
      )
    },
  },
  polls: {
    title: '300 long polls with different filters that find nothing in 200,000 changes, beside 8 writers',
    data: 'history',
    isSignedIn: true,
    timeout: 120,
    run: (situation) => besideWriters(writersOf(situation), () => pollWithout(situation)),
  },
  'list-flood': {
    title: '50 lists of 20,000 items of a member at once; another asks for one',
    data: 'history',
    isSignedIn: true,
    run: (situation) => {
      const [wanted = '', ...paths] = heavyLists(situation, count(situation, 51))
      return flood(situation, paths, wanted)
    },
  },
  'list-flood-small': {
    title: 'the same; another asks for the items of a small project',
    data: 'history',
    isSignedIn: true,
    run: (situation) =>
      flood(situation, heavyLists(situation, count(situation, 50)), itemPath(situation.aside[0] ?? '')),
  },
  streams: {
    title: '900 streams of one member; another opens one',
    data: 'history',
    isSignedIn: true,
    run: manyStreams,
  },
  'stopped-readers-400': {
    title: '400 connections that do not read 12 MB answers',
    data: 'board',
    timeout: STALLED_WATCH + 15,
    run: (situation) => stopReading(situation, count(situation, 400)),
  },
  'keys-project': {
    title: '1,000 times PATCH of a project of 12 MB, each with its own Idempotency-Key',
    data: 'history',
    isSignedIn: true,
    timeout: 75,
    run: (situation) =>
      repeatWithKeys(situation, projectPath(situation.project), (n) => ({ nextStep: `Step ${n}` })),
  },
  'keys-bulk': {
    title: '1,000 times bulk PATCH of 500 items, each with its own Idempotency-Key',
    data: 'history',
    isSignedIn: true,
    timeout: 75,
    run: (situation) =>
      repeatWithKeys(situation, ITEMS_PATH, (n) => ({
        ids: situation.items.slice(0, 500),
        update: { priority: `p${n}` },
      })),
  },
  'odd-change': {
    title: 'a foreign tool wrote a change with invalid JSON: the feed, and two histories',
    data: 'history',
    isSignedIn: true,
    prepare: (db) => change(db, ODD),
    run: async (situation) => {
      const { client, viewer, project, file } = situation
      const { seq, id } = newestWhere(file, `after = 'no JSON'`)
      const ask = async (path: string) => {
        const { status, text } = await client.send('GET', path, undefined, { cookie: viewer, isWanted: true })
        return { status, isRead: isJson(text) }
      }
      const feed = await ask(`${CHANGES_PATH}?after=${seq - 1}`)
      const history = await ask(`${itemPath(id)}/changes`)
      const ofProject = await ask(`${projectPath(project)}/changes`)
      const wrong = [feed, history, ofProject].filter(({ status, isRead }) => status !== 200 || !isRead)
      return { remark: `${wrong.length} of 3 are refused, or no JSON`, isOver: wrong.length > 0 }
    },
  },
}
