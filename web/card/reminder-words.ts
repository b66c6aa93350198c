/** The words of durations before a due date. */
import { later } from '../later-texts.ts'

const words = later.attention

/** The durations that are offered. */
export const OFFERED = ['PT0S', 'P1D', 'P2D', 'P1W'] as const

/** A duration of one unit. */
const SIMPLE = /^P(?:(\d+)W|(\d+)D|T(?:(\d+)H|(\d+)M|0S))$/

/** The name of a duration: "2 days before". One of several units, as other clients may set it, stays as it is. */
export function durationName(duration: string): string {
  const found = SIMPLE.exec(duration)
  if (found === null) return words.otherBefore(duration)
  const [, weeks, days, hours, minutes] = found
  if (weeks !== undefined) return words.weeksBefore(Number(weeks))
  if (days !== undefined) return words.daysBefore(Number(days))
  if (hours !== undefined) return words.hoursBefore(Number(hours))
  return minutes === undefined ? words.atDue : words.minutesBefore(Number(minutes))
}
