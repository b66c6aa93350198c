/** Cycle time. Each completed card is a dot, placed by its completion day and the days it took. Lines show the percentiles. */
import { later } from '../later-texts.ts'
import type { Flow } from './answer.ts'
import { CountAxis, countScale, DayAxis, dayScale, Percentiles, timeOf } from './axes.tsx'
import { Chart, type Frame } from './chart.tsx'
import { MOST_POINTS, Points } from './points.tsx'

const HALF_DAY = 43_200_000

export function CycleTimeChart({ flow, projectId, frame }: { flow: Flow; projectId: string; frame: Frame }) {
  const { width, height } = frame
  const { items, p50, p85, p95 } = flow.cycleTime
  const x = dayScale(flow.from, flow.to, width)
  // If there are too many cards to tell apart, only the newest are drawn.
  const shown = items.toSorted((a, b) => (a.finished < b.finished ? -1 : 1)).slice(-MOST_POINTS)
  const y = countScale(
    shown.reduce((most, { days }) => Math.max(most, days), 0),
    height,
  )
  const points = shown.map(({ id, title, finished, days }) => ({
    id,
    name: later.flow.point(title, later.flow.days(days)),
    x: x(Math.min(timeOf(finished) + HALF_DAY, timeOf(flow.to) + HALF_DAY)),
    y: y(days),
  }))
  return (
    <Chart frame={frame} hasLinks>
      <CountAxis y={y} width={width} />
      <DayAxis x={x} width={width} height={height} />
      <Points projectId={projectId} points={points} />
      <Percentiles
        y={y}
        width={width}
        days={[
          [50, p50],
          [85, p85],
          [95, p95],
        ]}
      />
    </Chart>
  )
}
