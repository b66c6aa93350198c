/** The goals, and whether they are reached. */
import type { Results } from './report.ts'
import type { PerServer } from './servers.ts'
import { WORKLOADS, type Workload } from './workloads.ts'

/** One goal and what was measured. */
export interface Goal {
  title: string
  /** The least or the most that the figure may be. */
  bound: 'at least' | 'at most'
  limit: number
  /** Undefined when it was not measured. */
  measured: number | undefined
}

/** The most that readiness may take, to a bare Fastify application. */
const MOST_READY = 1.7
/** The most milliseconds that the first GET of a project may take. */
const MOST_FIRST_READ = 30
/** The most idle memory, in megabytes. */
const MOST_MEMORY = 100

/** All goals, measured or not. */
export function goalsOf({ workloads, starts, idleMemory }: Results): Goal[] {
  const ofWorkloads = Object.values<Workload>(WORKLOADS).flatMap(({ title, goal, cpuGoal }): Goal[] => {
    const figures = workloads.get(title)?.get('Phaseboard')
    const throughput = { title: `${title}: requests/s to node:http`, measured: figures?.ratio }
    const cpu = { title: `${title}: CPU per request to node:http`, measured: figures?.cpuRatio }
    return [
      ...(goal === undefined ? [] : [{ ...throughput, bound: 'at least' as const, limit: goal }]),
      ...(cpuGoal === undefined ? [] : [{ ...cpu, bound: 'at most' as const, limit: cpuGoal }]),
    ]
  })
  const toFastify = ({ Phaseboard, 'bare Fastify': fastify }: PerServer = {}) =>
    Phaseboard && fastify ? Phaseboard / fastify : undefined
  return [
    ...ofWorkloads,
    {
      title: 'ready, to bare Fastify',
      bound: 'at most',
      limit: MOST_READY,
      measured: toFastify(starts?.ready),
    },
    {
      title: 'first GET after the start, ms',
      bound: 'at most',
      limit: MOST_FIRST_READ,
      measured: starts?.firstRead,
    },
    {
      title: 'idle memory, MB',
      bound: 'at most',
      limit: MOST_MEMORY,
      measured: idleMemory?.Phaseboard && idleMemory.Phaseboard / 1e6,
    },
  ]
}

/** Whether the goal is reached; undefined when it was not measured. */
export const isReached = ({ bound, limit, measured }: Goal): boolean | undefined =>
  measured === undefined ? undefined : bound === 'at least' ? measured >= limit : measured <= limit
