/** The goals, and whether they are reached. */
import type { Results } from './report.ts'
import { WORKLOADS, type Workload } from './workloads.ts'

/** A goal and its measured figure. */
interface Goal {
  title: string
  /** The minimum or maximum of the figure. */
  bound: 'at least' | 'at most'
  limit: number
  /** Undefined if it was not measured. */
  measured: number | undefined
}

/** The maximum time until readiness, relative to a bare Fastify application. */
const MOST_READY = 1.7
/** The maximum time of the first GET of a project, in milliseconds. */
const MOST_FIRST_READ = 30
/** The maximum idle memory, in megabytes. */
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
  return [
    ...ofWorkloads,
    {
      title: 'ready, to bare Fastify',
      bound: 'at most',
      limit: MOST_READY,
      measured: starts?.ratio,
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

/** Whether the goal is reached; undefined if it was not measured. */
export const isReached = ({ bound, limit, measured }: Goal): boolean | undefined =>
  measured === undefined ? undefined : bound === 'at least' ? measured >= limit : measured <= limit
