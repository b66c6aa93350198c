/** A board in the neutral form that every format's reader produces. */
import type { Stage } from '../../board/stages.ts'
import type { JsonObject } from '../../json.ts'
import type { SourceFile } from './source-files.ts'

/** A column. Names may be blank, very long, or not unique. */
export interface SourceColumn {
  name: string
  /** `#rrggbb`, or empty. */
  color: string
  /** Maximum number of cards; 0 = no limit. */
  wipLimit: number
  /** The stage of work, if the tool has it; by default derived from the name. */
  stage?: Stage
  /** Whether it is hidden there. */
  isClosed?: boolean
  createdAt: string
}

/** A label. Names may be blank, very long, or not unique. */
export interface SourceLabel {
  name: string
  /** `#rrggbb`, or empty for the default. */
  color: string
  createdAt: string
}

/** A checklist entry of a card. */
export interface SourceSubtask {
  title: string
  completed: boolean
  createdAt: string
}

/** A person in the file. */
export interface SourcePerson {
  /** The id in cards and comments: the other tool's id, or a user name or text if there is no id. */
  id: string
  /** Empty if not in the file. */
  name: string
  /** Empty if not in the file. */
  email: string
}

/** The author of comments with an unknown author. */
export const UNKNOWN_AUTHOR = 'unknown'

/** A comment on a card. `authorId` is the other tool's id, or a user name if there is no id. */
export interface SourceComment {
  authorId: string
  text: string
  createdAt: string
  editedAt: string | null
}

/** A file or a link on a card. It becomes a link, if it has a URL that may be one; its bytes are not fetched. */
export interface SourceAttachment {
  /** May be blank or very long. */
  name: string
  /** Any text; empty if the file has none. */
  url: string
  /** The other tool's id, or a user name if there is no id. */
  creatorId: string | null
  createdAt: string
  /** The field of the card's `rest` for the following. */
  field: string
  /** Everything about it, if it does not become a link. */
  whole: unknown
  /** Data that a link cannot represent; undefined for none. */
  rest?: unknown
}

/** How a card depends on another one; `parent`: the other one is its parent. */
export const LINK_TYPES = ['blocks', 'blocked_by', 'relates', 'duplicates', 'parent'] as const

/** A link to another card, kept in `metadata.links` of the item. */
export interface SourceLink {
  type: (typeof LINK_TYPES)[number]
  /** The other card's id in the file; its title if the file names it by that; any text if it is not in the file. */
  to: string
}

/** A card. `rest` has all values without a field here; it becomes `metadata.<format>`. */
export interface SourceCard {
  /** The other tool's id, which becomes the item's `sourceId`. */
  id: string
  /** The card's own number on its board, if the tool has one. */
  number?: number | undefined
  title: string
  description: string
  /** Undefined if missing, or not in the file. */
  column: SourceColumn | undefined
  /** Its place in its column. Undefined means after the previous card. */
  position: number | undefined
  /** Empty for the default. */
  priority: string
  /** The ids of all people assigned to it, in order, each once. */
  assignees: string[]
  dueDate: string | null
  /** Archived, closed or deleted there. */
  dismissed: boolean
  labels: SourceLabel[]
  subtasks: SourceSubtask[]
  /** Oldest first. */
  comments: SourceComment[]
  attachments: SourceAttachment[]
  links?: SourceLink[]
  rest: JsonObject
  createdAt: string
  updatedAt: string
}

/** A card with the given fields, and no others. */
export const newCard = (
  fields: Pick<SourceCard, 'id' | 'title' | 'createdAt'> & Partial<SourceCard>,
): SourceCard => ({
  description: '',
  column: undefined,
  position: undefined,
  priority: '',
  assignees: [],
  dueDate: null,
  dismissed: false,
  labels: [],
  subtasks: [],
  comments: [],
  attachments: [],
  rest: {},
  updatedAt: fields.createdAt,
  ...fields,
})

/** A board, in the other tool's order. Timestamps have the API's form. */
export interface SourceBoard {
  /** The tool's name on the command line, and its key in `metadata`: `trello`, `csv`, `planka`, ... */
  format: string
  /** The identity of the board within the format: an existing one is not imported again. */
  id: string
  name: string
  description: string
  archived: boolean
  createdAt: string
  updatedAt: string
  columns: SourceColumn[]
  labels: SourceLabel[]
  cards: SourceCard[]
  /** People with more data than their id in cards and comments; perhaps others, too. */
  people: SourcePerson[]
  /** Whether people have ids of a Phaseboard, which may be this one. */
  hasOwnPeople?: boolean
  /** The board's values without a field; they become the project's `metadata.<format>`. */
  rest: JsonObject
  /** Lines for the summary about values that could not be imported unchanged: "unreadable due dates 3 (kept in metadata.csv)". */
  notes: string[]
  /** Notes in brackets after the counts of the summary: `2 from closed lists`. */
  remarks?: { columns?: string[]; subtasks?: string[] }
  /** The name of the column for cards without one; absent for `No column`. */
  nameOfNoColumn?: string
  /**
   * Whether card ids are globally unique, so that they identify a board whose id is lost. Numbers
   * per board do not.
   */
  hasUniqueCardIds?: boolean
  /** Whether these cards never move to another board. Then they also identify one that an earlier import knows by another id. */
  keepsCards?: boolean
}

/** What a reader may know besides the file. */
export interface ReadingOptions {
  /** The file's name, for formats that use it, e.g. as the board's name. */
  name: string
  /** The whole file as it came, to identify it where nothing in it does. */
  bytes: Uint8Array
  /** Columns of a table, by name, and the fields they are. */
  columns?: readonly { from: string; to: string }[] | undefined
}

/**
 * Reads an opened file of a format.
 * @throws Error with a brief reason if it cannot
 */
export type BoardReader = (file: SourceFile, options: ReadingOptions) => SourceBoard | Promise<SourceBoard>
