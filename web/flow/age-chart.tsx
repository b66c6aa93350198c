/** Age of work in progress. Each card is a dot, placed by its column and the days since work on it started. */
import { scaleBand } from 'd3-scale'
import { later } from '../later-texts.ts'
import type { Flow } from './answer.ts'
import { CountAxis, countScale, fitting, Percentiles, ROOM } from './axes.tsx'
import { Chart, type Frame } from './chart.tsx'
import { MOST_POINTS, Points } from './points.tsx'

/** The minimum width of a column's name, in pixels. Names of narrower columns are left out. */
const NAME_WIDTH = 48

/** The distance between dots at the same place, in pixels. */
const APART = 9

export function AgeChart({
  flow,
  columns,
  projectId,
  frame,
}: {
  flow: Flow
  columns: readonly string[]
  projectId: string
  frame: Frame
}) {
  const { width, height } = frame
  const { p50, p85 } = flow.cycleTime
  const shown = flow.age.slice(0, MOST_POINTS)
  const present = new Set(shown.map(({ column }) => column))
  const names = [
    ...columns.filter((name) => present.has(name)),
    ...[...present].filter((name) => !columns.includes(name)),
  ]
  const x = scaleBand(names, [ROOM.left, width - ROOM.right]).padding(0.1)
  const y = countScale(Math.max(p85 ?? 0, ...shown.map(({ days }) => days)), height)
  const every = Math.ceil(NAME_WIDTH / x.step())
  // Cards of the same age are side by side.
  const taken = new Map<string, number>()
  const points = shown.map(({ id, title, column, days, above85 }) => {
    const place = `${column} ${Math.round(y(days) / APART)}`
    const nth = taken.get(place) ?? 0
    taken.set(place, nth + 1)
    const most = Math.max(1, Math.floor(x.bandwidth() / APART) - 1)
    const aside = (((nth % most) + 1) >> 1) * (nth % 2 === 0 ? 1 : -1) * APART
    return {
      id,
      name: later.flow.point(title, later.flow.days(days)),
      x: (x(column) ?? 0) + x.bandwidth() / 2 + aside,
      y: y(days),
      isMarked: above85,
    }
  })
  return (
    <Chart frame={frame} hasLinks>
      <CountAxis y={y} width={width} />
      {names
        .filter((_, index) => index % every === 0)
        .map((name) => (
          <text
            key={name}
            class="tick"
            x={(x(name) ?? 0) + x.bandwidth() / 2}
            y={height - ROOM.bottom + 18}
            text-anchor="middle"
          >
            {fitting(name, x.step() * (every - 1) + x.bandwidth())}
          </text>
        ))}
      <line class="ground" x1={ROOM.left} x2={width - ROOM.right} y1={y(0)} y2={y(0)} />
      <Points projectId={projectId} points={points} />
      <Percentiles
        y={y}
        width={width}
        days={[
          [50, p50],
          [85, p85],
        ]}
      />
    </Chart>
  )
}
