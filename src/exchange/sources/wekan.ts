/** WeKan's export of a board. */
import { isObject, type JsonObject } from '../../json.ts'
import { timestamp } from '../../time.ts'
import { type DraftCard, settle } from './draft-cards.ts'
import {
  type BoardReader,
  newCard,
  type SourceBoard,
  type SourceColumn,
  type SourceLabel,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import {
  distinctBy,
  idsIn,
  isEmpty,
  linkOf,
  note,
  number,
  objects,
  oldestFirst,
  repeatedCards,
  sortedBy,
  text,
  time,
  without,
  withoutEmpty,
} from './source-values.ts'

/** Reads a board. */
export const readWekan: BoardReader = (file) => boardOf((file as { value: JsonObject }).value)

const idOf = (thing: JsonObject) => text(thing._id) || text(thing.id)
const place = ({ sort }: JsonObject) => number(sort)

/** Fields of a card that are not stored in its rest: they have a field, or name the board. */
const HAS_FIELD = new Set([
  ...['_id', 'id', 'boardId', 'title', 'description', 'listId', 'swimlaneId', 'sort', 'archived', 'labelIds'],
  ...['members', 'assignees', 'parentId', 'cardDependencies', 'customFields', 'createdAt', 'cardNumber'],
  ...['modifiedAt', 'dateLastActivity', 'type', 'linkedId'],
])

function boardOf(board: JsonObject): SourceBoard {
  const updatedAt = time(board.modifiedAt) ?? time(board.createdAt) ?? timestamp()
  const createdAt = time(board.createdAt) ?? updatedAt
  const born = (thing: JsonObject, fallback = createdAt) => time(thing.createdAt) ?? fallback
  const all = (name: string) => sortedBy(objects(board[name]), place)
  const lists = all('lists').map((list): [string, SourceColumn] => [
    idOf(list),
    {
      name: text(list.title),
      color: COLORS.get(text(list.color)) ?? '',
      wipLimit:
        isObject(list.wipLimit) && list.wipLimit.enabled === true ? (number(list.wipLimit.value) ?? 0) : 0,
      ...(list.archived === true && { isClosed: true }),
      createdAt: born(list),
    },
  ])
  // At the end they would take the place of the done column.
  const columns = new Map(lists.toSorted(([, a], [, b]) => Number(b.isClosed ?? 0) - Number(a.isClosed ?? 0)))
  const labelOf = (name: string, color: unknown): SourceLabel => ({
    name: name || text(color),
    color: COLORS.get(text(color)) ?? '',
    createdAt,
  })
  const labels = new Map(
    objects(board.labels).map((label) => [idOf(label), labelOf(text(label.name), label.color)]),
  )
  // Swimlanes are labels, if there are several.
  const lanes = new Map(all('swimlanes').map((lane) => [idOf(lane), labelOf(text(lane.title), lane.color)]))
  /** The ids of archived swimlanes, whose cards are so, too. */
  const putAway = new Set(
    all('swimlanes')
      .filter(({ archived }) => archived === true)
      .map(idOf),
  )
  const ofCard = (name: string) => Map.groupBy(all(name), ({ cardId }) => text(cardId))
  const [checklists, entries, comments] = [ofCard('checklists'), ofCard('checklistItems'), ofCard('comments')]
  const attachments = ofCard('attachments')
  const fields = new Map(objects(board.customFields).map((field) => [idOf(field), field]))
  /** A card's parts. Several cards may have no id. */
  const of = (parts: ReadonlyMap<string, JsonObject[]>, id: string) =>
    id === '' ? [] : (parts.get(id) ?? [])
  let unreadable = 0

  const toDraft = (card: JsonObject): DraftCard => {
    const id = idOf(card)
    const at = born(card)
    const column = columns.get(text(card.listId))
    const lane = lanes.get(text(card.swimlaneId))
    const dueDate = time(card.dueAt) ?? null
    if (dueDate === null && !isEmpty(card.dueAt)) unreadable += 1
    const own = of(checklists, id)
    const order = new Map(own.map((checklist, index) => [idOf(checklist), index]))
    const ownEntries = sortedBy(of(entries, id), ({ checklistId }) => order.get(text(checklistId)))
    const labelled = idsIn(card.labelIds)
    return {
      state:
        card.archived === true || column?.isClosed || putAway.has(text(card.swimlaneId))
          ? 'archived'
          : 'open',
      parent: text(card.parentId),
      card: newCard({
        id,
        number: number(card.cardNumber) || undefined,
        title: text(card.title),
        description: text(card.description),
        column,
        position: number(card.sort),
        assignees: idsIn([...idsIn(card.assignees), ...idsIn(card.members)]),
        dueDate,
        labels: [
          ...labelled.flatMap((label) => labels.get(label) ?? []),
          ...(lane && lanes.size > 1 ? [lane] : []),
        ],
        subtasks: ownEntries.map((entry) => ({
          title:
            (own.length > 1 ? `${text(own[order.get(text(entry.checklistId)) ?? -1]?.title)}: ` : '') +
            text(entry.title),
          completed: entry.isFinished === true,
          createdAt: born(entry, at),
        })),
        comments: oldestFirst(
          of(comments, id).map((comment) => ({
            authorId: text(comment.userId) || UNKNOWN_AUTHOR,
            text: text(comment.text),
            createdAt: born(comment, at),
            editedAt: null,
          })),
        ),
        // An export has the bytes of files, or nothing: no address.
        attachments: of(attachments, id).map(({ file: _, ...whole }) => ({
          ...{ name: text(whole.name), url: text(whole.url), creatorId: text(whole.userId) || null },
          ...{ createdAt: at, field: 'attachments', whole },
        })),
        links: objects(card.cardDependencies).map(({ cardId, type }) => ({
          type: linkOf(text(type)),
          to: text(cardId),
        })),
        rest: withoutEmpty({
          ...without(card, HAS_FIELD),
          dueAt: dueDate === null ? card.dueAt : null,
          swimlane: lane?.name,
          checklists: own.map((checklist) => text(checklist.title)),
          customFields: objects(card.customFields)
            .filter(({ value }) => !isEmpty(value))
            .map((value) => toField(value, fields.get(idOf(value)))),
        }),
        createdAt: at,
        updatedAt: time(card.modifiedAt) ?? time(card.dateLastActivity) ?? at,
      }),
    }
  }
  const cards = all('cards')
  const distinct = distinctBy([...cards, ...all('subtaskItems')], idOf)
  const drafts = distinct.map(toDraft)
  const settled = settle(drafts, {
    format: 'wekan',
    columns: [...columns.values()],
    keepColumn: () => undefined,
  })
  const used = new Set(settled.cards.flatMap((card) => card.labels))
  return {
    format: 'wekan',
    id: idOf(board),
    name: text(board.title),
    description: text(board.description),
    archived: board.archived === true,
    createdAt,
    updatedAt,
    columns: [...columns.values()],
    ...settled,
    labels: [...labels.values(), ...[...lanes.values()].filter((lane) => used.has(lane))],
    people: objects(board.users).map((user) => ({
      id: idOf(user),
      name: (isObject(user.profile) && text(user.profile.fullname)) || text(user.username),
      email: '',
    })),
    rest: withoutEmpty({ swimlanes: [...lanes.values()].map(({ name }) => name), slug: board.slug }),
    hasUniqueCardIds: true,
    notes: [
      ...note(unreadable, 'unreadable due dates', 'kept in metadata.wekan.dueAt'),
      ...repeatedCards(cards.length - distinctBy(cards, idOf).length),
      ...settled.notes,
    ],
  }
}

/** The value of a custom field, under its name. Options of a list have ids. */
function toField({ value }: JsonObject, field: JsonObject = {}): JsonObject {
  const options = isObject(field.settings) ? objects(field.settings.dropdownItems) : []
  const option = options.find((one) => idOf(one) === value)
  return { name: text(field.name), value: option ? text(option.name) : value }
}

/** WeKan's colours. */
const COLORS = new Map(
  Object.entries({
    ...{ white: '#ffffff', green: '#3cb500', yellow: '#fad900', orange: '#ff9f19', red: '#eb4646' },
    ...{ purple: '#a632db', blue: '#0079bf', sky: '#00c2e0', lime: '#51e898', pink: '#ff78cb' },
    ...{ black: '#4d4d4d', silver: '#c0c0c0', peachpuff: '#ffdab9', crimson: '#dc143c', plum: '#dda0dd' },
    ...{ darkgreen: '#006400', slateblue: '#6a5acd', magenta: '#ff00ff', gold: '#ffd700', navy: '#000080' },
    ...{ gray: '#808080', saddlebrown: '#8b4513', paleturquoise: '#afeeee', mistyrose: '#ffe4e1' },
    ...{ indigo: '#4b0082' },
  }),
)
