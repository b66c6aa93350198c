/** Concurrent writers: each sends one write after another, waiting for the response. */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { itemPath } from './api.ts'
import { show } from './format.ts'
import { makeClient } from './stall-client.ts'

/** The number of writers, and their pause before the next write, in milliseconds. */
const WRITERS = 8
const PAUSE = 20

/** How long their last responses are awaited, in milliseconds. */
const TIMEOUT = 10_000

/** The target of their writes. */
interface Writing {
  port: number
  cookie: string
  /** The items that they rename. */
  items: readonly string[]
}

/** Starts writing. @returns a function that ends it, and summarizes the results */
function startWriting({ port, cookie, items }: Writing): () => Promise<string> {
  const client = makeClient(port)
  const failed = new Map<number | string, number>()
  const fail = (why: number | string) => failed.set(why, (failed.get(why) ?? 0) + 1)
  const under = new Map<number, number>()
  let isOver = false
  let count = 0
  let longest = 0
  const see = (begin: number) => {
    longest = Math.max(longest, performance.now() - begin)
  }
  const writing = Array.from({ length: WRITERS }, async (_, writer) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let n = 0; !isOver; n++) {
      const path = itemPath(items[(writer + n * WRITERS) % items.length] ?? '')
      const begin = performance.now()
      under.set(writer, begin)
      try {
        const { status } = await client.send('PATCH', path, `{"title":"${n}"}`, { cookie, agent })
        if (status !== 200) fail(status)
      } catch {
        // When a row ends, the service may end during a write.
        if (!isOver) fail('connection lost')
      }
      under.delete(writer)
      see(begin)
      count += 1
      await sleep(PAUSE)
    }
  })
  return async () => {
    isOver = true
    const waiting = new AbortController()
    await Promise.race([
      Promise.all(writing).finally(() => waiting.abort()),
      sleep(TIMEOUT, undefined, waiting).catch(() => undefined),
    ])
    for (const begin of under.values()) see(begin)
    client.close()
    const failures = [...failed].map(([why, times]) => `${times} failed with ${why}`)
    const writes = [`others wrote ${count} times`, ...failures, `longest wait ${show(longest, 0)} ms`]
    return writes.join(', ')
  }
}

/** Runs the writers while something else runs. @returns the results of both */
export async function besideWriters(writing: Writing, work: () => Promise<unknown>): Promise<string> {
  const end = startWriting(writing)
  const result = await work().catch(async (error) => {
    await end()
    throw error
  })
  return [result, await end()].filter((one) => typeof one === 'string' && one !== '').join('; ')
}
