/** Throughput: the number of cards completed in each week, as bars. */
import { scaleBand } from 'd3-scale'
import type { Flow } from './answer.ts'
import { CountAxis, countScale, ROOM } from './axes.tsx'
import { Chart, type Frame } from './chart.tsx'

/** The width of a week's label, in pixels. */
const WEEK_WIDTH = 64

export function ThroughputChart({ flow, frame }: { flow: Flow; frame: Frame }) {
  const { width, height } = frame
  const { perWeek } = flow.throughput
  const x = scaleBand(
    perWeek.map(({ week }) => week),
    [ROOM.left, width - ROOM.right],
  ).padding(0.2)
  const y = countScale(
    perWeek.reduce((most, { finished }) => Math.max(most, finished), 0),
    height,
  )
  const every = Math.max(1, Math.ceil(WEEK_WIDTH / x.step()))
  return (
    <Chart frame={frame}>
      <CountAxis y={y} width={width} />
      {perWeek.map(({ week, finished }, index) => (
        <g key={week}>
          <rect
            class="series-0"
            x={x(week)}
            y={y(finished)}
            width={x.bandwidth()}
            height={y(0) - y(finished)}
            rx="2"
          />
          {index % every === 0 && (
            <text
              class="tick"
              x={(x(week) ?? 0) + x.bandwidth() / 2}
              y={height - ROOM.bottom + 18}
              text-anchor="middle"
            >
              {week}
            </text>
          )}
        </g>
      ))}
      <line class="ground" x1={ROOM.left} x2={width - ROOM.right} y1={y(0)} y2={y(0)} />
    </Chart>
  )
}
