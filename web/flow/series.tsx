/** Colours and patterns of a board's columns. Patterns distinguish columns for people who cannot tell the colours apart. */
import { fitting } from './axes.tsx'

const COLOURS = 6
const PATTERNS = ['', 'M0 8 8 0', 'M4 2v4M2 4h4', 'M0 0 8 8', 'M0 4h8', 'M4 0v8', 'M0 8 8 0M0 0 8 8'] as const

/** The class with the colour of a column. */
export const colourOf = (index: number): string => `series-${index % COLOURS}`

/** The patterns drawn on top of the areas' colours. `prefix` makes their ids unique to the chart. */
export const Patterns = ({ prefix, count }: { prefix: string; count: number }) => (
  <defs>
    {Array.from({ length: count }, (_, index) => (
      <pattern key={index} id={`${prefix}-${index}`} width="8" height="8" patternUnits="userSpaceOnUse">
        <path d={PATTERNS[index % PATTERNS.length]} class="series-pattern" />
      </pattern>
    ))}
  </defs>
)

const LETTER = 7
const SWATCH = 14
const GAP = 16
const LINE = 20

/** Lays out the entries of a legend in lines of a given width. @returns their positions, and the total height */
export function legendPlaces(names: readonly string[], width: number) {
  let x = 0
  let y = 0
  const places = names.map((name) => {
    const text = fitting(name, Math.min(180, width - SWATCH - GAP))
    const size = SWATCH + 6 + [...text].length * LETTER
    if (x > 0 && x + size > width) {
      x = 0
      y += LINE
    }
    const place = { text, x, y }
    x += size + GAP
    return place
  })
  return { places, height: names.length === 0 ? 0 : y + LINE }
}

/** The legend of the columns' colours. */
export function Legend({
  prefix,
  names,
  width,
  top,
  left,
}: {
  prefix: string
  names: readonly string[]
  width: number
  top: number
  left: number
}) {
  return (
    <g class="legend" aria-hidden="true" transform={`translate(${left} ${top})`}>
      {legendPlaces(names, width).places.map(({ text, x, y }, index) => (
        <g key={names[index]} transform={`translate(${x} ${y})`}>
          <rect class={colourOf(index)} width={SWATCH} height={SWATCH} />
          <rect fill={`url(#${prefix}-${index})`} width={SWATCH} height={SWATCH} />
          <text x={SWATCH + 6} y={SWATCH - 3}>
            {text}
          </text>
        </g>
      ))}
    </g>
  )
}
