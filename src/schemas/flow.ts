/** The flow metrics of a board in responses; docs/flow.md defines each number. */
import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from './common.ts'

const CalendarDate = (description: string) =>
  Type.String({ format: 'date', description, examples: ['2026-01-31'] })
const Count = (description: string) => Type.Integer({ description })
const Days = (description: string) => Type.Number({ description: `${description}, in days` })
const Percentile = (percent: number) =>
  Nullable(Type.Number({ description: `Days that ${percent} % did not exceed; null if there are none` }))
const percentiles = { p50: Percentile(50), p85: Percentile(85), p95: Percentile(95) }
const Moment = (description: string) => Type.String({ format: 'date-time', description })
const ItemId = Type.String({ description: 'The id of the item' })
const Forecast = (percent: number) =>
  Nullable(
    CalendarDate(`Day by which they were done in ${percent} % of the runs; null if no item was finished`),
  )

/** The flow metrics of a board in a range of days. */
export const FlowSchema = Type.Object(
  {
    from: CalendarDate('First day, in UTC'),
    to: CalendarDate('Last day: all metrics are as of its end, or as of now'),
    days: Type.Array(
      Type.Object({
        date: CalendarDate('In UTC'),
        arrived: Count('Items that arrived on the board'),
        finished: Count('Items that were finished'),
        byColumn: Type.Unsafe<Record<string, number>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'Items in each column at the end of the day, by its current name',
        }),
      }),
    ),
    cycleTime: Type.Object({
      count: Count('Items that were finished'),
      ...percentiles,
      items: Type.Array(
        Type.Object({
          id: ItemId,
          title: Type.String(),
          started: Moment('When it first entered a doing column, or directly a done one'),
          finished: Moment('When it entered the done columns, which it has not left since'),
          days: Days('From one to the other'),
        }),
        { description: 'In the order in which they were finished' },
      ),
    }),
    leadTime: Type.Object({ count: Count('Items that were finished'), ...percentiles }),
    throughput: Type.Object({
      perWeek: Type.Array(
        Type.Object({
          week: Type.String({ description: 'ISO 8601, from Monday', examples: ['2026-W07'] }),
          finished: Count('Items that were finished in the part of the week within the range'),
        }),
      ),
      mean: Type.Number({ description: 'Items finished in seven days' }),
    }),
    timeInColumn: Type.Array(
      Type.Object({
        column: Type.String(),
        p50: Percentile(50),
        p85: Percentile(85),
      }),
      { description: 'Stays that ended with a move to another column' },
    ),
    age: Type.Array(
      Type.Object({
        id: ItemId,
        title: Type.String(),
        column: Type.String(),
        days: Days('Since it was started'),
        above85: Type.Boolean({ description: 'Older than the cycle time of 85 % of the finished items' }),
      }),
      { description: 'Items in progress, oldest first' },
    ),
    forecast: Type.Object({
      remaining: Count('Items on the board that are not done'),
      p50: Forecast(50),
      p85: Forecast(85),
      p95: Forecast(95),
    }),
  },
  { $id: 'Flow' },
)
export type Flow = Static<typeof FlowSchema>
