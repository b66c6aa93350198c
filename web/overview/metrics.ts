/** Metrics: their values over time, their trend, and their sparkline. */
import type { Metric } from '../common/api.ts'

/** A value and when it ended; undefined for the current one. */
export interface Measured {
  value: number
  at: string | undefined
}

/**
 * The values of a metric, oldest first, the current one last. A history may hold anything; entries that are not measurements
 * are skipped.
 */
export function valuesOf({ history, value }: Pick<Metric, 'history' | 'value'>): Measured[] {
  const former = history.flatMap((entry) => {
    const { value: old, at } = Object(entry) as { value?: unknown; at?: unknown }
    if (typeof old !== 'number' || !Number.isFinite(old)) return []
    return [{ value: old, at: typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? at : undefined }]
  })
  return [...former, { value, at: undefined }]
}

/** The icon of a trend; none for a custom trend. */
export const trendIcon = (trend: string): 'up' | 'down' | 'forward' | undefined =>
  (({ up: 'up', down: 'down', stable: 'forward' }) as const)[trend]

/** A metric with a new value, computed like the service does. @param at now */
export function withValue<T extends Metric>(metric: T, value: number, at: string): T {
  if (value === metric.value) return metric
  return {
    ...metric,
    value,
    trend: value > metric.value ? 'up' : 'down',
    history: [...metric.history, { value: metric.value, at }],
  }
}

/** A metric with its unit: "42 %", "3 days", "12". @param format writes the number */
export const withUnit = (value: number, unit: string, format: (value: number) => string): string =>
  unit === '' ? format(value) : `${format(value)}\u00a0${unit}`

/** A point of a line, in the units of its SVG. */
export interface Point {
  x: number
  y: number
}

/** The maximum number of points in a small chart. The newest are shown. */
const MOST_POINTS = 60

/** The line of some values in an SVG of a given size: in equal steps, with the lowest at the bottom and the highest at the top. */
export function sparkline(values: readonly number[], width: number, height: number): Point[] {
  const shown = values.slice(-MOST_POINTS)
  const least = Math.min(...shown)
  const range = Math.max(...shown) - least
  const step = width / Math.max(1, shown.length - 1)
  return shown.map((value, index) => ({
    x: round(index * step),
    y: range === 0 ? round(height / 2) : round(height - ((value - least) / range) * height),
  }))
}

const round = (number: number) => Math.round(number * 10) / 10

/** The points as an SVG path. */
export const pathOf = (points: readonly Point[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('')
