/** A board in the form of Trello's export, the only one that Planka imports: see docs/exporting.md. */
import { asc, desc, eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { JsonPieces } from '../db/json-pieces.ts'
import { kanbanComments, kanbanLabels } from '../db/schema.ts'
import { given, selectAll } from '../db/statements.ts'
import { among, bytesOf, readLimit } from '../db/work-limits.ts'
import type { KanbanItem, KanbanLabel } from '../schemas/records.ts'
import { type ExportedBoard, type ExportedBoards, type Named, visibleTitle } from './exported-boards.ts'
import { type ItemFile, toFile } from './item-files.ts'
import { trelloColor } from './trello-colors.ts'

/** The distance between neighbours in `pos`, as Planka has it. */
const GAP = 65_536

/** The name of a person that is not known any more, as the page says it. */
const SOMEBODY = 'Somebody'

const statementsOf = (db: SharedDatabase) => ({
  comments: selectAll<Comment>(db, () =>
    db
      .select()
      .from(kanbanComments)
      .where(eq(kanbanComments.itemId, given('itemId')))
      .orderBy(desc(kanbanComments.id)),
  ),
  labels: selectAll<KanbanLabel>(db, () =>
    db
      .select()
      .from(kanbanLabels)
      .where(eq(kanbanLabels.projectId, given('projectId')))
      .orderBy(asc(kanbanLabels.id)),
  ),
  limitComments: readLimit(db, [{ rows: among('kanban_comments', 'item_id'), bytes: bytesOf('content') }]),
})

/** A member of the board, or the author of a comment. */
const memberOf = (id: string, name: string) => ({ id, fullName: name, username: name })

type Comment = typeof kanbanComments.$inferSelect

const positionOf = (index: number) => GAP * (index + 1)

/** The lists by name: the columns, and those that only items name. */
class Lists {
  readonly all: object[] = []
  readonly #ids = new Map<string, string>()
  readonly #done: Set<string>

  constructor({ columns }: ExportedBoard) {
    this.#done = new Set(columns.filter(({ stage }) => stage === 'done').map(({ name }) => name))
    for (const { id, name, wipLimit } of columns) this.#add(id, name, wipLimit)
  }

  /** The id of the list of a column. */
  idOf(column: string): string {
    return this.#ids.get(column) ?? this.#add(`column ${column}`, column, 0)
  }

  isDone(column: string): boolean {
    return this.#done.has(column)
  }

  #add(id: string, column: string, wipLimit: number): string {
    const name = visibleTitle(column)
    this.all.push({ id, name, closed: false, pos: positionOf(this.all.length), softLimit: wipLimit || null })
    this.#ids.set(column, id)
    return id
  }
}

const cardOf = (item: KanbanItem, index: number, lists: Lists) => ({
  id: item.id,
  idShort: item.number,
  name: visibleTitle(item.title),
  desc: item.description,
  closed: item.dismissed,
  idList: lists.idOf(item.column),
  pos: positionOf(index),
  due: item.dueDate,
  dueComplete: lists.isDone(item.column),
  dateLastActivity: item.updatedAt,
  idLabels: item.labels.map(({ id }) => id),
  idMembers: item.assigneeIds,
})

const checklistOf = ({ id, subtasks }: KanbanItem) => ({
  id,
  idCard: id,
  name: 'Subtasks',
  pos: GAP,
  checkItems: subtasks.map((subtask, index) => ({
    id: subtask.id,
    name: visibleTitle(subtask.title),
    state: subtask.completed ? 'complete' : 'incomplete',
    pos: positionOf(index),
  })),
})

const labelOf = ({ id, name, color }: KanbanLabel) => ({ id, name, color: trelloColor(color) })

const commentOf = ({ id, itemId, authorId, content, editedAt, createdAt }: Comment, author: string) => ({
  id,
  type: 'commentCard',
  date: createdAt,
  idMemberCreator: authorId,
  memberCreator: memberOf(authorId, author),
  data: { text: content, card: { id: itemId }, ...(editedAt && { dateLastEdited: editedAt }) },
})

/** Adds a list to an object that has other members, piece by piece. */
function addList(text: JsonPieces, key: string, pieces: Iterable<readonly object[]>): void {
  let before = `,"${key}":[`
  for (const piece of pieces) {
    if (piece.length === 0) continue
    text.add(before + piece.map((part) => JSON.stringify(part)).join(','))
    before = ','
  }
  text.add(before === ',' ? ']' : `${before}]`)
}

/** The names of the people that a board has named so far. */
class Names {
  readonly all = new Map<string, string>()
  readonly #read: (ids: readonly string[]) => Map<string, string>

  constructor(read: (ids: readonly string[]) => Map<string, string>) {
    this.#read = read
  }

  add(ids: readonly string[]): void {
    const further = ids.filter((id) => !this.all.has(id))
    if (further.length === 0) return
    const found = this.#read(further)
    for (const id of further) this.all.set(id, found.get(id) ?? SOMEBODY)
  }

  of(id: string): string {
    this.add([id])
    return this.all.get(id) ?? SOMEBODY
  }
}

/** Parts of the file that its cards add to. */
interface Parts {
  lists: Lists
  names: Names
  checklists: object[]
}

/** Boards as JSON of Trello. */
export class TrelloJson {
  static readonly reads: readonly string[] = ['ofProject']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #boards: ExportedBoards

  constructor(db: SharedDatabase, boards: ExportedBoards) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#boards = boards
  }

  /**
   * A board with its items, dismissed ones too, by sortOrder, and their comments.
   * @param hosted people that the host has just returned
   * @throws ApiError 404; 503 above the size limit; TooMuchWork
   */
  ofProject(projectId: string, hosted: readonly Named[] = []): ItemFile {
    return read(this.#db, () => {
      const board = this.#boards.open(projectId)
      this.#sql.limitComments(JSON.stringify(board.itemIds))
      const { id, name, description } = board.project
      const lists = new Lists(board)
      const names = new Names((ids) => this.#boards.names(ids, hosted))
      const checklists: object[] = []
      const text = new JsonPieces(this.#db)
      text.add(JSON.stringify({ id, name, desc: description }).slice(0, -1))
      addList(text, 'labels', [this.#sql.labels({ projectId }).map(labelOf)])
      addList(text, 'cards', this.#cardsOf(board, { lists, names, checklists }))
      addList(text, 'checklists', [checklists])
      addList(text, 'actions', this.#commentsOf(board, names))
      addList(text, 'lists', [lists.all])
      addList(text, 'members', [[...names.all].map(([id, name]) => memberOf(id, name))])
      text.add('}')
      return toFile(text.join())
    })
  }

  /** The cards in pieces. What they have elsewhere in the file is added to the other parts. */
  *#cardsOf(board: ExportedBoard, { lists, names, checklists }: Parts): Generator<object[]> {
    let index = 0
    for (const items of this.#boards.itemsOf(board)) {
      names.add(items.flatMap(({ assigneeIds }) => assigneeIds))
      checklists.push(...items.filter(({ subtasks }) => subtasks.length > 0).map(checklistOf))
      yield items.map((item) => cardOf(item, index++, lists))
    }
  }

  /** The comments of one item after the other, newest first. */
  *#commentsOf({ itemIds }: ExportedBoard, names: Names): Generator<object[]> {
    for (const itemId of itemIds)
      yield this.#sql.comments({ itemId }).map((comment) => commentOf(comment, names.of(comment.authorId)))
  }
}
