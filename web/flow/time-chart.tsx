/** Time in each column, as two bars per column: the median and the 85th percentile of its visits. */
import { scaleLinear } from 'd3-scale'
import { later } from '../later-texts.ts'
import type { Flow } from './answer.ts'
import { fitting } from './axes.tsx'
import { Chart, type Frame } from './chart.tsx'

const LINE = 40
const NAMES = 120
/** The width of the number after a bar, in pixels. */
const NUMBER = 130

/** The columns that cards have left. */
const passed = ({ timeInColumn }: Flow) => timeInColumn.filter(({ p50 }) => p50 !== null)

/** The height of the chart, in pixels. */
export const timeChartHeight = (flow: Flow): number => passed(flow).length * LINE + 8

export function TimeChart({ flow, frame }: { flow: Flow; frame: Frame }) {
  const timeInColumn = passed(flow)
  const { width } = frame
  const most = timeInColumn.reduce((all, { p85 }) => Math.max(all, p85 ?? 0), 0)
  const x = scaleLinear([0, Math.max(1, most)], [0, Math.max(40, width - NAMES - NUMBER)])
  return (
    <Chart frame={frame}>
      {timeInColumn.map(({ column, p50, p85 }, index) => (
        <g key={column} transform={`translate(0 ${index * LINE})`}>
          <text x={NAMES - 8} y={24} text-anchor="end">
            {fitting(column, NAMES - 8)}
          </text>
          {(
            [
              [50, p50],
              [85, p85],
            ] as const
          ).map(
            ([percent, days], nth) =>
              days !== null && (
                <g key={percent} transform={`translate(${NAMES} ${6 + nth * 15})`}>
                  <rect class={`series-${nth}`} width={Math.max(1, x(days))} height="11" rx="2" />
                  <text class="tick" x={x(days) + 6} y="10">
                    {later.flow.percentile(percent, later.flow.days(days))}
                  </text>
                </g>
              ),
          )}
        </g>
      ))}
    </Chart>
  )
}
