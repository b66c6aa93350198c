/**
 * Trello's board export (a board's menu, "Print, export, and share", "Export as JSON"), of any age: parsed leniently and
 * normalized to one board. Only this module depends on the format of the export.
 */
import { Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { isDeeperThan, isObject, type JsonObject } from '../../json.ts'
import { JSON_TEXT_DEPTH } from '../../schemas/common.ts'
import { parseTimestamp, timestamp } from '../../time.ts'
import { isBlank, readableName } from '../imports/names.ts'
import { type SourceComment, type SourcePerson, type SourceSubtask, UNKNOWN_AUTHOR } from './source-board.ts'
import {
  distinctBy,
  emailIn,
  isEmpty,
  objects,
  oldestFirst,
  sortedBy,
  withoutEmpty,
} from './source-values.ts'

/** A list. `name` is as exported; it may be blank, very long, or not unique. */
export interface TrelloList {
  id: string
  name: string
  closed: boolean
  /** A colour's name, or empty. */
  color: string
  /** Maximum number of cards; 0 = no limit. */
  softLimit: number
  createdAt: string
}

export interface TrelloLabel {
  /** Empty in old exports. */
  id: string
  name: string
  color: string
  createdAt: string
}

/** A file or a link on a card. */
interface TrelloAttachment {
  name: string
  url: string
  memberId: string | null
  createdAt: string
  /** All its values. */
  whole: JsonObject
  /** The values without a field here, and its name. */
  rest: JsonObject
}

/** A card. `rest` has all values without a field here. */
export interface TrelloCard {
  id: string
  name: string
  description: string
  closed: boolean
  /** Undefined if not in the file. */
  list: TrelloList | undefined
  position: number | undefined
  dueDate: string | null
  memberIds: string[]
  number: number | undefined
  labels: TrelloLabel[]
  /** Of all its checklists, in order. */
  entries: SourceSubtask[]
  /** Oldest first. */
  comments: SourceComment[]
  attachments: TrelloAttachment[]
  rest: JsonObject
  createdAt: string
  updatedAt: string
}

/** A board, in the order in which Trello shows it. */
export interface TrelloBoard {
  id: string
  name: string
  description: string
  closed: boolean
  url: string
  shortLink: string
  createdAt: string
  updatedAt: string
  /** Open ones first. */
  lists: TrelloList[]
  /** Named ones first. */
  labels: TrelloLabel[]
  members: { id: string; fullName: string; username: string }[]
  /** The members, and comment authors, who may have left the board. */
  people: SourcePerson[]
  /** By position, those without one at the end. */
  cards: TrelloCard[]
  /** Number of the cards' checklists. */
  checklistCount: number
  /** Skipped comments: of cards that are not in the file, or empty. */
  skipped: { comments: number; checklists: number; cards: number }
  /** Comments that the cards count and the file lacks: an export has only the latest actions. */
  missingComments: number
  /** Cards whose due date could not be read; it is in their `rest`. */
  unreadableDueDates: number
  /** Definitions of custom fields, whose values are in the `rest` of cards, and data of power-ups. */
  rest: JsonObject
}

/** The required parts of a board export. Everything else may be missing or malformed. */
const ExportSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  lists: Type.Array(Type.Object({ id: Type.String({ minLength: 1 }) })),
  cards: Type.Array(Type.Object({ id: Type.String({ minLength: 1 }) })),
})

const ajv = new Ajv()
const isExport = ajv.compile<JsonObject>(ExportSchema)

/**
 * Reads a board export.
 * @throws Error with a brief reason for another format
 */
export function trelloBoardIn(board: unknown): TrelloBoard {
  if (!isExport(board)) throw new Error(ajv.errorsText(isExport.errors, { dataVar: 'board' }))
  // The rest of a card is stored unchanged, and serialisers recurse.
  if (isDeeperThan(board, JSON_TEXT_DEPTH)) {
    throw new Error(`it is nested deeper than ${JSON_TEXT_DEPTH} levels`)
  }
  return toBoard(board)
}

