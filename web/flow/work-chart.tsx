/** Cumulative flow: the number of cards in each column, day by day, as stacked areas in the board's order. */
import { area, stack } from 'd3-shape'
import { useId } from 'preact/hooks'
import type { Flow } from './answer.ts'
import { CountAxis, countScale, DayAxis, dayScale, ROOM, timeOf } from './axes.tsx'
import { Chart, type Frame } from './chart.tsx'
import { colourOf, Legend, legendPlaces, Patterns } from './series.tsx'

type Day = Flow['days'][number]

const HALF_DAY = 43_200_000

export function WorkChart({
  flow,
  columns,
  frame,
}: {
  flow: Flow
  columns: readonly string[]
  frame: Frame
}) {
  const prefix = useId().replace(/\W/g, '')
  const { width } = frame
  const legend = legendPlaces(columns, width - ROOM.left - ROOM.right)
  const height = frame.height + legend.height
  const x = dayScale(flow.from, flow.to, width)
  const most = Math.max(
    ...flow.days.map(({ byColumn }) => columns.reduce((sum, name) => sum + (byColumn[name] ?? 0), 0)),
  )
  const y = countScale(most, frame.height)
  // The last column, which is done work, is at the bottom because it only grows.
  const layers = stack<Day, string>()
    .keys(columns.toReversed())
    .value(({ byColumn }, name) => byColumn[name] ?? 0)(flow.days as Day[])
  const shape = area<(typeof layers)[number][number]>()
    .x(({ data }) => x(timeOf(data.date) + HALF_DAY))
    .y0(([low]) => y(low))
    .y1(([, high]) => y(high))
  return (
    <Chart frame={frame} height={height}>
      <Patterns prefix={prefix} count={columns.length} />
      <CountAxis y={y} width={width} />
      {layers.map((layer) => {
        const index = columns.indexOf(layer.key)
        const path = shape(layer) ?? ''
        return (
          <g key={layer.key}>
            <path class={colourOf(index)} d={path} />
            <path fill={`url(#${prefix}-${index})`} d={path} />
          </g>
        )
      })}
      <DayAxis x={x} width={width} height={frame.height} />
      <Legend
        prefix={prefix}
        names={columns}
        width={width - ROOM.left - ROOM.right}
        top={frame.height + 4}
        left={ROOM.left}
      />
    </Chart>
  )
}
