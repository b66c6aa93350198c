/**
 * Watches a service's event loop from outside: it polls the health on its own connection and in its own thread, so that the
 * benchmark's own work does not count as a stall.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { waitedForProcessor } from './process-usage.ts'
import { OWN_THREAD, waitOf } from './thread-usage.ts'

/** Milliseconds between a response and the next poll. */
const PAUSE = 2

/** The assumed polling interval in milliseconds. Polls that a stall has prevented count as waiting too. */
const INTERVAL = 5

/**
 * How long the service took to respond, in milliseconds, minus the waiting time of its thread and of this one for a processor.
 * On a busy machine that would look like a stall.
 */
export interface Health {
  /** The longest stall. */
  longest: number
  /** The longest wait, without subtraction. */
  longestSeen: number
  p50: number
  p99: number
  /** Whether the service still listened at the end. */
  isAlive: boolean
}

/** Watches until the results are requested. */
export interface Watch {
  /** The longest stall since the last lap, or since the start; for one of several requests. */
  lap: () => Promise<number>
  end: () => Promise<Health>
}

/** Starts watching. @param server the service's process and its address on 127.0.0.1 */
export async function watch({ port, pid }: { port: number; pid: number }): Promise<Watch> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port, pid } })
  const next = async <T>(): Promise<T> => (await once(worker, 'message'))[0]
  await next()
  return {
    lap: () => {
      worker.postMessage('lap')
      return next()
    },
    end: async () => {
      worker.postMessage('end')
      const health = await next<Health>()
      await worker.terminate()
      return health
    },
  }
}

/** The waiting time of each poll, including those that a stall prevented. */
function waits(latencies: number[]): number[] {
  const all = latencies.flatMap((latency) => {
    const missed = Math.floor(latency / INTERVAL)
    return Array.from({ length: missed + 1 }, (_, position) => latency - position * INTERVAL)
  })
  return all.sort((one, other) => one - other)
}

/** How long a process's event loop, and then this thread after the response, have waited for a processor, in milliseconds. */
const waitedBy = (pid: number): number => waitedForProcessor(pid) + waitOf(OWN_THREAD)

function run(port: number, pid: number): void {
  const latencies: number[] = []
  let longestSeen = 0
  let longestOfLap = 0
  let asked = 0
  let waited = 0
  let isWaiting = false
  let isAlive = true
  const socket = connect(port, '127.0.0.1')
  function ask() {
    if (!isAlive) return
    isWaiting = true
    waited = waitedBy(pid)
    asked = performance.now()
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  }
  /** Minus the waiting time for a processor. */
  const stallOf = (seen: number) => Math.max(0, seen - Math.max(0, waitedBy(pid) - waited))
  function note() {
    const seen = performance.now() - asked
    const stall = stallOf(seen)
    longestSeen = Math.max(longestSeen, seen)
    longestOfLap = Math.max(longestOfLap, stall)
    latencies.push(stall)
  }
  socket.setNoDelay()
  socket.on('data', (answer) => {
    if (!answer.toString('latin1').endsWith('}')) return
    isWaiting = false
    note()
    if (latencies.length === 1) parentPort?.postMessage('ready')
    setTimeout(ask, PAUSE)
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isAlive = false
  })
  socket.on('connect', ask)
  parentPort?.on('message', (message) => {
    if (message === 'lap') {
      const current = isWaiting ? stallOf(performance.now() - asked) : 0
      parentPort?.postMessage(Math.max(longestOfLap, current))
      longestOfLap = 0
      return
    }
    if (isWaiting) note()
    const all = waits(latencies.slice(1))
    const share = (part: number) => all[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0
    const health: Health = {
      longest: all.at(-1) ?? 0,
      longestSeen,
      p50: share(0.5),
      p99: share(0.99),
      isAlive,
    }
    parentPort?.postMessage(health)
  })
}

if (workerData?.port) run(workerData.port, workerData.pid)