// --- values of any type, read leniently ---

/** Well-formed, since SQLite stores UTF-8: two names that differ only in a lone surrogate would become equal. */
const text = (value: unknown): string => (typeof value === 'string' ? value.toWellFormed() : '')
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
const time = (value: unknown): string | undefined => parseTimestamp(text(value))
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(text).filter((entry) => entry !== '') : []

/** The time of creation: the first four bytes of a Trello id are Unix seconds (MongoDB's ObjectId). */
function birth(id: unknown): string | undefined {
  const seconds = /^([0-9a-f]{8})[0-9a-f]{16}$/i.exec(text(id))?.[1]
  return seconds === undefined ? undefined : timestamp(Number.parseInt(seconds, 16) * 1000)
}

/** By `pos`, which may be fractional, missing or something else; those without one keep their order at the end. */
const inOrder = <T extends JsonObject>(things: T[]): T[] => sortedBy(things, ({ pos }) => number(pos))

// --- the board and its parts ---

function toBoard(board: JsonObject): TrelloBoard {
  const updatedAt = time(board.dateLastActivity) ?? birth(board.id) ?? timestamp()
  const allCards = inOrder(objects(board.cards))
  const cardFields = distinctBy(allCards, ({ id }) => text(id))
  const cardIds = new Set(cardFields.map(({ id }) => text(id)))
  const lists = toLists(board, updatedAt)
  const labels = toLabels(board, cardFields, updatedAt)
  const checklists = toChecklists(board, cardFields)
  const comments = toComments(board, updatedAt)
  const isHere = ({ cardId }: { cardId: string }) => cardIds.has(cardId)
  const kept = comments.filter((comment) => comment.text !== '' && isHere(comment))
  const ticked = checklists.filter(isHere)
  const parts: CardParts = {
    listOf: new Map(lists.map((list) => [list.id, list])),
    labelsOf: labels.ofCard,
    checklistsOf: Map.groupBy(checklists, ({ cardId }) => cardId),
    commentsOf: Map.groupBy(kept, ({ cardId }) => cardId),
    boardUpdatedAt: updatedAt,
  }
  const cards = cardFields.map((card) => toCard(card, parts))
  return {
    id: text(board.id),
    name: text(board.name),
    description: text(board.desc),
    closed: board.closed === true,
    url: text(board.url),
    shortLink: text(board.shortLink),
    createdAt: birth(board.id) ?? updatedAt,
    updatedAt,
    lists,
    labels: labels.all,
    members: objects(board.members).map(({ id, fullName, username }) => ({
      id: text(id),
      fullName: text(fullName),
      username: text(username),
    })),
    people: toPeople(board),
    cards,
    checklistCount: ticked.length,
    skipped: {
      comments: comments.length - kept.length,
      checklists: checklists.length - ticked.length,
      cards: allCards.length - cardFields.length,
    },
    missingComments: missingComments(cardFields, comments),
    unreadableDueDates: cards.filter(({ rest }) => 'due' in rest).length,
    rest: withoutEmpty({ customFields: board.customFields, pluginData: board.pluginData }),
  }
}

function toPeople(board: JsonObject): SourcePerson[] {
  const authors = objects(board.actions).map(({ memberCreator }) => memberCreator)
  return distinctBy(objects([...objects(board.members), ...authors]), ({ id }) => text(id)).map(
    ({ id, fullName, username, email }) => ({
      id: text(id),
      name: text(fullName) || text(username),
      email: emailIn(email),
    }),
  )
}

function toLists(board: JsonObject, fallback: string): TrelloList[] {
  const lists = inOrder(objects(board.lists)).map((list) => ({
    id: text(list.id),
    name: text(list.name),
    closed: list.closed === true,
    color: text(list.color),
    softLimit: Number.isSafeInteger(list.softLimit) ? Math.max(0, Number(list.softLimit)) : 0,
    createdAt: birth(list.id) ?? fallback,
  }))
  // At the end they would take the place of the done column.
  return [...lists.filter(({ closed }) => closed), ...lists.filter(({ closed }) => !closed)]
}

