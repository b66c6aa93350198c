/** The formats that can be imported. */
import { JSON_TEXT_DEPTH } from '../../schemas/common.ts'
import type { BoardReader } from './source-board.ts'
import type { SourceFile } from './source-files.ts'
import { isKanboardSubtasks } from './source-formats.ts'

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
  /** Its files in the message for a file of another kind, if not as in the help. */
  expected?: string
  /** How deeply its JSON may be nested, if not as by default. */
  levels?: number
  /** Whether to read a file that `recognise` takes for `found`, e.g. one without a sign of its tool. By default none. */
  accepts?: (file: SourceFile, found: string | undefined) => boolean
  /** Loads the reader lazily: parsers are large. */
  load: () => Promise<BoardReader>
}

const isTable = ({ kind }: SourceFile) => kind === 'table'

/** The board formats by their names on the command line and in the API, which are also their keys in `metadata`. */
export const FORMATS: Readonly<Record<string, Format>> = {
  trello: {
    board: 'a Trello board',
    what: 'a Trello board export',
    file: 'board.json',
    from: 'the board exported as JSON (in its menu: Print, export, and share)',
    expected: 'a board exported as JSON',
    levels: JSON_TEXT_DEPTH,
    load: async () => (await import('./trello-board.ts')).readTrello,
  },
  csv: {
    board: 'a table of tasks',
    what: 'a table of tasks',
    file: 'tasks.csv',
    from: 'a table with a row of names (of a spreadsheet, or of this service)',
    expected: 'a table of tasks with a row of names (title, description, column, ...)',
    // A view of GitHub is recognised by two columns that others may have, too.
    accepts: (file, found) =>
      isTable(file) && (found === undefined || found === 'github' || found === 'notion'),
    load: async () => (await import('./csv.ts')).readCsv,
  },
  planka: {
    board: 'a Planka board',
    what: 'a Planka board',
    file: 'board.json',
    from: "its API's response for a board (GET /api/boards/<id>)",
    expected: "Planka's response to GET /api/boards/{id}",
    load: async () => (await import('./planka.ts')).readPlanka,
  },
  kanboard: {
    board: 'a Kanboard project',
    what: 'a Kanboard project',
    file: 'db.sqlite.gz',
    from: 'its database (Settings: Download the database), or its tasks exported as CSV',
    expected: "Kanboard's database or its CSV export of tasks",
    // Names of columns are in the user's language, but their number tells.
    accepts: (file, found) =>
      file.kind === 'table' &&
      found === undefined &&
      (isKanboardSubtasks(file.table.header) ||
        (file.table.delimiter === ',' && file.table.header.length === 24)),
    load: async () => (await import('./kanboard.ts')).readKanboard,
  },
  jira: {
    board: 'issues of Jira',
    what: 'an export of Jira',
    file: 'issues.csv',
    from: 'issues exported as CSV (all fields), or the JSON of a search',
    expected: 'the CSV export of issues, with English names of columns, or the JSON of a search',
    load: async () => (await import('./jira.ts')).readJira,
  },
  github: {
    board: 'a GitHub project',
    what: 'a GitHub project',
    file: 'project.json',
    from: 'the JSON of gh project item-list, or an exported view (.tsv)',
    expected: 'the JSON of gh project item-list or an exported view (.tsv)',
    load: async () => (await import('./github.ts')).readGitHub,
  },
  wekan: {
    board: 'a WeKan board',
    what: 'a WeKan board',
    file: 'board.json',
    from: 'the board exported as JSON (in its menu: Export board)',
    load: async () => (await import('./wekan.ts')).readWekan,
  },
  deck: {
    board: 'a board of Nextcloud Deck',
    what: 'a board of Nextcloud Deck',
    file: 'deck.json',
    from: "the board exported as JSON (in its menu: Export board), or occ deck:export's",
    load: async () => (await import('./deck.ts')).readDeck,
  },
  vikunja: {
    board: 'projects of Vikunja',
    what: "Vikunja's export",
    file: 'vikunja.zip',
    from: 'the export of your data (Settings: Export data), the zip or its data.json',
    load: async () => (await import('./vikunja.ts')).readVikunja,
  },
  asana: {
    board: 'a project of Asana',
    what: 'a project of Asana',
    file: 'project.csv',
    from: 'the project exported as CSV (in its menu: Export)',
    load: async () => (await import('./asana.ts')).readAsana,
  },
  linear: {
    board: 'issues of Linear',
    what: "Linear's CSV export",
    file: 'issues.csv',
    from: 'issues exported as CSV (Settings: Import / Export, or of a view)',
    load: async () => (await import('./linear.ts')).readLinear,
  },
  notion: {
    board: 'a database of Notion',
    what: 'a database of Notion',
    file: 'tasks.csv',
    from: 'the database exported as Markdown & CSV: the .csv in the zip file',
    accepts: (file, found) => isTable(file) && found === undefined,
    load: async () => (await import('./notion.ts')).readNotion,
  },
  clickup: {
    board: 'tasks of ClickUp',
    what: "ClickUp's CSV export",
    file: 'tasks.csv',
    from: "the workspace's task data exported as CSV",
    load: async () => (await import('./clickup.ts')).readClickUp,
  },
  todoist: {
    board: 'a project of Todoist',
    what: "Todoist's CSV export",
    file: 'project.csv',
    from: 'the project exported as CSV (in its menu), or a file of a backup',
    load: async () => (await import('./todoist.ts')).readTodoist,
  },
  ticktick: {
    board: 'lists of TickTick',
    what: "TickTick's backup",
    file: 'backup.csv',
    from: 'the backup of your lists (Settings: Account, Backup)',
    load: async () => (await import('./ticktick.ts')).readTickTick,
  },
  planner: {
    board: 'a plan of Microsoft Planner',
    what: 'a plan of Microsoft Planner',
    file: 'plan.csv',
    from: 'the plan exported to Excel, and its tasks saved as CSV',
    load: async () => (await import('./planner.ts')).readPlanner,
  },
}

/** The name of the format of archives, which contain all data of a service: only for admins (see `import-archive.ts`). */
export const ARCHIVE_FORMAT = 'phaseboard'

export const FORMAT_NAMES: readonly string[] = [...Object.keys(FORMATS), ARCHIVE_FORMAT]
