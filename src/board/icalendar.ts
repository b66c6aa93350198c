/**
 * Writing iCalendar (RFC 5545), as much as a list of dates needs. By hand: it is written in the worker thread as on the
 * event loop, synchronously, and a library for it would be loaded at every start.
 */

/** An event: a day, or a moment. */
export interface CalendarEvent {
  /** The same for as long as the event exists. */
  uid: string
  /** A canonical timestamp; midnight UTC stands for the whole day. */
  start: string
  summary: string
  description: string
  categories: readonly string[]
  /** A canonical timestamp. */
  lastModified: string
}

/** Octets of a line, without its end (section 3.1). */
const LINE = 75

/** A text as the value of a property (section 3.3.11), without the characters that are not allowed. */
const escaped = (text: string): string =>
  text
    .replaceAll(/\r\n|\r/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')

/** Folds a long line (section 3.1), nowhere inside a character. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= LINE) return line
  let text = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > LINE) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += size
  }
  return text
}

/** A canonical timestamp in the basic format: `20260131T120000Z`. */
const moment = (timestamp: string): string => timestamp.replaceAll(/[-:]|\.\d+/g, '')

const MIDNIGHT = 'T00:00:00.000Z'

/** When an event is: a whole day where it starts at midnight UTC. */
function datesOf(start: string): string[] {
  if (!start.endsWith(MIDNIGHT)) return [`DTSTART:${moment(start)}`]
  const next = new Date(Date.parse(start) + 24 * 60 * 60 * 1000).toISOString()
  const day = (timestamp: string) => moment(timestamp).slice(0, 8)
  return [`DTSTART;VALUE=DATE:${day(start)}`, `DTEND;VALUE=DATE:${day(next)}`]
}

function linesOf({ uid, start, summary, description, categories, lastModified }: CalendarEvent): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${escaped(uid)}`,
    // Of a calendar without a METHOD, this is when it was last revised (section 3.8.7.2).
    `DTSTAMP:${moment(lastModified)}`,
    `LAST-MODIFIED:${moment(lastModified)}`,
    ...datesOf(start),
    `SUMMARY:${escaped(summary)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escaped(description)}`]),
    ...(categories.length === 0 ? [] : [`CATEGORIES:${categories.map(escaped).join(',')}`]),
    // A date by which something is due keeps nobody from being invited.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

/** Writes a calendar of these events. @param name how programs show it */
export function writeCalendar(name: string, events: readonly CalendarEvent[]): Uint8Array {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Phaseboard//Phaseboard//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events.flatMap(linesOf),
    'END:VCALENDAR',
    '',
  ]
  return Buffer.from(lines.map(folded).join('\r\n'))
}
