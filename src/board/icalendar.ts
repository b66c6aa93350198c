/** Writing iCalendar (RFC 5545), as much as a list of dates needs. */
import ical, { ICalEventTransparency } from 'ical-generator'

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

const MIDNIGHT = 'T00:00:00.000Z'

/** Seconds after which programs should look again. */
const REFRESH = 60 * 60

/** A text without the characters that no value may have (section 3.1). */
const printable = (text: string): string =>
  text
    .replaceAll(/\r\n|\r/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, '')

/** Writes a calendar of these events. @param name how programs show it */
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
      // Of a calendar without a METHOD, this is when it was last revised (section 3.8.7.2).
      stamp: modified,
      lastModified: modified,
      start: new Date(start),
      allDay: start.endsWith(MIDNIGHT),
      summary: printable(summary),
      description: description === '' ? null : printable(description),
      categories: categories.map((category) => ({ name: printable(category) })),
      // A date by which something is due keeps nobody from being invited.
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  }
  return Buffer.from(`${calendar}\r\n`)
}
