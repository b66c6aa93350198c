/**
 * Planka's response for a board, `GET /api/boards/{id}`, of versions 1 and 2. It has no comments; they are read if the user
 * has added them as `included.comments` (version 2) or `included.actions` (version 1).
 */
import { isObject, type JsonObject } from '../../json.ts'
import { timestamp } from '../../time.ts'
import {
  type BoardReader,
  type SourceAttachment,
  type SourceBoard,
  type SourceCard,
  type SourceColumn,
  type SourceComment,
  type SourceLabel,
  type SourceSubtask,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import {
  distinctBy,
  EMAIL_FIELDS,
  emailIn,
  idsIn,
  isEmpty,
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
export const readPlanka: BoardReader = (file) => {
  const { item, included } = (file as { value: { item: JsonObject; included: JsonObject } }).value
  return new PlankaBoard(item, included).read()
}

/** Kinds of lists whose cards are not on the board. */
const PUT_AWAY = new Set(['archive', 'trash'])

/** Fields of a card that are not stored in its rest: they have a field, or name the board. */
const HAS_FIELD = new Set([
  'id',
  'boardId',
  'listId',
  'name',
  'description',
  'position',
  'createdAt',
  'updatedAt',
])
const OWN_ID = new Set(['id', 'boardId', 'cardId', 'position', 'createdAt', 'updatedAt'])
const BOARD_FIELDS = new Set(['id', 'name', 'createdAt', 'updatedAt'])

/** Included collections with a field here; others are stored at their card or board. */
const READ = new Set([
  'cards',
  'cardLabels',
  'cardMemberships',
  'taskLists',
  'tasks',
  'comments',
  'actions',
  'customFieldValues',
])

const position = (thing: JsonObject) => number(thing.position)
const born = (thing: JsonObject, fallback: string) => time(thing.createdAt) ?? fallback

class PlankaBoard {
  readonly #item: JsonObject
  readonly #included: JsonObject
  readonly #createdAt: string
  readonly #updatedAt: string
  readonly #cards: JsonObject[]
  readonly #cardIds: ReadonlySet<string>
  readonly #lists: ReadonlyMap<string, JsonObject>
  readonly #columns: ReadonlyMap<string, SourceColumn>
  readonly #labels: ReadonlyMap<string, SourceLabel>
  readonly #parts = new Map<string, ReadonlyMap<string, JsonObject[]>>()
  #orphans = 0
  #unreadable = 0

  constructor(item: JsonObject, included: JsonObject) {
    this.#item = item
    this.#included = included
    this.#updatedAt = time(item.updatedAt) ?? time(item.createdAt) ?? timestamp()
    this.#createdAt = born(item, this.#updatedAt)
    this.#cards = distinctBy(sortedBy(this.#all('cards'), position), ({ id }) => text(id))
    this.#cardIds = new Set(this.#cards.map(({ id }) => text(id)).filter((id) => id !== ''))
    const lists = sortedBy(this.#all('lists'), position)
    this.#lists = new Map(lists.map((list) => [text(list.id), list]))
    this.#columns = new Map(
      lists
        .filter(({ type }) => !PUT_AWAY.has(text(type)))
        .map((list) => [text(list.id), this.#toColumn(list)]),
    )
    this.#labels = new Map(
      sortedBy(this.#all('labels'), position).map((label) => [text(label.id), this.#toLabel(label)]),
    )
  }

  read(): SourceBoard {
    const cards = this.#cards.map((card) => this.#toCard(card))
    const rest = this.#boardRest()
    return {
      format: 'planka',
      id: text(this.#item.id),
      name: text(this.#item.name),
      description: '',
      archived: false,
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      columns: [...this.#columns.values()],
      labels: [...this.#labels.values()],
      cards,
      people: this.#all('users').map(({ id, name, username, email }) => ({
        id: text(id),
        name: text(name) || text(username),
        email: emailIn(email),
      })),
      rest,
      notes: [
        ...note(this.#unreadable, 'unreadable due dates', 'kept in metadata.planka.dueDate'),
        ...repeatedCards(this.#all('cards').length - cards.length),
        ...note(this.#orphans, 'skipped records', 'of cards that are not in the file'),
        ...note(
          this.#unseenLists(),
          'lists without their cards',
          "Planka's answer has none of its archive and trash: see docs/importing.md",
        ),
        ...note(
          this.#missingComments(cards),
          'missing comments',
          'the API of Planka returns them only per card: see docs/importing.md',
        ),
      ],
    }
  }

  /** Number of the lists of archived and deleted cards of which the file has no card: the answer for a board lacks them. */
  #unseenLists(): number {
    const used = new Set(this.#cards.map(({ listId }) => text(listId)))
    return [...this.#lists].filter(([id, { type }]) => PUT_AWAY.has(text(type)) && !used.has(id)).length
  }

  /** Number of the cards' comments that are missing in the file (version 2 counts them). */
  #missingComments(cards: SourceCard[]): number {
    return this.#cards.reduce(
      (sum, card, index) =>
        sum + Math.max(0, (number(card.commentsTotal) ?? 0) - (cards[index]?.comments.length ?? 0)),
      0,
    )
  }

  #all(name: string): JsonObject[] {
    return objects(this.#included[name])
  }

  /** A card's records of a collection in {@link READ}, in order. */
  #of(name: string, cardId: string): JsonObject[] {
    let parts = this.#parts.get(name)
    if (parts === undefined) {
      parts = Map.groupBy(sortedBy(this.#all(name), position), (part) => this.#cardOf(name, part))
      for (const [owner, orphans] of parts) if (!this.#cardIds.has(owner)) this.#orphans += orphans.length
      this.#parts.set(name, parts)
    }
    return cardId === '' ? [] : (parts.get(cardId) ?? [])
  }

  /** Since version 2, tasks belong to lists of tasks, which belong to cards. */
  #cardOf(name: string, part: JsonObject): string {
    if (name !== 'tasks' || part.taskListId === undefined) return text(part.cardId)
    this.#taskLists ??= new Map(this.#all('taskLists').map((list) => [text(list.id), list]))
    return text(this.#taskLists.get(text(part.taskListId))?.cardId)
  }
  #taskLists: ReadonlyMap<string, JsonObject> | undefined

  #toColumn(list: JsonObject): SourceColumn {
    const color = COLORS.get(text(list.color)) ?? ''
    const isClosed = text(list.type) === 'closed'
    return {
      name: text(list.name),
      color,
      wipLimit: 0,
      ...(isClosed && { stage: 'done' as const }),
      createdAt: born(list, this.#createdAt),
    }
  }

  #toLabel(label: JsonObject): SourceLabel {
    const color = COLORS.get(text(label.color)) ?? ''
    return { name: text(label.name) || text(label.color), color, createdAt: born(label, this.#createdAt) }
  }

  #toCard(card: JsonObject): SourceCard {
    const id = text(card.id)
    const list = this.#lists.get(text(card.listId))
    const isPutAway = PUT_AWAY.has(text(list?.type))
    const column = this.#columns.get(text(isPutAway ? card.prevListId : card.listId))
    const createdAt = born(card, this.#createdAt)
    const dueDate = time(card.dueDate) ?? null
    if (dueDate === null && !isEmpty(card.dueDate)) this.#unreadable += 1
    const labels = this.#of('cardLabels', id)
    const { attachments = [], ...otherParts } = this.#otherParts(id)
    const unknownLabels = labels.filter(({ labelId }) => !this.#labels.has(text(labelId)))
    return {
      id,
      title: text(card.name),
      description: text(card.description),
      column,
      position: number(card.position),
      priority: '',
      assignees: idsIn(this.#of('cardMemberships', id).map(({ userId }) => userId)),
      dueDate,
      dismissed: isPutAway,
      labels: [...new Set(labels.flatMap(({ labelId }) => this.#labels.get(text(labelId)) ?? []))],
      subtasks: this.#subtasks(id, createdAt),
      comments: this.#comments(id, createdAt),
      attachments: attachments.map((attachment) => toAttachment(attachment, createdAt)),
      rest: withoutEmpty({
        ...without(card, HAS_FIELD),
        dueDate: dueDate === null ? card.dueDate : null,
        listId: column === undefined || isPutAway ? card.listId : null,
        position: number(card.position) === undefined ? card.position : null,
        unknownLabels: unknownLabels.map(({ labelId }) => labelId),
        taskLists: this.#taskListRest(id),
        tasks: this.#taskRest(id),
        customFieldValues: this.#customFields(id),
        actions: this.#otherActions(id),
        ...otherParts,
      }),
      createdAt,
      updatedAt: time(card.updatedAt) ?? createdAt,
    }
  }

  /** Tasks in the order of their lists; prefixed by the list's name if a card has several. */
  #subtasks(cardId: string, fallback: string): SourceSubtask[] {
    const lists = this.#of('taskLists', cardId)
    const tasks = this.#of('tasks', cardId)
    const order = new Map(lists.map((list, index) => [text(list.id), index]))
    return sortedBy(tasks, (task) => order.get(text(task.taskListId)) ?? 0).map((task) => {
      const list = lists[order.get(text(task.taskListId)) ?? -1]
      return {
        title: (lists.length > 1 && list ? `${text(list.name)}: ` : '') + text(task.name),
        completed: task.isCompleted === true,
        createdAt: born(task, fallback),
      }
    })
  }

  #taskListRest = (cardId: string) =>
    this.#of('taskLists', cardId).map((list) => withoutEmpty(without(list, OWN_ID)))

  /** Tasks with values without a field in subtasks. */
  #taskRest = (cardId: string) =>
    this.#of('tasks', cardId)
      .map((task) => withoutEmpty({ ...without(task, OWN_ID), taskListId: null, isCompleted: null }))
      .filter((task) => Object.keys(task).some((name) => name !== 'name'))

  #comments(cardId: string, fallback: string): SourceComment[] {
    const actions = this.#of('actions', cardId)
      .filter(isComment)
      .map((action) => ({ ...action, ...(action.data as JsonObject) }))
    return oldestFirst(
      [...this.#of('comments', cardId), ...actions].map((comment: JsonObject) => {
        const createdAt = born(comment, fallback)
        const updatedAt = time(comment.updatedAt)
        return {
          authorId: text(comment.userId) || UNKNOWN_AUTHOR,
          text: text(comment.text),
          createdAt,
          editedAt: updatedAt === createdAt ? null : (updatedAt ?? null),
        }
      }),
    )
  }

  #otherActions = (cardId: string) => this.#of('actions', cardId).filter((action) => !isComment(action))

  /** The values of a card's custom fields, under the names of their groups and fields. */
  #customFields(cardId: string): JsonObject[] {
    return this.#of('customFieldValues', cardId).map((value) =>
      withoutEmpty({
        group: this.#nameIn('customFieldGroups', value.customFieldGroupId),
        name: this.#nameIn('customFields', value.customFieldId),
        ...without(value, OWN_ID),
      }),
    )
  }

  /** The name of a record in a collection, by id. */
  #nameIn(collection: string, id: unknown): unknown {
    let names = this.#names.get(collection)
    if (names === undefined) {
      names = new Map(this.#all(collection).map((thing) => [text(thing.id), thing.name]))
      this.#names.set(collection, names)
    }
    return names.get(text(id))
  }
  readonly #names = new Map<string, ReadonlyMap<string, unknown>>()

  /** Other records of a card: attachments, links, ... Those without a card in the file stay with the board. */
  #otherParts(cardId: string): Record<string, JsonObject[]> {
    this.#others ??= this.#allOthers()
    return Object.fromEntries(this.#others.get(cardId) ?? [])
  }
  #others: ReadonlyMap<string, ReadonlyMap<string, JsonObject[]>> | undefined

  /** Collections other than {@link READ}, by card and name: a file may have very many of each. */
  #allOthers(): ReadonlyMap<string, ReadonlyMap<string, JsonObject[]>> {
    const others = new Map<string, Map<string, JsonObject[]>>()
    for (const name of Object.keys(this.#included).filter((name) => !READ.has(name))) {
      for (const part of sortedBy(this.#all(name), position)) {
        const cardId = text(part.cardId)
        if (!this.#cardIds.has(cardId)) continue
        const ofCard = others.get(cardId) ?? new Map<string, JsonObject[]>()
        others.set(cardId, ofCard)
        const parts = ofCard.get(name) ?? []
        ofCard.set(name, parts)
        parts.push(withoutEmpty(without(part, CARD_ID)))
      }
    }
    return others
  }

  /** The original lists and labels are stored, too, for their ids and colours. */
  #boardRest(): JsonObject {
    const collections = Object.entries(this.#included)
      .filter(([name]) => !READ.has(name))
      .map(([name, things]) => [
        name,
        Array.isArray(things)
          ? things
              .filter((thing) => !this.#isOfCard(thing))
              .map((thing) => (name === 'users' && isObject(thing) ? without(thing, EMAIL_FIELDS) : thing))
          : things,
      ])
    return withoutEmpty({ ...without(this.#item, BOARD_FIELDS), ...Object.fromEntries(collections) })
  }

  #isOfCard = (thing: unknown) => isObject(thing) && this.#cardIds.has(text(thing.cardId))
}

const CARD_ID = new Set(['cardId'])
const ADDRESS = new Set(['url'])

/** Version 2 has the URL of a file or link in its data. The name stays in the rest, beside the id, which a cover refers to. */
function toAttachment(whole: JsonObject, fallback: string): SourceAttachment {
  const data = isObject(whole.data) ? whole.data : {}
  const [inData, url] = [text(data.url), text(data.url) || text(whole.url)]
  const [createdAt, updatedAt] = [time(whole.createdAt), time(whole.updatedAt)]
  return {
    name: text(whole.name),
    url,
    creatorId: text(whole.creatorUserId) || null,
    createdAt: createdAt ?? fallback,
    field: 'attachments',
    whole,
    rest: withoutEmpty({
      ...whole,
      url: inData === '' ? null : whole.url,
      data: inData === '' ? whole.data : withoutEmpty(without(data, ADDRESS)),
      creatorUserId: null,
      createdAt: createdAt === undefined ? whole.createdAt : null,
      updatedAt: updatedAt !== undefined && updatedAt === createdAt ? null : whole.updatedAt,
    }),
  }
}

/** Version 1 has comments among the actions. */
const isComment = ({ type, data }: JsonObject) => type === 'commentCard' && isObject(data)

/** The colours of lists and labels in version 2.1. */
const COLORS = new Map(
  Object.entries({
    'muddy-grey': '#69655a',
    'autumn-leafs': '#c9b037',
    'morning-sky': '#52b9d5',
    'antique-blue': '#6c99bb',
    'egg-yellow': '#f9c423',
    'desert-sand': '#fad371',
    'dark-granite': '#8b8680',
    'fresh-salad': '#ced85e',
    'lagoon-blue': '#109dc0',
    'midnight-blue': '#0a63a0',
    'light-orange': '#fdae5f',
    'pumpkin-orange': '#ed9223',
    'light-concrete': '#afb0a4',
    'sunny-grass': '#beca02',
    'navy-blue': '#1d7299',
    'lilac-eyes': '#406cbd',
    'apricot-red': '#fc736c',
    'orange-peel': '#de692f',
    'silver-glint': '#adadad',
    'bright-moss': '#96b352',
    'deep-ocean': '#004c70',
    'summer-sky': '#5d9cec',
    'berry-red': '#e83855',
    'light-cocoa': '#a85540',
    'grey-stone': '#aab2bd',
    'tank-green': '#8aa177',
    'coral-green': '#2b6a6c',
    'sugar-plum': '#7e86c7',
    'pink-tulip': '#e34f7c',
    'shady-rust': '#87564a',
    'wet-rock': '#83949b',
    'wet-moss': '#4a8753',
    'turquoise-sea': '#00858a',
    'lavender-fields': '#b287bd',
    'piggy-red': '#f97394',
    'light-mud': '#c7a57a',
    'gun-metal': '#4f6573',
    'modern-green': '#77ce87',
    'french-coast': '#00b4b1',
    'sweet-lilac': '#975298',
    'red-burgundy': '#ad5f7d',
    'pirate-gold': '#b47e11',
  }),
)