/**
 * Labels come from the board or, in old exports, only from the cards, without ids: then equal name and colour
 * mean the same label.
 */
function toLabels(board: JsonObject, cards: JsonObject[], fallback: string) {
  const look = ({ name, color }: JsonObject) => JSON.stringify([text(color), text(name)])
  const known = new Map<string, TrelloLabel>()
  for (const fields of [board, ...cards].flatMap(({ labels }) => objects(labels))) {
    const id = text(fields.id)
    if (known.has(id || look(fields))) continue
    const label: TrelloLabel = {
      id,
      name: text(fields.name),
      color: text(fields.color),
      createdAt: birth(fields.id) ?? fallback,
    }
    if (id !== '') known.set(id, label)
    if (!known.has(look(fields))) known.set(look(fields), label)
  }
  const all = [...new Set(known.values())]
  return {
    all: [...all.filter(({ name }) => !isBlank(name)), ...all.filter(({ name }) => isBlank(name))],
    /** The labels of a card, each once; unknown ids are skipped. */
    ofCard: (card: JsonObject): TrelloLabel[] => {
      const keys = [
        ...strings(card.idLabels),
        ...objects(card.labels).map((label) => text(label.id) || look(label)),
      ]
      return [...new Set(keys.flatMap((key) => known.get(key) ?? []))]
    },
  }
}

interface Checklist {
  id: string
  cardId: string
  name: string
  entries: JsonObject[]
}

/** Checklists are beside the cards or, in other exports, nested in them; either may refer to the other. */
function toChecklists(board: JsonObject, cards: JsonObject[]): Checklist[] {
  const cardOf = new Map(cards.flatMap((card) => strings(card.idChecklists).map((id) => [id, text(card.id)])))
  const nested = cards.flatMap((card) =>
    objects(card.checklists).map((checklist) => ({ ...checklist, idCard: card.id }) as JsonObject),
  )
  const once = new Map<unknown, JsonObject>()
  for (const checklist of [...objects(board.checklists), ...nested]) {
    const key = text(checklist.id) || checklist
    if (!once.has(key)) once.set(key, checklist)
  }
  return inOrder([...once.values()]).map((checklist) => ({
    id: text(checklist.id),
    cardId: text(checklist.idCard) || cardOf.get(text(checklist.id)) || '',
    name: text(checklist.name),
    entries: inOrder(objects(checklist.checkItems)),
  }))
}

/** Keys of a card that are not stored in its `rest`: they have a field, or name the board. */
const HAS_FIELD = new Set([
  'id',
  'name',
  'desc',
  'closed',
  'dateLastActivity',
  'labels',
  'idLabels',
  'idMembers',
  'idBoard',
  'idChecklists',
  'checkItemStates',
  'attachments',
])

interface CardParts {
  listOf: ReadonlyMap<string, TrelloList>
  labelsOf: (card: JsonObject) => TrelloLabel[]
  checklistsOf: ReadonlyMap<string, Checklist[]>
  commentsOf: ReadonlyMap<string, SourceComment[]>
  boardUpdatedAt: string
}

