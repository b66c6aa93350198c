/** The formats that boards can be imported from. */
import type { BoardReader } from './source-board.ts'

/** A format. */
export interface Format {
  /** What it makes a project of, for the help of the command: `a Trello board`. */
  board: string
  /** What its files are called in messages: `<file> is not a Trello board export`. */
  what: string
  /** What the command calls its file: `board.json`. */
  file: string
  /** Where to get one, in a few words, for the help of the command. */
  from: string
  /** Who may import it over HTTP. */
  access: 'write' | 'admin'
  /** Loads the reader, when somebody imports something: parsers are large. */
  load: () => Promise<BoardReader>
}

/** The formats by the names that the command line and the API know them by; also their keys in `metadata`. */
export const FORMATS: Readonly<Record<string, Format>> = {
  trello: {
    board: 'a Trello board',
    what: 'a Trello board export',
    file: 'board.json',
    from: 'the board exported as JSON (in its menu: Print, export, and share)',
    access: 'write',
    load: async () => (await import('./import-trello.ts')).readTrello,
  },
  csv: {
    what: 'a table of tasks',
    file: 'a table with a row of names (CSV of a spreadsheet, or of this service)',
    access: 'write',
    load: async () => (await import('./csv.ts')).readCsv,
  },
  planka: {
    what: 'a Planka board',
    file: 'the answer of its API for a board, as JSON',
    access: 'write',
    load: async () => (await import('./planka.ts')).readPlanka,
  },
  kanboard: {
    what: 'a Kanboard project',
    file: 'its database (Settings: Download the database), or its CSV export of tasks',
    access: 'write',
    load: async () => (await import('./kanboard.ts')).readKanboard,
  },
  jira: {
    what: 'an export of Jira',
    file: 'issues exported as CSV (all fields), or the JSON of a search',
    access: 'write',
    load: async () => (await import('./jira.ts')).readJira,
  },
  github: {
    what: 'a GitHub project',
    file: 'the JSON of gh project item-list, or an exported view (.tsv)',
    access: 'write',
    load: async () => (await import('./github.ts')).readGitHub,
  },
}

/** The names of all formats. */
export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS)
