/** Measures the cost of a page: bytes, requests, frames, tasks and memory. */
import type { Page } from 'playwright-core'
import { debuggerOf } from './gestures.ts'

/** A request on the network: transferred sizes in bytes, including headers. */
interface Loaded {
  url: string
  type: string
  bytes: number
  /** The number of requests that had to complete before this one: 0 for the page, 1 for what its HTML references. */
  round: number
}

/**
 * Loads a URL with an empty cache, and returns the requests until the page is there.
 * @param isThere resolves at that moment
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

/** Slows down a page's scripts. @param rate the factor, 1 for none */
export async function throttle(page: Page, rate: number): Promise<void> {
  await (await debuggerOf(page)).send('Emulation.setCPUThrottlingRate', { rate })
}

/** Milliseconds: between frames, and of tasks longer than 50. */
interface Frames {
  deltas: number[]
  longTasks: number[]
}

interface Recording extends Frames {
  end: () => void
}

/** Records the frames and long tasks of a page during an action. */
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
    // The frame's own time: that of the callback varies by some milliseconds on an idle page, too.
    const tick = (now: number) => {
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
    // The first task started before there was a frame.
    return { deltas: deltas.slice(1), longTasks }
  })
}

/** The size of a page's JavaScript heap, in bytes. */
export async function heap(page: Page): Promise<number> {
  const session = await debuggerOf(page)
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

/** The number of elements in a document that match a selector. */
export const countOf = (page: Page, selector: string): Promise<number> => page.locator(selector).count()
