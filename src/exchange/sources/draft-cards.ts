/** What becomes of finished cards, and of cards with a parent. */
import { isNamedDone } from '../../board/stages.ts'
import type { JsonObject } from '../../json.ts'
import { CARD_LIMITS } from '../imports/fit-card.ts'
import type { SourceBoard, SourceCard, SourceColumn, SourceLabel, SourcePerson } from './source-board.ts'
import { ByName, distinctBy, note, repeatedCards, span, withoutEmpty } from './source-values.ts'

/** Whether a card is finished, or put away. */
export type State = 'open' | 'done' | 'archived'

/** A card, its state, and its parent's id or title; empty for none. */
export interface DraftCard {
  card: SourceCard
  state: State
  parent: string
}

/**
 * Makes subtasks of the cards with a parent. Of the others, moves finished ones into the column for these, or dismisses them if
 * there is none.
 * @param keepColumn stores the name of the column that a card was in
 */
export function settle(
  drafts: readonly DraftCard[],
  {
    format,
    columns,
    keepColumn,
  }: {
    format: string
    columns: readonly SourceColumn[]
    keepColumn: (card: SourceCard, name: string) => void
  },
): Pick<SourceBoard, 'cards' | 'notes'> & { remarks: { subtasks: string[] } } {
  linkById(drafts)
  const others = nest(drafts)
  const doneColumn = columns.find(isDoneColumn)
  let dismissed = 0
  for (const { card, state } of others) {
    if (state === 'archived') card.dismissed = true
    if (state !== 'done' || (card.column && isDoneColumn(card.column))) continue
    if (doneColumn) {
      if (card.column) keepColumn(card, card.column.name)
      card.column = doneColumn
    } else {
      card.dismissed = true
      dismissed += 1
    }
  }
  const subtasks = drafts.length - others.length
  return {
    cards: others.map(({ card }) => card),
    remarks: {
      subtasks:
        subtasks > 0
          ? [
              `${subtasks} from cards with a parent, whose other fields are kept in metadata.${format}.subtasks`,
            ]
          : [],
    },
    notes: note(dismissed, 'finished cards dismissed', 'no column is for finished ones'),
  }
}

/** The boards of one file, which become one: in columns by name, and if there are several, with a label for each. */
export class GatheredBoards {
  readonly columns = new ByName((name): SourceColumn => ({ name, color: '', wipLimit: 0, createdAt: '' }))
  readonly #boards = new ByName((name): SourceLabel => ({ name, color: '', createdAt: '' }))
  readonly #labels = new Map<string, SourceLabel>()
  readonly #people = new Map<string, SourcePerson>()
  readonly #isOne: boolean

  constructor(count: number) {
    this.#isOne = count === 1
  }

  /** The label with an id. @param color six hexadecimal digits, or anything else for none */
  labelOf(id: string, name: string, color: string): SourceLabel {
    const hex = /^[0-9a-f]{6}$/i.test(color) ? `#${color.toLowerCase()}` : ''
    const label = this.#labels.get(id || name) ?? { name, color: hex, createdAt: '' }
    this.#labels.set(id || name, label)
    return label
  }

