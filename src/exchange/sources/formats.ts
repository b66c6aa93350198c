/** The formats that can be imported. */
import type { BoardReader } from './source-board.ts'

/** A format of boards. */
export interface Format {
  /** Its boards, in the command's help: `a Trello board`. */
  board: string
  /** Its files in messages: `<file> is not a Trello board export`. */
  what: string
  /** An example file name: `board.json`. */
  file: string
  /** How to get one, briefly, for the help of the command. */
  from: string
  /** Loads the reader lazily: parsers are large. */
  load: () => Promise<BoardReader>
}

/** The board formats by their names on the command line and in the API, which are also their keys in `metadata`. */
export const FORMATS: Readonly<Record<string, Format>> = {
  trello: {
    board: 'a Trello board',
    what: 'a Trello board export',
    file: 'board.json',
    from: 'the board exported as JSON (in its menu: Print, export, and share)',
    load: async () => (await import('./trello-board.ts')).readTrello,
  },
  csv: {
    board: 'a table of tasks',
    what: 'a table of tasks',
    file: 'tasks.csv',
    from: 'a table with a row of names (of a spreadsheet, or of this service)',
    load: async () => (await import('./csv.ts')).readCsv,
  },
  planka: {
    board: 'a Planka board',
    what: 'a Planka board',
    file: 'board.json',
    from: "its API's response for a board (GET /api/boards/<id>)",
    load: async () => (await import('./planka.ts')).readPlanka,
  },
  kanboard: {
    board: 'a Kanboard project',
    what: 'a Kanboard project',
    file: 'db.sqlite.gz',
    from: 'its database (Settings: Download the database), or its tasks exported as CSV',
    load: async () => (await import('./kanboard.ts')).readKanboard,
  },
  jira: {
    board: 'issues of Jira',
    what: 'an export of Jira',
    file: 'issues.csv',
    from: 'issues exported as CSV (all fields), or the JSON of a search',
    load: async () => (await import('./jira.ts')).readJira,
  },
  github: {
    board: 'a GitHub project',
    what: 'a GitHub project',
    file: 'project.json',
    from: 'the JSON of gh project item-list, or an exported view (.tsv)',
    load: async () => (await import('./github.ts')).readGitHub,
  },
}

/** The name of the format of archives, which contain all data of a service: only for admins (see `import-archive.ts`). */
export const ARCHIVE_FORMAT = 'phaseboard'

export const FORMAT_NAMES: readonly string[] = [...Object.keys(FORMATS), ARCHIVE_FORMAT]
