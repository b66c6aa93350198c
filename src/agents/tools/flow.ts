/** The tool for flow metrics. */
import { Type } from '@sinclair/typebox'
import { type Flow, FlowSchema } from '../../schemas/flow.ts'
import { Notes } from '../records.ts'
import { Arguments, fieldsOf, type RouteSchemas } from '../schemas.ts'
import { type Answer, pathOf, withQuery } from '../service.ts'
import { READS, type Tool } from '../tool.ts'

/** Default number of entries per list. */
const LIMIT = 10
const MOST = 500

const { cycleTime, days, ...plain } = FlowSchema.properties
const { items: finished, ...percentiles } = cycleTime.properties

/** The lists that are only shown on request. */
const LISTS = ['days', 'finished'] as const
type List = (typeof LISTS)[number]

/** `flow`. */
const flow = (routes: RouteSchemas): Tool => ({
  name: 'flow',
  title: 'See how a board flows',
  description:
    'Measures a board over a range of days, the last 90 by default: cycle and lead times in days, throughput per week, time in each column, the age of the items in progress, and a forecast of the days by which the remaining items are done. Use it for "how long do items take", "what is stuck" (age, above85), "when will this be done". Returns numbers and short lists; `lists` adds the items per column and day, or the finished items.',
  hints: READS,
  input: Arguments({
    projectId: Type.String({ minLength: 1, description: 'The id of a project, from list_projects' }),
    ...fieldsOf(routes.query('getFlow'), ['from', 'to', 'label', 'assigneeId', 'priority'], {
      from: 'First day, e.g. 2026-01-31; at most three years before the last',
      to: 'Last day; today if absent',
      label: 'Ids or names, or `none`: any of them',
      assigneeId: 'Ids of people, `me`, or `none` for nobody: any of them',
      priority: 'Any of them',
    }),
    lists: Type.Optional(
      Type.Array(Type.Unsafe<List>({ type: 'string', enum: [...LISTS] }), {
        uniqueItems: true,
        maxItems: LISTS.length,
        description: 'Long lists to show, too',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST,
        default: LIMIT,
        description: 'Entries of each list, at most: the oldest items, else the latest entries',
      }),
    ),
  }),
  output: Type.Object({
    ...plain,
    now: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'Items in each column at the end of the range',
    }),
    cycleTime: Type.Object(percentiles),
    days: Type.Optional(days),
    finished: Type.Optional(finished),
    notes: Notes,
  }),
  async run({ projectId, lists = [], limit = LIMIT, ...query }, { read }) {
    const path = withQuery(pathOf`/api/projects/${projectId}/flow`, query)
    const [answer] = (await read(path)) as [Answer]
    const { days, cycleTime, age, throughput, ...rest }: Flow = answer.body
    const { items, ...times } = cycleTime
    const asked = new Set<List>(lists)
    const notes: string[] = []
    const noted = <T>(name: string, all: readonly T[], shown: T[]): T[] => {
      if (shown.length < all.length)
        notes.push(`${name}: ${shown.length} of ${all.length} are shown; raise limit`)
      return shown
    }
    const latest = <T>(name: string, all: readonly T[]): T[] => noted(name, all, all.slice(-limit))
    return {
      ...rest,
      now: days.at(-1)?.byColumn ?? {},
      cycleTime: times,
      throughput: { ...throughput, perWeek: latest('perWeek', throughput.perWeek) },
      age: noted('age', age, age.slice(0, limit)),
      ...(asked.has('days') && { days: latest('days', days) }),
      ...(asked.has('finished') && { finished: latest('finished', items) }),
      ...(notes.length > 0 && { notes }),
    }
  },
})

/** The tools that measure. */
export const flowTools = [flow]
