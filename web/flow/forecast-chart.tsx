/** The forecast: a line with today and three dates, each with the probability that the remaining work is done by then. */
import { scaleUtc } from 'd3-scale'
import { shortDay, today } from '../common/dates.ts'
import type { Flow } from './answer.ts'
import { timeOf } from './axes.tsx'
import { Chart, type Frame } from './chart.tsx'

const SIDE = 48
/** A label this near to a side begins or ends at its date, so that it is not cut off. */
const HALF_LABEL = 76
/** The number of lines for labels, so that near dates do not overlap. */
const LEVELS = 3

export function ForecastChart({ flow: { forecast }, frame }: { flow: Flow; frame: Frame }) {
  const { width, height } = frame
  const dates = (
    [
      ['50 %', forecast.p50],
      ['85 %', forecast.p85],
      ['95 %', forecast.p95],
    ] as const
  ).filter((entry): entry is readonly [(typeof entry)[0], string] => entry[1] !== null)
  const begin = timeOf(today())
  const end = Math.max(begin + 86_400_000, ...dates.map(([, date]) => timeOf(date)))
  const x = scaleUtc([begin, end], [SIDE, width - SIDE])
  const middle = height / 2
  const anchorAt = (at: number) =>
    at < HALF_LABEL ? 'start' : at > width - HALF_LABEL ? 'end' : ('middle' as const)
  return (
    <Chart frame={frame}>
      <line class="ground" x1={SIDE} x2={width - SIDE} y1={middle} y2={middle} />
      <circle class="point" cx={x(begin)} cy={middle} r="4" />
      <text class="tick" x={x(begin)} y={middle + 20} text-anchor="middle">
        {shortDay(today())}
      </text>
      {dates.map(([percent, date], index) => {
        const level = index % LEVELS
        const top = middle - 14 - level * 18
        return (
          <g key={percent}>
            <line class="grid" x1={x(timeOf(date))} x2={x(timeOf(date))} y1={top + 4} y2={middle} />
            <circle class={`series-${index}`} cx={x(timeOf(date))} cy={middle} r="6" />
            <text x={x(timeOf(date))} y={top} text-anchor={anchorAt(x(timeOf(date)))}>
              {`${percent} ${shortDay(date)}`}
            </text>
          </g>
        )
      })}
    </Chart>
  )
}
