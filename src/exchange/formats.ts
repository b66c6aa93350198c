/** The formats that boards can be imported from. */
import type { BoardReader } from './source-board.ts'

/** A format. */
export interface Format {
  /** What its files are called in messages: `<file> is not a Trello board export`. */
  what: string
  /** What to import, in a few words, for the help of the command. */
  file: string
  /** Who may import it over HTTP. */
  access: 'write' | 'admin'
  /** Loads the reader, when somebody imports something: parsers are large. */
  load: () => Promise<BoardReader>
}

/** The formats by the names that the command line and the API know them by; also their keys in `metadata`. */
export const FORMATS: Readonly<Record<string, Format>> = {
  trello: {
    what: 'a Trello board export',
    file: 'a board exported as JSON (in its menu: Print, export, and share)',
    access: 'write',
    load: async () => (await import('./import-trello.ts')).readTrello,
  },
}

/** The names of all formats. */
export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS)