  /** The labels for the board of a card. */
  labelsOf = (board: string): SourceLabel[] => (this.#isOne ? [] : [this.#boards.of(board)])

  /** Notes a person. @returns the id; empty for nobody */
  personOf(person: SourcePerson): string {
    if (person.id !== '' && !this.#people.get(person.id)?.name) this.#people.set(person.id, person)
    return person.id
  }

  /** The ids of several people, each once. */
  peopleOf = (people: readonly SourcePerson[]): string[] => [
    ...new Set(people.map((person) => this.personOf(person)).filter((id) => id !== '')),
  ]

  /**
   * One board of all. Cards without times get those of the first.
   * @param field in the rest of a card for the column that it was in
   */
  finish(format: string, drafts: readonly DraftCard[], field: string) {
    const distinct = distinctBy(drafts, ({ card }) => card.id)
    const columns = this.columns.all
    const settled = settle(distinct, {
      format,
      columns,
      keepColumn: (card, name) => (card.rest[field] = name),
    })
    const times = distinct.flatMap(({ card }) => [card.createdAt || undefined, card.updatedAt || undefined])
    const { first, last } = span(times)
    for (const { card } of distinct) {
      card.createdAt ||= first
      card.updatedAt ||= card.createdAt
      for (const part of [...card.comments, ...card.attachments]) part.createdAt ||= card.createdAt
    }
    const labels = [...this.#labels.values(), ...this.#boards.all]
    for (const part of [...labels, ...columns]) part.createdAt = first
    const notes = [...repeatedCards(drafts.length - distinct.length), ...settled.notes]
    const people = [...this.#people.values()]
    return { format, createdAt: first, updatedAt: last, columns, labels, people, ...settled, notes }
  }
}

/** Whether a column is for finished cards. */
export const isDoneColumn = ({ name, stage }: SourceColumn) =>
  stage === 'done' || (stage === undefined && isNamedDone(name))

/** Replaces titles in links by ids, if exactly one card has the title. */
function linkById(drafts: readonly DraftCard[]): void {
  if (!drafts.some(({ card }) => card.links?.length)) return
  const ids = new Set(drafts.map(({ card }) => card.id))
  const byTitle = new Map<string, string>()
  for (const { card } of drafts) byTitle.set(card.title, byTitle.has(card.title) ? '' : card.id)
  for (const { card } of drafts) {
    for (const link of card.links ?? []) if (!ids.has(link.to)) link.to = byTitle.get(link.to) || link.to
  }
}

/**
 * Makes subtasks of the cards with a parent in the file: of the topmost one, since subtasks have none of their own. A parent is
 * named by id, or by title: then it is the nearest one before, or else the first.
 * @returns the other cards; of those in a circle, each has a link to its parent
 */
function nest(drafts: readonly DraftCard[]): readonly DraftCard[] {
  if (drafts.every(({ parent }) => parent === '')) return drafts
  const parents = parentsOf(drafts)
  const roots = rootsOf(drafts, parents)
  const others: DraftCard[] = []
  const subtasksOf = new Map<SourceCard, JsonObject[]>()
  for (const draft of drafts) {
    const { card } = draft
    const root = roots.get(draft)?.card
    if (root === undefined || root.subtasks.length + 1 + card.subtasks.length > CARD_LIMITS.subtasks) {
      const to = parents.get(draft)?.card.id ?? draft.parent
      if (to !== '') card.links = [...(card.links ?? []), { type: 'parent', to }]
      others.push(draft)
      continue
    }
    const parent = parents.get(draft)?.card
    const title = parent && parent !== root ? `${parent.title}: ${card.title}` : card.title
    const completed = draft.state !== 'open' || (card.column !== undefined && isDoneColumn(card.column))
    root.subtasks.push({ title, completed, createdAt: card.createdAt })
    for (const entry of card.subtasks)
      root.subtasks.push({ ...entry, title: `${card.title}: ${entry.title}` })
    const rests = subtasksOf.get(root) ?? []
    subtasksOf.set(root, rests)
    rests.push(restOf(card))
    root.rest.subtasks = rests
  }
  return others
}

/** The parent of each card that has one in the file. */
function parentsOf(drafts: readonly DraftCard[]): Map<DraftCard, DraftCard> {
  const byId = new Map(drafts.map((draft) => [draft.card.id, draft]))
  const firsts = new Map(drafts.toReversed().map((draft) => [draft.card.title, draft]))
  const before = new Map<string, DraftCard>()
  const parents = new Map<DraftCard, DraftCard>()
  for (const draft of drafts) {
    const { parent, card } = draft
    const found = parent === '' ? undefined : (byId.get(parent) ?? before.get(parent) ?? firsts.get(parent))
    if (found && found !== draft) parents.set(draft, found)
    before.set(card.title, draft)
  }
  return parents
}

/** The topmost parent of each card that has one; none for cards in a circle, or below one. */
function rootsOf(
  drafts: readonly DraftCard[],
  parents: ReadonlyMap<DraftCard, DraftCard>,
): Map<DraftCard, DraftCard | undefined> {
  const roots = new Map<DraftCard, DraftCard | undefined>()
  for (const draft of drafts) {
    const path = new Set<DraftCard>()
    let at = draft
    for (let next = parents.get(at); next && !path.has(at) && !roots.has(at); next = parents.get(at)) {
      path.add(at)
      at = next
    }
    const root = path.has(at) ? undefined : roots.has(at) ? roots.get(at) : at
    for (const one of path) roots.set(one, root)
  }
  return roots
}

/** The data of a card that becomes a subtask, which only has a title. */
const restOf = (card: SourceCard): JsonObject =>
  withoutEmpty({
    id: card.id,
    title: card.title,
    description: card.description,
    column: card.column?.name,
    priority: card.priority,
    assignees: card.assignees,
    dueDate: card.dueDate,
    labels: card.labels.map(({ name }) => name),
    comments: card.comments,
    attachments: card.attachments.map(({ whole }) => whole),
    links: card.links,
    ...card.rest,
  })
