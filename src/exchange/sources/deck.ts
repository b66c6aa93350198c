/** Nextcloud Deck: the JSON of a board, or of all boards of a user (`occ deck:export`). */
import { isObject, type JsonObject } from '../../json.ts'
import { timestamp } from '../../time.ts'
import { type DraftCard, GatheredBoards } from './draft-cards.ts'
import {
  type BoardReader,
  newCard,
  type SourceColumn,
  type SourcePerson,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import { deckBoards } from './source-formats.ts'
import {
  isEmpty,
  note,
  number,
  objects,
  oldestFirst,
  sortedBy,
  text,
  time,
  unixTime,
  without,
  withoutEmpty,
} from './source-values.ts'
import { baseName } from './table-board.ts'

/** Fields of a card that are not stored in its rest: they have a field, name the board, or are counts. */
const HAS_FIELD = new Set([
  ...['id', 'title', 'description', 'stackId', 'labels', 'assignedUsers', 'attachments', 'order', 'archived'],
  ...['createdAt', 'lastModified', 'comments', 'board', 'boardId', 'relatedBoard', 'relatedStack', 'ETag'],
  ...['deletedAt', 'commentsUnread', 'commentsCount', 'attachmentCount', 'overdue', 'type', 'dependentCards'],
])

/** An object's values, or a list. */
const valuesOf = (things: unknown) => objects(isObject(things) ? Object.values(things) : things)
const order = (thing: JsonObject) => number(thing.order)

/** A user, or its name alone; then of a group or circle, too. */
function personOf(value: unknown): SourcePerson {
  const { uid, primaryKey, displayname } = isObject(value) ? value : { uid: value }
  return { id: text(uid) || text(primaryKey), name: text(displayname), email: '' }
}

/** Reads boards. Several become one, in which each card has a label with its board's title. */
export const readDeck: BoardReader = (file, { name }) => {
  const boards = objects(deckBoards((file as { value: unknown }).value)).filter(
    ({ deletedAt }) => !number(deletedAt),
  )
  const gathered = new GatheredBoards(boards.length)
  const drafts: DraftCard[] = []
  let unreadable = 0
  const labelOf = ({ id, title, color }: JsonObject) => gathered.labelOf(text(id), text(title), text(color))

  const toDraft = (card: JsonObject, column: SourceColumn, board: JsonObject): DraftCard => {
    const updatedAt = unixTime(card.lastModified) ?? timestamp()
    const createdAt = unixTime(card.createdAt) ?? updatedAt
    const dueDate = time(card.duedate) ?? null
    if (dueDate === null && !isEmpty(card.duedate)) unreadable += 1
    return {
      state:
        card.archived === true ? 'archived' : isEmpty(card.done) || card.done === false ? 'open' : 'done',
      parent: '',
      card: newCard({
        id: text(card.id),
        title: text(card.title),
        description: text(card.description),
        column,
        assignees: gathered.peopleOf(
          objects(card.assignedUsers).map(({ participant }) => personOf(participant)),
        ),
        dueDate,
        labels: [...new Set(objects(card.labels).map(labelOf)), ...gathered.labelsOf(text(board.title))],
        comments: oldestFirst(
          objects(card.comments).map((comment) => ({
            authorId:
              gathered.personOf({
                id: text(comment.actorId),
                name: text(comment.actorDisplayName),
                email: '',
              }) || UNKNOWN_AUTHOR,
            text: text(comment.message),
            createdAt: time(comment.creationDateTime) ?? createdAt,
            editedAt: null,
          })),
        ),
        // Files have no address there.
        attachments: objects(card.attachments).map((whole) => ({
          ...{ name: text(whole.data), url: '', creatorId: text(whole.createdBy) || null },
          ...{ createdAt: unixTime(whole.createdAt) ?? createdAt, field: 'attachments', whole },
        })),
        links: (Array.isArray(card.dependentCards) ? card.dependentCards : []).map((to) => ({
          type: 'relates',
          to: text(isObject(to) ? to.id : to),
        })),
        rest: withoutEmpty({
          ...without(card, HAS_FIELD),
          owner: gathered.personOf(personOf(card.owner)),
          duedate: dueDate === null ? card.duedate : null,
          done: card.done === false ? null : card.done,
        }),
        createdAt,
        updatedAt,
      }),
    }
  }

  for (const board of boards) {
    for (const label of objects(board.labels)) labelOf(label)
    for (const user of objects(board.users)) gathered.personOf(personOf(user))
    for (const stack of sortedBy(valuesOf(board.stacks), order)) {
      if (number(stack.deletedAt)) continue
      const column = gathered.columns.of(text(stack.title))
      if (stack.isDoneColumn === true) column.stage = 'done'
      for (const card of sortedBy(valuesOf(stack.cards), order)) {
        if (!number(card.deletedAt)) drafts.push(toDraft(card, column, board))
      }
    }
  }
  const made = gathered.finish('deck', drafts, 'stack')
  const [board = {}] = boards
  return {
    ...made,
    id: boards.map(({ id }) => text(id)).join(),
    name: boards.length === 1 ? text(board.title) : baseName(name),
    description: '',
    archived: boards.every(({ archived }) => archived === true),
    rest: { boards: boards.map(({ id, title, color }) => withoutEmpty({ id, title, color })) },
    notes: [...note(unreadable, 'unreadable due dates', 'kept in metadata.deck.duedate'), ...made.notes],
  }
}
