/** The history of a value as a small line, with a text. */
import { texts } from '../texts.ts'
import { pathOf, sparkline } from './metrics.ts'

const WIDTH = 96
const HEIGHT = 24
/** The padding for the line's width and the last point. */
const EDGE = 3

/** @param format formats a value */
export function Sparkline({
  values,
  format,
}: {
  values: readonly number[]
  format: (value: number) => string
}) {
  const [first, last] = [values[0], values.at(-1)]
  if (first === undefined || last === undefined || values.length < 2) return null
  const points = sparkline(values, WIDTH, HEIGHT)
  const end = points.at(-1)
  const text = texts.overview.sparkline(
    values.length,
    format(first),
    format(last),
    format(Math.min(...values)),
    format(Math.max(...values)),
  )
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={text}
      viewBox={`${-EDGE} ${-EDGE} ${WIDTH + 2 * EDGE} ${HEIGHT + 2 * EDGE}`}
      width={WIDTH}
      height={HEIGHT}
    >
      <path d={pathOf(points)} />
      {end && <circle cx={end.x} cy={end.y} r="2.5" />}
    </svg>
  )
}