function toCard(card: JsonObject, parts: CardParts): TrelloCard {
  const id = text(card.id)
  const list = parts.listOf.get(text(card.idList))
  const checklists = parts.checklistsOf.get(id) ?? []
  const position = number(card.pos)
  const dueDate = time(card.due) ?? null
  const active = time(card.dateLastActivity)
  const createdAt = birth(id) ?? active ?? parts.boardUpdatedAt
  return {
    id,
    name: text(card.name),
    description: text(card.desc),
    // Trello shows no card of a closed list.
    closed: card.closed === true || list?.closed === true,
    list,
    position,
    dueDate,
    memberIds: [...new Set(strings(card.idMembers))],
    number: number(card.idShort),
    labels: parts.labelsOf(card),
    entries: toEntries(card, checklists, createdAt),
    comments: parts.commentsOf.get(id) ?? [],
    attachments: objects(card.attachments).map((attachment) => toAttachment(attachment, createdAt)),
    rest: withoutEmpty({
      ...Object.fromEntries(Object.entries(card).filter(([key]) => !HAS_FIELD.has(key))),
      checklists: checklists.map(checklistRest),
      cover: isObject(card.cover) ? withoutEmpty({ ...card.cover, scaled: null }) : null,
      listClosed: list?.closed || null,
      pos: position === undefined ? card.pos : null,
      due: dueDate === null ? card.due || null : null,
    }),
    createdAt,
    updatedAt: active ?? createdAt,
  }
}

function toAttachment(attachment: JsonObject, fallback: string): TrelloAttachment {
  // Thumbnails, with several long URLs per picture, would be most of a board's data.
  const { previews: _, ...whole } = attachment
  const { url, idMember, date, ...rest } = whole
  const at = time(date)
  return {
    name: text(whole.name),
    url: text(url),
    memberId: text(idMember) || null,
    createdAt: at ?? birth(whole.id) ?? fallback,
    whole,
    rest: withoutEmpty({ ...rest, date: at === undefined ? date : null }),
  }
}

/** An entry's state is in the checklist; the oldest exports list completed ones on the card instead. */
function toEntries(card: JsonObject, checklists: Checklist[], fallback: string): SourceSubtask[] {
  const states = objects(card.checkItemStates)
  const complete = new Set(
    states.filter(({ state }) => state === 'complete').map(({ idCheckItem }) => text(idCheckItem)),
  )
  return checklists.flatMap(({ name, entries }) => {
    const prefix = checklists.length > 1 ? `${readableName(name)}: ` : ''
    return entries.map((entry) => ({
      title: prefix + readableName(text(entry.name)),
      completed: entry.state === undefined ? complete.has(text(entry.id)) : entry.state === 'complete',
      createdAt: birth(entry.id) ?? fallback,
    }))
  })
}

/** Values without a field in subtasks: the checklist's name; dates, people and invisible names of entries. */
const checklistRest = ({ id, name, entries }: Checklist): JsonObject =>
  withoutEmpty({
    id,
    name,
    checkItems: entries
      .filter(({ name, due, idMember }) => !isEmpty(due) || !isEmpty(idMember) || isBlank(text(name)))
      .map(({ id, name, due, idMember }) => withoutEmpty({ id, name, due, idMember })),
  })

const COMMENTS = new Set<unknown>(['commentCard', 'copyCommentCard'])

interface CardComment extends SourceComment {
  cardId: string
}

function toComments(board: JsonObject, fallback: string): CardComment[] {
  const comments = objects(board.actions)
    .filter(({ type }) => COMMENTS.has(type))
    .map((action) => {
      const data = isObject(action.data) ? action.data : {}
      return {
        cardId: isObject(data.card) ? text(data.card.id) : '',
        authorId: text(action.idMemberCreator) || UNKNOWN_AUTHOR,
        text: text(data.text),
        createdAt: time(action.date) ?? birth(action.id) ?? fallback,
        editedAt: time(data.dateLastEdited) ?? null,
      }
    })
  // The export is newest first, and comments of equal time keep their order.
  return oldestFirst(comments.reverse())
}

function missingComments(cards: readonly JsonObject[], comments: readonly CardComment[]): number {
  const ofCard = Map.groupBy(comments, ({ cardId }) => cardId)
  return cards.reduce((sum, { id, badges }) => {
    const counted = isObject(badges) ? (number(badges.comments) ?? 0) : 0
    return sum + Math.max(0, counted - (ofCard.get(text(id))?.length ?? 0))
  }, 0)
}
