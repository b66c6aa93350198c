/**
 * `npm run bench:page [-- <commit>]`: what the board page costs in Chromium, with a small board and one of 4,000 cards: bytes and time until the first
 * card, also over a slow line, frames while scrolling, the time of a change, memory. With a commit, it is built and measured in alternating rounds.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { packageFile } from '../src/package-files.ts'
import { launchChromium, noBrowser } from '../test/web/chromium-file.ts'
import { debuggerOf } from '../test/web/gestures.ts'
import { countOf, frames, heap, loadAfresh, throttle } from '../test/web/measures.ts'
import { getProjects, LIST_PATH, projectPath } from './api.ts'
import { checkOut } from './checkout.ts'
import { show } from './format.ts'
import { describeMachine } from './machine.ts'
import { median } from './measure.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers, type Server } from './servers.ts'

const ROUNDS = sized(5, 1)
const FEW = 12
const MANY = sized(4000, 400)
/** A slow mobile connection: bytes per second, and milliseconds until a response begins. */
const SLOW_LINE = {
  offline: false,
  downloadThroughput: 1.6e6 / 8,
  uploadThroughput: 0.75e6 / 8,
  latency: 300,
}
const VIEWPORT = { width: 1280, height: 800 }
const WHEEL_TURNS = 60

/** What is measured, in the order of the table. Times are in milliseconds. */
const MEASURED = {
  bytes: 'bytes until the first card, small board, KB',
  first: 'first card, small board, ms',
  firstSlow: '… at 1.6 Mbit/s and 300 ms',
  manyBytes: 'bytes until the first card, 4,000 cards, KB',
  manyFirst: 'first card, 4,000 cards, ms',
  manyFirstThrottled: '… by a processor of a quarter of the speed',
  manyFirstSlow: '… at 1.6 Mbit/s and 300 ms',
  cards: 'cards in the document',
  heap: 'JavaScript heap, MB',
  frameMedian: 'frame while scrolling, ms, median',
  frame95: '… 95th percentile',
  longTasks: 'long tasks while scrolling',
  ownChange: 'own change, ms, median',
  ownChange95: '… 95th percentile',
} as const
type Results = Record<keyof typeof MEASURED, number>

const percentile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
  Number.NaN

/** A server with its two boards. */
interface Version {
  name: string
  server: Server
  paths: { small: string; large: string }
  rounds: Results[]
}

