/** The flow of a board, as it is answered: docs/flow.md says what each number means. */
import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from './common.ts'

const CalendarDate = (description: string) =>
  Type.String({ format: 'date', description, examples: ['2026-01-31'] })
const Count = (description: string) => Type.Integer({ description })
const Days = (description: string) => Type.Number({ description: `${description}, in days` })
const Percentile = (percent: number) =>
  Nullable(Type.Number({ description: `Days that ${percent} % did not exceed; null where there are none` }))
const percentiles = { p50: Percentile(50), p85: Percentile(85), p95: Percentile(95) }
const Moment = (description: string) => Type.String({ format: 'date-time', description })
const ItemId = Type.String({ description: 'The id of the item' })
const Forecast = (percent: number) =>
  Nullable(
    CalendarDate(`Day by which they were done in ${percent} % of the runs; null where nothing was finished`),
  )

/** How the items of a board flowed in a range of days. */
export const FlowSchema = Type.Object(
  {
    from: CalendarDate('First day, in UTC'),
    to: CalendarDate('Last day: all is told as it was known at its end, or is now'),
    days: Type.Array(
      Type.Object({
        date: CalendarDate('In UTC'),
        arrived: Count('Items that came to the board'),
        finished: Count('Items that were finished'),
        byColumn: Type.Unsafe<Record<string, number>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'Items in each column at the end of the day, by its present name',
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
          started: Moment('When it first entered a doing column, or a done one at once'),
          finished: Moment('When it entered the done columns that it is still in'),
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
          finished: Count('Items that were finished in it, as far as it is in the range'),
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
      { description: 'Of stays that ended with a move to another column' },
    ),
    age: Type.Array(
      Type.Object({
        id: ItemId,
        title: Type.String(),
        column: Type.String(),
        days: Days('Since it was started'),
        above85: Type.Boolean({ description: 'Older than 85 % of the finished ones became' }),
      }),
      { description: 'Items that are being worked on, the oldest first' },
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
