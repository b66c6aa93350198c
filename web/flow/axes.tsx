/** The common parts of charts: the margins, ticks and gridlines. Charts run left to right in every language. */
import { scaleLinear, scaleUtc } from 'd3-scale'
import { formatNumber, shortDay } from '../common/dates.ts'
import { later } from '../later-texts.ts'

/** The margins around the marks, in pixels. */
export const ROOM = { top: 12, right: 12, bottom: 28, left: 44 }

const DAY = 86_400_000
/** The width of a day's label, in pixels. */
const DAY_WIDTH = 80

/** The start of a day, in milliseconds since 1970. */
export const timeOf = (day: string): number => Date.parse(`${day.slice(0, 10)}T00:00:00Z`)

/** The scale from days to pixels. The last day is drawn in full. */
export const dayScale = (from: string, to: string, width: number) =>
  scaleUtc([timeOf(from), timeOf(to) + DAY], [ROOM.left, width - ROOM.right])

/** The scale from numbers to pixels, starting at zero. */
export const countScale = (most: number, height: number) =>
  scaleLinear([0, Math.max(1, most)], [height - ROOM.bottom, ROOM.top]).nice(5)

/** The horizontal axis with its days. */
export function DayAxis({
  x,
  width,
  height,
}: {
  x: ReturnType<typeof dayScale>
  width: number
  height: number
}) {
  const [, end = new Date()] = x.domain()
  const days = x
    .ticks(Math.max(2, Math.floor(width / DAY_WIDTH)))
    .filter((date) => date.getUTCHours() === 0 && date < end)
  return (
    <g class="axis" aria-hidden="true">
      <line x1={ROOM.left} x2={width - ROOM.right} y1={height - ROOM.bottom} y2={height - ROOM.bottom} />
      {days.map((date) => (
        <text
          key={date.getTime()}
          x={x(date)}
          y={height - ROOM.bottom + 18}
          // A label near the side ends at its day, so that it is not cut off.
          text-anchor={x(date) > width - DAY_WIDTH / 3 ? 'end' : 'middle'}
        >
          {shortDay(date.toISOString())}
        </text>
      ))}
    </g>
  )
}

/** The vertical axis with its numbers and gridlines. */
export function CountAxis({ y, width }: { y: ReturnType<typeof countScale>; width: number }) {
  const numbers = y.ticks(5).filter((number) => Number.isInteger(number) || y.domain()[1] === undefined)
  return (
    <g class="axis" aria-hidden="true">
      {numbers.map((number) => (
        <g key={number}>
          <line class="grid" x1={ROOM.left} x2={width - ROOM.right} y1={y(number)} y2={y(number)} />
          <text x={ROOM.left - 8} y={y(number) + 4} text-anchor="end">
            {formatNumber(number)}
          </text>
        </g>
      ))}
    </g>
  )
}

/** Lines at percentiles, each with its name. @param days the days of each percentile; null if nothing was completed */
export const Percentiles = ({
  y,
  width,
  days,
}: {
  y: ReturnType<typeof countScale>
  width: number
  days: readonly (readonly [percent: number, days: number | null])[]
}) => (
  <>
    {days.map(
      ([percent, value]) =>
        value !== null && (
          <g key={percent} class="percentile" aria-hidden="true">
            <line x1={ROOM.left} x2={width - ROOM.right} y1={y(value)} y2={y(value)} />
            <text x={width - ROOM.right - 4} y={y(value) - 4} text-anchor="end">
              {later.flow.percentile(percent, formatNumber(value, 1))}
            </text>
          </g>
        ),
    )}
  </>
)

/** Labels of the horizontal axis, shortened to fit. @param width of each, in pixels */
export function fitting(name: string, width: number): string {
  const letters = [...name]
  const most = Math.max(3, Math.floor(width / 7.5))
  return letters.length <= most ? name : `${letters.slice(0, most - 1).join('')}…`
}
