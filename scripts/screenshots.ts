/**
 * Takes README's screenshots of the board page, `docs/images/*.png`, with an imported Trello board, and
 * a project with twelve weeks of history.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { createClient } from '../src/client/client.ts'
import type { Client } from '../src/client/types.d.ts'
import { seededRandom } from '../test/random.ts'
import { launch, noBrowser } from '../test/web/chromium.ts'

const root = resolve(import.meta.dirname, '..')
const DAY = 24 * 60 * 60 * 1000
const WEEKS = 12
const TASKS = ['Call', 'Choose', 'Order', 'Print', 'Rent', 'Invite', 'Plan', 'Write to']
const THINGS = [
  'the band',
  'the caterer',
  'flyers',
  'the hall',
  'tents',
  'guests',
  'the press',
  'sponsors',
  'lights',
]
/** Columns after the first, and the average days that cards stay before moving there. */
const WAY = [
  ['In Progress', 4],
  ['Review', 3],
  ['Done', 2],
] as const

/** Starts the built service on a file. @returns its address, once it listens */
async function serve(file: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const service = spawn(process.execPath, ['dist/cli.js', 'serve'], {
    cwd: root,
    env: { ...process.env, PORT: '0', DATABASE_URL: `file:${file}`, AUTH_MODE: 'open', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.on('exit', () => service.kill('SIGKILL'))
  const exited = once(service, 'exit')
  const stop = async () => {
    service.kill()
    await exited
  }
  for await (const line of service.stdout) {
    const address = /listening on (http:\S+)/.exec(String(line))?.[1]
    if (address !== undefined) return { url: address, stop }
  }
  throw new Error('the service ended before it listened')
}

/** The imported board, with people and dates. */
async function importBoard(client: Client): Promise<string> {
  const { id } = await client.post('/api/imports', {
    query: { format: 'trello' },
    body: await readFile(join(root, 'test/fixtures/trello-board.json'), 'utf8'),
  })
  for (;;) {
    const { status, projectId, error } = await client.get('/api/imports/{id}', { path: { id } })
    if (projectId !== undefined) return projectId
    if (status === 'failed') throw new Error(error)
    await new Promise((done) => setTimeout(done, 50))
  }
}

async function dressBoard(client: Client, id: string): Promise<void> {
  const path = { id }
  await client.patch('/api/projects/{id}', { path, body: { status: 'active', phase: 'Development' } })
  const { kanbanItems } = await client.get('/api/projects/{id}', { path })
  const shown = kanbanItems.filter(({ dismissed }) => !dismissed)
  const people = await client.get('/api/people', { query: { kind: 'import' } })
  for (const [index, { id: itemId }] of shown.entries()) {
    await client.patch('/api/kanban-items/{id}', {
      path: { id: itemId },
      body: {
        assigneeId: index % 4 === 3 ? null : (people[index % people.length]?.id ?? null),
        priority: ['medium', 'high', 'medium', 'low'][index % 4] as string,
      },
    })
  }
  const columns = await client.get('/api/projects/{id}/kanban-columns', { path })
  const doing = columns.find(({ name }) => name === 'Doing')
  if (doing) await client.patch('/api/kanban-columns/{id}', { path: { id: doing.id }, body: { wipLimit: 1 } })
}

/** A project with twelve weeks of finished cards: created through the API, then backdated in the file. */
async function workThrough(client: Client, file: string): Promise<string> {
  const random = seededRandom(2)
  const now = Date.now()
  const { id } = await client.post('/api/projects', {
    body: { name: 'Spring campaign', type: 'business', status: 'active' },
  })
  const pasts: { id: string; times: number[] }[] = []
  for (let index = 0; index < TASKS.length * THINGS.length; index++) {
    const title = `${TASKS[index % TASKS.length]} ${THINGS[index % THINGS.length]}`
    const item = await client.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title } })
    const times = [now - (1 + random() * WEEKS * 7) * DAY]
    for (const [column, days] of WAY) {
      const time = (times.at(-1) as number) + (0.2 + random() * 2 * days) * DAY
      if (time > now) break
      await client.post('/api/kanban-items/{id}/move', { path: { id: item.id }, body: { column } })
      times.push(time)
    }
    pasts.push({ id: item.id, times })
  }
  const iso = (time = 0) => new Date(time).toISOString()
  const database = new SQLite(file)
  const born = database.prepare('update kanban_items set created_at = ? where id = ?')
  const entries = database
    .prepare<[string], string>('select id from kanban_activity where item_id = ? order by id')
    .pluck()
  const moved = database.prepare('update kanban_activity set created_at = ? where id = ?')
  database.transaction(() => {
    for (const { id: itemId, times } of pasts) {
      born.run(iso(times[0]), itemId)
      for (const [index, entry] of entries.all(itemId).entries()) moved.run(iso(times[index + 1]), entry)
    }
  })()
  database.close()
  return id
}

async function take(page: Page, url: string, name: string, height: number): Promise<void> {
  await page.setViewportSize({ width: 1280, height })
  await page.goto(url)
  await page.waitForLoadState('load')
  await page.getByText('Live', { exact: true }).waitFor()
  // Cards get their numbers of comments and files once they are shown.
  await page.waitForTimeout(3000)
  await page.screenshot({ path: join(root, 'docs/images', `${name}.png`) })
  console.log(`docs/images/${name}.png`)
}

if (noBrowser) throw new Error(noBrowser)
const folder = await mkdtemp(join(tmpdir(), 'phaseboard-screenshots-'))
try {
  const file = join(folder, 'board.db')
  const { url, stop } = await serve(file)
  const client = createClient({ baseUrl: url })
  const board = await importBoard(client)
  await dressBoard(client, board)
  const flow = await workThrough(client, file)
  const browser = await launch()
  const page = await browser.newPage({ locale: 'en-GB', colorScheme: 'light' })
  await take(page, `${url}/projects/${board}`, 'board', 520)
  await take(page, `${url}/projects/${flow}/flow`, 'flow', 860)
  await browser.close()
  // It writes to the folder until it has ended.
  await stop()
} finally {
  await rm(folder, { recursive: true, force: true })
}
