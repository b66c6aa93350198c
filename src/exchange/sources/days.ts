/** Days of other tools: due dates that are midnight somewhere. */
import { timestamp } from '../../time.ts'
import { wallTime } from '../../time-zones.ts'

const DAY = 24 * 60 * 60 * 1000

/**
 * The day of an instant that is midnight in a time zone, which is midnight UTC here; any other instant as it is.
 * @param isWhole whether the instant stands for its day at any time
 */
export function dayIn(at: string, timeZone: string, isWhole = false): string {
  // JavaScript takes the first hundred years for those of the last century.
  if (at < '0101') return at
  const local = wallTime(Date.parse(at), timeZone)
  return isWhole || local % DAY === 0 ? timestamp(Math.floor(local / DAY) * DAY) : at
}
