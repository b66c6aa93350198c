/** What a page costs: bytes, requests, frames, tasks and memory. */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { debuggerOf } from './gestures.ts'

/** A request as the network saw it: sizes with headers, in bytes, as they came. */
export interface Loaded {
  url: string
  type: string
  bytes: number
  /** How many requests had to be answered before this one could be sent: 0 for the page, 1 for what its HTML names. */
  round: number
}

/**
 * Loads an address with nothing cached, and tells what came until the page was there.
 * @param isThere resolves when that is
 */
export async function loadAfresh(
  page: Page,
  url: string,
  isThere: () => Promise<unknown>,
): Promise<Loaded[]> {
  const session = await debuggerOf(page)
  const loaded = new Map<string, Loaded & { initiator: string | undefined }>()
  session.on('Network.requestWillBeSent', ({ requestId, request, type = '', initiator }) => {
    const by = initiator.type === 'other' ? undefined : (initiator.url ?? initiator.stack?.callFrames[0]?.url)
    loaded.set(requestId, { url: request.url, type, bytes: 0, round: 0, initiator: by })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = loaded.get(requestId)
    if (one !== undefined) one.bytes = encodedDataLength
  })
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.goto(url)
  await isThere()
  await session.send('Network.disable')
  const all = [...loaded.values()]
  const roundOf = (asked: string | undefined): number =>
    asked === undefined ? 0 : 1 + roundOf(all.find((one) => one.url === asked && asked !== url)?.initiator)
  return all.map(({ initiator, ...one }) => ({ ...one, round: roundOf(initiator) }))
}

/** Slows a page's scripts down. @param rate how many times, 1 for not at all */
export async function throttle(page: Page, rate: number): Promise<void> {
  await (await debuggerOf(page)).send('Emulation.setCPUThrottlingRate', { rate })
}

/** Milliseconds: between frames, and of tasks that took more than 50. */
export interface Frames {
  deltas: number[]
  longTasks: number[]
}

interface Recording extends Frames {
  end: () => void
}

/** Records frames and long tasks of a page during something. */
export async function frames(page: Page, during: () => Promise<unknown>): Promise<Frames> {
  await page.evaluate(() => {
    const deltas: number[] = []
    const longTasks: number[] = []
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longTasks.push(duration)
    })
    observer.observe({ type: 'longtask' })
    let latest = performance.now()
    let next = 0
    const tick = () => {
      const now = performance.now()
      deltas.push(now - latest)
      latest = now
      next = requestAnimationFrame(tick)
    }
    next = requestAnimationFrame(tick)
    const end = () => {
      cancelAnimationFrame(next)
      for (const { duration } of observer.takeRecords()) longTasks.push(duration)
      observer.disconnect()
    }
    Object.assign(window, { recording: { deltas, longTasks, end } })
  })
  await during()
  return page.evaluate(() => {
    const { deltas, longTasks, end } = (window as unknown as { recording: Recording }).recording
    end()
    // The first one began before there was a frame.
    return { deltas: deltas.slice(1), longTasks }
  })
}

/**
 * Asserts that something can be as good as it has to be: measures it until it is, a few times at most. A busy machine makes it worse
 * than it is, never better.
 */
export async function bestOf(
  t: Test,
  tries: number,
  measure: () => Promise<number>,
  isGood: (value: number) => boolean,
  what: string,
): Promise<void> {
  const values: number[] = []
  while (values.length < tries && !values.some(isGood)) values.push(await measure())
  t.ok(values.some(isGood), `${values.map((value) => value.toFixed(1)).join(', ')} ${what}`)
}

/** The bytes that a page's scripts hold on to. */
export async function heap(page: Page): Promise<number> {
  const session = await debuggerOf(page)
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

/** How many elements a document has that a selector finds. */
export const countOf = (page: Page, selector: string): Promise<number> => page.locator(selector).count()
