/** Drags by mouse and by touch. */
import { setTimeout as wait } from 'node:timers/promises'
import type { CDPSession, Locator, Page } from 'playwright-core'

/** A point in the viewport, in CSS pixels. */
export interface Point {
  x: number
  y: number
}

/** How to drag: by touch instead of the mouse, and the drop position on the target as fractions of its size. */
interface DragOptions {
  touch?: boolean
  at?: Point
}

/** A running drag. */
export interface Held {
  /** Moves on without dropping. */
  moveTo: (to: Locator | Point, at?: Point) => Promise<void>
  drop: () => Promise<void>
}

const MIDDLE: Point = { x: 0.5, y: 0.5 }
const LONG_PRESS = 450
const FRAME = 16
const STEPS = 15
/** A finger sends far more move events than a dragging mouse. */
const TOUCH_STEPS = 30

/** A target: a point, or a position on an element. */
async function pointOf(target: Locator | Point, at: Point = MIDDLE): Promise<Point> {
  if (!('boundingBox' in target)) return target
  const box = await target.boundingBox()
  if (box === null) throw new Error(`${target} is not to be seen`)
  return { x: box.x + box.width * at.x, y: box.y + box.height * at.y }
}

const between = (from: Point, to: Point, part: number): Point => ({
  x: from.x + (to.x - from.x) * part,
  y: from.y + (to.y - from.y) * part,
})

const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** The connection to a page's debugger. */
export function debuggerOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  return session
}

type TouchType = 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel'
const touch = async (page: Page, type: TouchType, ...points: Point[]) =>
  (await debuggerOf(page)).send('Input.dispatchTouchEvent', { type, touchPoints: points })

async function slide(page: Page, from: Point, to: Point): Promise<void> {
  for (let step = 1; step <= TOUCH_STEPS; step++) {
    await touch(page, 'touchMove', between(from, to, step / TOUCH_STEPS))
    await wait(FRAME)
  }
}

async function holdByTouch(page: Page, from: Point): Promise<Held> {
  let place = from
  await touch(page, 'touchStart', from)
  await wait(LONG_PRESS)
  return {
    moveTo: async (to, at) => {
      const target = await pointOf(to, at)
      await slide(page, place, target)
      place = target
    },
    drop: async () => {
      await touch(page, 'touchEnd')
    },
  }
}

async function holdByMouse(page: Page, from: Point): Promise<Held> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  // A drag starts after some pixels, and the next move reports the position.
  for (const offset of [4, 8]) await page.mouse.move(from.x + offset, from.y + offset)
  return {
    moveTo: async (to, at) => {
      const target = await pointOf(to, at)
      await page.mouse.move(target.x, target.y, { steps: STEPS })
      await page.mouse.move(target.x + 1, target.y)
    },
    drop: () => page.mouse.up(),
  }
}

/** Picks something up without moving far. */
export async function hold(page: Page, what: Locator, { touch = false }: DragOptions = {}): Promise<Held> {
  // A trial first: it waits until the element no longer moves.
  await what.click({ trial: true })
  const from = await pointOf(what)
  return touch ? holdByTouch(page, from) : holdByMouse(page, from)
}

/** Drags something to a target, and drops it there. */
export async function drag(page: Page, from: Locator, to: Locator, options: DragOptions = {}): Promise<void> {
  const held = await hold(page, from, options)
  await held.moveTo(to, options.at)
  await held.drop()
}

/** Swipes from an element without a long press, which scrolls. */
export async function swipe(page: Page, from: Locator, by: Point): Promise<void> {
  const start = await pointOf(from)
  const end = { x: start.x + by.x, y: start.y + by.y }
  await touch(page, 'touchStart', start)
  await slide(page, start, end)
  await touch(page, 'touchEnd')
}
