/** Writes iCalendar (RFC 5545), as far as a list of dates needs it. */
import ical, { ICalEventTransparency } from 'ical-generator'
import { isDay } from '../time.ts'

/** An event: a day, or a point in time. */
export interface CalendarEvent {
  /** Stays the same as long as the event exists. */
  uid: string
  /** A canonical timestamp; midnight UTC means the whole day. */
  start: string
  summary: string
  description: string
  categories: readonly string[]
  /** A canonical timestamp. */
  lastModified: string
}

/** Seconds after which programs should refresh. */
const REFRESH = 60 * 60

/** A text without the characters that values must not contain (section 3.1). */
const printable = (text: string): string =>
  text
    .replaceAll(/\r\n|\r/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, '')

/** Writes a calendar of these events. @param name shown by programs */
export function writeCalendar(name: string, events: readonly CalendarEvent[]): Uint8Array {
  const calendar = ical({
    name,
    prodId: { company: 'Phaseboard', product: 'Phaseboard', language: 'EN' },
    scale: 'gregorian',
    ttl: REFRESH,
  })
  for (const { uid, start, summary, description, categories, lastModified } of events) {
    const modified = new Date(lastModified)
    calendar.createEvent({
      id: uid,
      // Without a METHOD, this is the time of the last revision (section 3.8.7.2).
      stamp: modified,
      lastModified: modified,
      start: new Date(start),
      allDay: isDay(start),
      summary: printable(summary),
      description: description === '' ? null : printable(description),
      categories: categories.map((category) => ({ name: printable(category) })),
      // A due date does not make people busy.
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  }
  return Buffer.from(`${calendar}\r\n`)
}
