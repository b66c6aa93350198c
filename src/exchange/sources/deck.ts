/** Nextcloud Deck: the JSON of a board, or of all boards of a user (`occ deck:export`). */
import { isObject, type JsonObject } from '../../json.ts'
import { timestamp } from '../../time.ts'
import { type DraftCard, settle } from './draft-cards.ts'
import {
  type BoardReader,
  newCard,
  type SourceColumn,
  type SourceLabel,
  type SourcePerson,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import { deckBoards } from './source-formats.ts'
import {
  ByName,
  distinctBy,
  isEmpty,
  note,
  number,
  objects,
  oldestFirst,
  repeatedCards,
  sortedBy,
  span,
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
const colorOf = (value: unknown) =>
  /^[0-9a-f]{6}$/i.test(text(value)) ? `#${text(value).toLowerCase()}` : ''

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
  const columns = new ByName(
    (title): SourceColumn => ({ name: title, color: '', wipLimit: 0, createdAt: '' }),
  )
  const boardLabels = new ByName((title): SourceLabel => ({ name: title, color: '', createdAt: '' }))
  const labels = new Map<string, SourceLabel>()
  const people = new Map<string, SourcePerson>()
  const drafts: DraftCard[] = []
  let unreadable = 0
  const learn = (person: SourcePerson) => {
    if (person.id !== '' && !people.get(person.id)?.name) people.set(person.id, person)
    return person.id
  }
  const labelOf = (label: JsonObject): SourceLabel => {
    const id = text(label.id) || text(label.title)
    const known = labels.get(id) ?? { name: text(label.title), color: colorOf(label.color), createdAt: '' }
    labels.set(id, known)
    return known
  }

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
        assignees: [
          ...new Set(objects(card.assignedUsers).map(({ participant }) => learn(personOf(participant)))),
        ].filter((id) => id !== ''),
        dueDate,
        labels: [
          ...new Set(objects(card.labels).map(labelOf)),
          ...(boards.length > 1 ? [boardLabels.of(text(board.title))] : []),
        ],
        comments: oldestFirst(
          objects(card.comments).map((comment) => ({
            authorId:
              learn({ id: text(comment.actorId), name: text(comment.actorDisplayName), email: '' }) ||
              UNKNOWN_AUTHOR,
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
          owner: learn(personOf(card.owner)),
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
    for (const user of objects(board.users)) learn(personOf(user))
    for (const stack of sortedBy(valuesOf(board.stacks), order)) {
      if (number(stack.deletedAt)) continue
      const column = columns.of(text(stack.title))
      if (stack.isDoneColumn === true) column.stage = 'done'
      for (const card of sortedBy(valuesOf(stack.cards), order)) {
        if (!number(card.deletedAt)) drafts.push(toDraft(card, column, board))
      }
    }
  }
  const distinct = distinctBy(drafts, ({ card }) => card.id)
  const settled = settle(distinct, {
    format: 'deck',
    columns: columns.all,
    keepColumn: (card, title) => {
      card.rest.stack = title
    },
  })
  const { first, last } = span(distinct.flatMap(({ card }) => [card.createdAt, card.updatedAt]))
  const all = [...labels.values(), ...boardLabels.all]
  for (const part of [...all, ...columns.all]) part.createdAt = first
  const [board = {}] = boards
  return {
    format: 'deck',
    id: boards.map(({ id }) => text(id)).join(),
    name: boards.length === 1 ? text(board.title) : baseName(name),
    description: '',
    archived: boards.every(({ archived }) => archived === true),
    createdAt: first,
    updatedAt: last,
    columns: columns.all,
    ...settled,
    labels: all,
    people: [...people.values()],
    rest: { boards: boards.map(({ id, title, color }) => withoutEmpty({ id, title, color })) },
    hasUniqueCardIds: false,
    notes: [
      ...note(unreadable, 'unreadable due dates', 'kept in metadata.deck.duedate'),
      ...repeatedCards(drafts.length - distinct.length),
      ...settled.notes,
    ],
  }
}
