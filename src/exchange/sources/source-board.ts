/** A board as another tool exported it: what every importer makes of its format, and all that the writing of it knows. */
import type { Stage } from '../../board/stages.ts'
import type { JsonObject } from '../../json.ts'

/** A column. Names may be blank, very long, or not unique. */
export interface SourceColumn {
  name: string
  /** `#rrggbb`, or empty. */
  color: string
  /** How many cards it should hold at most; 0 = no limit. */
  wipLimit: number
  /** What standing there means for the work, where the tool tells it; absent for what its name says. */
  stage?: Stage
  /** Whether it is not shown there. */
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

/** What is to be ticked off on a card. */
export interface SourceSubtask {
  title: string
  completed: boolean
  createdAt: string
}

/** What the file knows of a person, beside the id. */
export interface SourcePerson {
  /** What cards and comments hold: the other tool's id, or a user name or text where that is all there is. */
  id: string
  /** Empty where the file does not tell. */
  name: string
  /** Empty where the file does not tell. */
  email: string
}

/** The author of what nobody is known to have written. */
export const UNKNOWN_AUTHOR = 'unknown'

/** A comment on a card. `authorId` is the other tool's, or its user name where that is all there is. */
export interface SourceComment {
  authorId: string
  text: string
  createdAt: string
  editedAt: string | null
}

/** A card. `rest` holds all that has no field of its own here; it goes to `metadata.<format>`. */
export interface SourceCard {
  /** The other tool's id of it: the item's `sourceId`. */
  id: string
  title: string
  description: string
  /** Undefined when the file does not say, or names one that is not in it. */
  column: SourceColumn | undefined
  /** Its place in its column; undefined for after the one before it. */
  position: number | undefined
  /** Empty for the default. */
  priority: string
  assigneeId: string | null
  dueDate: string | null
  /** Archived, closed or deleted there. */
  dismissed: boolean
  labels: SourceLabel[]
  subtasks: SourceSubtask[]
  /** Oldest first. */
  comments: SourceComment[]
  rest: JsonObject
  createdAt: string
  updatedAt: string
}

/** A board, in the order in which the other tool shows it. Timestamps are as the API has them. */
export interface SourceBoard {
  /** What the tool is called on the command line, and its key in `metadata`: `trello`, `csv`, `planka`, ... */
  format: string
  /** What tells this board from all others of the format: an import of one that is there is refused. */
  id: string
  name: string
  description: string
  archived: boolean
  createdAt: string
  updatedAt: string
  columns: SourceColumn[]
  labels: SourceLabel[]
  cards: SourceCard[]
  /** People of whom the file knows more than the id that cards and comments hold; others, too. */
  people: SourcePerson[]
  /** Whether the ids of people are those of a Phaseboard: then they may be those of this one. */
  hasOwnPeople?: boolean
  /** Of the board itself, without a field of its own; it goes to the project's `metadata.<format>`. */
  rest: JsonObject
  /** Lines for the summary about what could not be taken over as it was: "unreadable due dates 3 (kept in metadata.csv)". */
  notes: string[]
  /** What the summary says in brackets behind its counts: `2 from closed lists`. */
  remarks?: { columns?: string[]; subtasks?: string[] }
  /** The name of the column for cards without one; absent for `No column`. */
  nameOfNoColumn?: string
  /**
   * Whether a card's id is no other card's in the world: then a board is known by its cards where its id is lost. Numbers
   * that count from one in each board do not tell anything.
   */
  hasUniqueCardIds?: boolean
}

/**
 * Reads a file of a format.
 * @param bytes the whole file
 * @param name its name, for formats that take something from it (the board's name, say)
 * @throws Error that says in a few words what makes the file something else, e.g. `it is not JSON`
 */
export type BoardReader = (bytes: Uint8Array, name: string) => SourceBoard | Promise<SourceBoard>
