/** A Trello board as a board to import. */
import { TRELLO_COLORS } from '../../board/trello-colors.ts'
import { isBlank, nameColumns } from '../imports/names.ts'
import type { BoardReader, SourceBoard, SourceCard, SourceColumn, SourceLabel } from './source-board.ts'
import { repeatedCards } from './source-values.ts'
import {
  type TrelloBoard,
  type TrelloCard,
  type TrelloLabel,
  type TrelloList,
  trelloBoardIn,
} from './trello.ts'

/** Counts specific to Trello. */
export interface TrelloCounts {
  columnsFromClosedLists: number
  /** Created for cards whose list is not in the file: 0 or 1. */
  columnsWithoutList: number
  checklists: number
  unreadableDueDates: number
  skippedComments: number
  missingComments: number
  skippedChecklists: number
  /** Duplicates by id. */
  repeatedCards: number
}

/** Reads a board export. @throws Error with a brief reason for another format */
export const readTrello: BoardReader = (file) =>
  toSourceBoard(trelloBoardIn((file as { value: unknown }).value))

/** Computes the counts specific to Trello. */
export const countsOf = ({
  lists,
  cards,
  checklistCount,
  skipped,
  missingComments,
  unreadableDueDates,
}: TrelloBoard): TrelloCounts => ({
  columnsFromClosedLists: lists.filter(({ closed }) => closed).length,
  columnsWithoutList: cards.some(({ list }) => list === undefined) ? 1 : 0,
  checklists: checklistCount,
  unreadableDueDates,
  skippedComments: skipped.comments,
  missingComments,
  skippedChecklists: skipped.checklists,
  repeatedCards: skipped.cards,
})

/** Notes of the summary. */
export function summaryNotes(counts: TrelloCounts) {
  const several = (count: number, text: string) => (count > 0 ? [text] : [])
  const { columnsFromClosedLists, columnsWithoutList, checklists } = counts
  const { unreadableDueDates, skippedComments, missingComments, skippedChecklists } = counts
  return {
    remarks: {
      columns: [
        ...several(columnsFromClosedLists, `${columnsFromClosedLists} from closed lists`),
        ...several(columnsWithoutList, `${columnsWithoutList} for cards whose list is not in the file`),
      ],
      subtasks: several(checklists, checklists === 1 ? 'from 1 checklist' : `from ${checklists} checklists`),
    },
    notes: [
      ...repeatedCards(counts.repeatedCards),
      ...several(
        unreadableDueDates,
        `unreadable due dates ${unreadableDueDates} (kept in metadata.trello.due)`,
      ),
      ...several(
        skippedComments,
        `skipped comments ${skippedComments} (on cards that are not in the file, or without text)`,
      ),
      ...several(
        missingComments,
        `missing comments ${missingComments} (an export has only the latest actions of a board)`,
      ),
      ...several(
        skippedChecklists,
        `skipped checklists ${skippedChecklists} (of cards that are not in the file)`,
      ),
    ],
  }
}

/** A Trello board as a board to import. */
export function toSourceBoard(board: TrelloBoard): SourceBoard {
  const columns = new Map(board.lists.map((list) => [list, toColumn(list)]))
  const labels = new Map(board.labels.map((label) => [label, toLabel(label)]))
  const cards = board.cards.map((card) => toCard(card, columns, labels))
  const parts = { columns: [...columns.values()], cards, nameOfNoColumn: 'No list' }
  const names = nameColumns(parts)
  return {
    format: 'trello',
    id: board.id,
    name: board.name,
    description: board.description,
    archived: board.closed,
    createdAt: board.createdAt,
    updatedAt: board.updatedAt,
    ...parts,
    people: board.people,
    labels: [...labels.values()],
    rest: {
      url: board.url,
      shortLink: board.shortLink,
      closed: board.closed,
      lists: [...columns].map(([{ id, name, closed }, column]) => ({
        id,
        name,
        closed,
        column: names.get(column),
      })),
      labels: board.labels.map(({ id, name, color }) => ({ ...(id && { id }), name, color })),
      members: board.members,
      ...board.rest,
    },
    hasUniqueCardIds: true,
    ...summaryNotes(countsOf(board)),
  }
}

const toColumn = ({ name, color, softLimit, closed, createdAt }: TrelloList): SourceColumn => ({
  name,
  color: COLORS.get(color) ?? '',
  wipLimit: softLimit,
  isClosed: closed,
  createdAt,
})

/** Unnamed labels are named after their colour. */
const toLabel = ({ name, color, createdAt }: TrelloLabel): SourceLabel => ({
  name: isBlank(name) ? color : name,
  color: COLORS.get(color) ?? '',
  createdAt,
})

function toCard(
  card: TrelloCard,
  columns: ReadonlyMap<TrelloList, SourceColumn>,
  labels: ReadonlyMap<TrelloLabel, SourceLabel>,
): SourceCard {
  return {
    id: card.id,
    number: card.number,
    title: card.name,
    description: card.description,
    column: card.list && columns.get(card.list),
    position: card.position,
    priority: '',
    assignees: card.memberIds,
    dueDate: card.dueDate,
    dismissed: card.closed,
    labels: card.labels.flatMap((label) => labels.get(label) ?? []),
    subtasks: card.entries,
    comments: card.comments,
    attachments: card.attachments.map(({ memberId, ...attachment }) => ({
      ...attachment,
      creatorId: memberId,
      field: 'attachments',
    })),
    rest: card.rest,
    createdAt: card.createdAt,
    updatedAt: card.updatedAt,
  }
}

/** The colours of Trello's names for them. */
const COLORS = new Map<string, string>(
  Object.entries(TRELLO_COLORS).flatMap(([name, [light, plain, dark]]) => [
    [`${name}_light`, light],
    [name, plain],
    [`${name}_dark`, dark],
  ]),
)