/** Opens a board in a new profile, without a cache. */
async function visit(
  browser: Browser,
  url: string,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<{ page: Page; time: number; bytes: number }> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  const page = await context.newPage()
  await prepare?.(page)
  const firstCard = page.getByRole('region', { name: 'To Do', exact: true }).getByRole('listitem').first()
  const loaded = await loadAfresh(page, url, () => firstCard.waitFor())
  const time = await page.evaluate(() => performance.now())
  return { page, time, bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** The same, closed at once. */
async function timeOf(...args: Parameters<typeof visit>): Promise<{ time: number; bytes: number }> {
  const { page, ...result } = await visit(...args)
  await page.context().close()
  return result
}

async function slowDown(page: Page): Promise<void> {
  const session = await debuggerOf(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW_LINE)
}

/** Milliseconds between frames while a column scrolls. */
async function scroll(page: Page) {
  await page.mouse.move(150, 400)
  return frames(page, async () => {
    for (let turn = 0; turn < WHEEL_TURNS; turn++) {
      await page.mouse.wheel(0, 150)
      await page.waitForTimeout(16)
    }
  })
}

/** Milliseconds from a key that dismisses the first card until it has left the document. */
async function change(page: Page): Promise<number> {
  const row = page.getByRole('region', { name: 'In Progress', exact: true }).getByRole('listitem').first()
  await row.getByRole('link').first().focus()
  await page.evaluate(() => {
    const link = document.activeElement as Element
    const changed = new Promise<number>((resolve) => {
      addEventListener(
        'keydown',
        () => {
          const begin = performance.now()
          new MutationObserver((_, observer) => {
            if (link.isConnected) return
            observer.disconnect()
            resolve(performance.now() - begin)
          }).observe(document.body, { childList: true, subtree: true })
        },
        { once: true, capture: true },
      )
    })
    Object.assign(window, { changed })
  })
  await page.keyboard.press('x')
  return page.evaluate(() => (window as unknown as { changed: Promise<number> }).changed)
}

async function measure(browser: Browser, { server: { url }, paths }: Version): Promise<Results> {
  const small = await timeOf(browser, url + paths.small)
  const smallSlow = await timeOf(browser, url + paths.small, slowDown)
  const throttled = await timeOf(browser, url + paths.large, (page) => throttle(page, 4))
  const largeSlow = await timeOf(browser, url + paths.large, slowDown)
  const { page, time, bytes } = await visit(browser, url + paths.large)
  const cards = await countOf(page, '.card-row')
  const memory = await heap(page)
  const scrolled = await scroll(page)
  const changes: number[] = []
  for (let turn = 0; turn < sized(10, 2); turn++) changes.push(await change(page))
  await page.context().close()
  return {
    bytes: small.bytes / 1000,
    first: small.time,
    firstSlow: smallSlow.time,
    manyBytes: bytes / 1000,
    manyFirst: time,
    manyFirstThrottled: throttled.time,
    manyFirstSlow: largeSlow.time,
    cards,
    heap: memory / 2 ** 20,
    frameMedian: median(scrolled.deltas),
    frame95: percentile(scrolled.deltas, 0.95),
    longTasks: scrolled.longTasks.length,
    ownChange: median(changes),
    ownChange95: percentile(changes, 0.95),
  }
}

const [commit] = commandLine(
  'bench:page',
  'Measures the board page in Chromium, and compares it with that of another commit.',
)
  .argument('[commit]', 'anything that git takes for one')
  .parse().args
if (noBrowser) throw new Error(noBrowser)
const folder = makeFolder()
const start = await buildServers(folder)
const older = commit === undefined ? undefined : checkOut(commit, folder)

// The older version creates the rows, and the newer one migrates them.
const { seedBoard } = await import(
  pathToFileURL(join(older?.checkout ?? packageFile('.'), 'bench/board.ts')).href
)
const seeded = join(folder, 'seeded.db')
seedBoard(`file:${seeded}`, { projects: 1, itemsPerProject: MANY })

/** Starts a version on its own copy of the boards. */
async function run(name: string, checkout?: string): Promise<Version> {
  const database = join(folder, `${name}.db`)
  copyFileSync(seeded, database)
  const server = await start('Phaseboard', { database, ...(checkout !== undefined && { checkout }) })
  const [large] = await getProjects(server.url)
  const small = await post(server.url, LIST_PATH, { name: 'Website relaunch' })
  for (let item = 1; item <= FEW; item++) {
    await post(server.url, `${projectPath(small.id)}/kanban-items`, { title: `Card ${item}` })
  }
  return {
    name,
    server,
    paths: { small: `/projects/${small.id}`, large: `/projects/${large?.id}` },
    rounds: [],
  }
}

async function post(url: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { id: string }
}

const versions = older ? [await run(older.name, older.checkout), await run('here')] : [await run('here')]
const browser = await launchChromium()
for (let round = 0; round < ROUNDS; round++) {
  for (const version of versions) version.rounds.push(await measure(browser, version))
  console.error(`round ${round + 1} of ${ROUNDS}: measured`)
}
await browser.close()
for (const { server } of versions) await server.stop()

const { cpu, cores, node } = describeMachine(folder)
const cell = (version: Version, key: keyof Results) =>
  show(median(version.rounds.map((round) => round[key])), 1)
console.log(`# What the board page costs

${cpu}, ${cores} cores, Node ${node}, Chromium ${browser.version()}; medians of ${ROUNDS} rounds, each with an empty cache.

| | ${versions.map(({ name }) => name).join(' | ')} |
|---|${'--:|'.repeat(versions.length)}
${Object.entries(MEASURED)
  .map(([key, title]) => {
    const cells = versions.map((version) => cell(version, key as keyof Results))
    return `| ${[title, ...cells].join(' | ')} |`
  })
  .join('\n')}`)
