/** Converts a board of another tool to the rows of a new project. */

import { and, type SQL, sql } from 'drizzle-orm'
import { withStoredAssignees } from '../../board/assignees.ts'
import { ATTACHMENTS_LIMIT } from '../../board/attachments.ts'
import { isCardNumber } from '../../board/card-numbers.ts'
import { isNamedDone, type Stage, withStages } from '../../board/stages.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { newId } from '../../db/ids.ts'
import { afterLast } from '../../db/ordering.ts'
import {
  attachments,
  changes,
  kanbanColumns,
  kanbanComments,
  kanbanItemLabels,
  kanbanItems,
  kanbanLabels,
  kanbanSubtasks,
  projects,
} from '../../db/schema.ts'
import { addressesIn, addressesOfPeople, holdsAddress, withoutAddressesIn } from '../../email-addresses.ts'
import type { JsonObject } from '../../json.ts'
import { once } from '../../once.ts'
import { defaultPhaseConfig, firstPhase } from '../../projects/phases.ts'
import { LIMITS } from '../../schemas/common.ts'
import { type ImportedPerson, MATCHES } from '../../schemas/records.ts'
import {
  type SourceBoard,
  type SourceCard,
  type SourceColumn,
  type SourceLabel,
  UNKNOWN_AUTHOR,
} from '../sources/source-board.ts'
import { TooLarge } from '../sources/source-limits.ts'
import { note } from '../sources/source-values.ts'
import { fitCard } from './fit-card.ts'
import { type ImportPlan, type PlannedRows, rowsOf } from './import-plan.ts'
import { addIfItFits, isTrimmed, toMetadata } from './metadata.ts'
import { namedPeople } from './named-people.ts'
import { type ColumnNames, nameColumns, nameLabels, readableName, shorten } from './names.ts'
import { optionNamesFor } from './option-names.ts'
import { type PeopleOfBoard, type PeopleOptions, SettledPeople, SHOWN_PEOPLE } from './settle-people.ts'

/** The counts of a board's import. */
export interface ImportedBoard {
  projectId: string
  name: string
  columns: number
  items: number
  dismissed: number
  labels: number
  subtasks: number
  comments: number
  /** All are links. */
  attachments: number
  people: number
  dueDates: number
  /** Items (and the project) with more data than fits into `metadata`. */
  trimmed: number
}

/** Notes of a summary besides the counts. */
export type SummaryNotes = Pick<SourceBoard, 'format' | 'notes' | 'remarks'>

/**
 * The summary of an import, in lines: counts that can be checked against the file.
 * @param people of the board, once matched
 */
export function describeBoard(
  made: ImportedBoard,
  { format, notes, remarks = {} }: SummaryNotes,
  people: readonly ImportedPerson[] = [],
): string[] {
  const line = (name: string, count: number, notes: readonly string[] = []) =>
    `${name} ${count}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
  return [
    line('columns', made.columns, remarks.columns),
    line('items', made.items, made.dismissed > 0 ? [`${made.dismissed} dismissed`] : []),
    line('labels', made.labels),
    line('subtasks', made.subtasks, remarks.subtasks),
    line('comments', made.comments),
    line('attachments', made.attachments, made.attachments > 0 ? ['as links'] : []),
    line('people', made.people, whoTheyAre(people)),
    line('due dates', made.dueDates),
    ...notes,
    ...trimmedLine(made, format),
  ]
}

/** Most names in a line. */
const LISTED = 10

/** The matched people, by kind of match, and the others. */
function whoTheyAre(people: readonly ImportedPerson[]): string[] {
  const found = people.filter(({ memberId }) => memberId !== null)
  const others = people.filter(({ memberId }) => memberId === null).map(({ name }) => name)
  const ways = MATCHES.map((way) => ({ way, count: found.filter(({ matched }) => matched === way).length }))
  const by = ways.filter(({ count }) => count > 0).map(({ way, count }) => `${count} by ${way}`)
  const more = others.length > LISTED ? `, and ${others.length - LISTED} more` : ''
  const parts = [
    ...(found.length > 0 ? [`${found.length} found here: ${by.join(', ')}`] : []),
    ...(others.length > 0
      ? [`${others.length} without a member: ${others.slice(0, LISTED).join(', ')}${more}`]
      : []),
  ]
  return parts.length > 0 ? [parts.join('; ')] : []
}

const trimmedLine = ({ trimmed }: ImportedBoard, format: string): string[] =>
  trimmed > 0
    ? [`trimmed ${trimmed} (too large for metadata; what is missing: metadata.${format}.omitted)`]
    : []

/** The file has creation times of everything, but last changes only of cards and the board. */
const unchangedSince = (createdAt: string) => ({ createdAt, updatedAt: createdAt })

/** For labels without a colour. */
const DEFAULT_COLOR = '#3b82f6'

/** The original name, if it was changed. */
const originalOf = (name: string, shown: string) => (name === shown ? {} : { name })

/** An archived board becomes an archived project. A too long description is also stored in the metadata, if it fits. */
function toProject(board: SourceBoard, { name = board.name }: Pick<RowOptions, 'name'>) {
  const { format, id, archived, createdAt, updatedAt } = board
  const description = shorten(board.description, LIMITS.description)
  const phaseConfig = defaultPhaseConfig('technical')
  const shown = shorten(readableName(name), LIMITS.name)
  return {
    id: newId(),
    name: shown,
    description,
    status: archived ? 'archived' : 'backlog',
    phase: firstPhase(phaseConfig),
    phaseConfig,
    metadata: toMetadata(format, {
      id,
      ...originalOf(board.name, shown),
      ...(description !== board.description && { description: board.description }),
      ...board.rest,
    }),
    createdAt,
    updatedAt,
  }
}

type ProjectRow = ReturnType<typeof toProject>
type ColumnRow = typeof kanbanColumns.$inferSelect

/**
 * The stage that a column has by itself: as in the other tool, or by its name there, since here another column of the same name has
 * a number. A hidden one only has dismissed cards, and the one for cards without a column is todo.
 */
function ownStage(column: SourceColumn | undefined): Stage | null {
  if (column?.stage) return column.stage
  if (column && isNamedDone(column.name)) return 'done'
  return column === undefined || column.isClosed ? 'todo' : null
}

/**
 * The explicit stages of a board's columns; null where the place here gives the same. Of the columns without their own, the first
 * is todo, unless another one is, and a last one is done, unless another one is. Columns that are hidden there, or added here, do not count.
 */
function stagesOf(names: ColumnNames): Map<SourceColumn | undefined, Stage | null> {
  const columns = [...names].map(([column, name]) => ({ column, name, own: ownStage(column) }))
  const shown = columns.filter(({ column }) => column !== undefined && !column.isClosed)
  const isMissing = (stage: Stage) => shown.every(({ own }) => own !== stage)
  const first = isMissing('todo') ? shown.find(({ own }) => own === null)?.column : undefined
  const last = isMissing('done') ? shown.at(-1)?.column : undefined
  const byPlace = withStages(columns.map((column) => ({ ...column, stage: column.own })))
  return new Map(
    byPlace.map(({ column, own, stage }) => {
      const wanted = own ?? (column === first ? 'todo' : column === last ? 'done' : 'doing')
      return [column, own ?? (wanted === stage ? null : wanted)]
    }),
  )
}

const toColumn = (
  column: SourceColumn | undefined,
  {
    name,
    stage,
    sortOrder,
    project,
  }: Pick<ColumnRow, 'name' | 'stage' | 'sortOrder'> & { project: ProjectRow },
) => ({
  id: newId(),
  projectId: project.id,
  name,
  color: column?.color ?? '',
  wipLimit: column?.wipLimit ?? 0,
  stage,
  sortOrder,
  ...unchangedSince(column?.createdAt ?? project.createdAt),
})

const toLabel = ({ color, createdAt }: SourceLabel, name: string, project: ProjectRow) => ({
  id: newId(),
  projectId: project.id,
  name,
  color: color || DEFAULT_COLOR,
  ...unchangedSince(createdAt),
})

interface ItemParts {
  id: string
  number: number
  format: string
  column: string
  sortOrder: number
  projectId: string
}

function toItem(card: SourceCard, { id, number, format, column, sortOrder, projectId }: ItemParts) {
  const title = shorten(readableName(card.title), LIMITS.title)
  return {
    id,
    projectId,
    number,
    title,
    description: card.description,
    column,
    sortOrder,
    ...(card.priority && { priority: card.priority }),
    ...toAssigned(card.assignees),
    dueDate: card.dueDate,
    source: 'import',
    sourceId: card.id,
    dismissed: card.dismissed,
    metadata: toMetadata(format, { ...originalOf(card.title, title), ...card.rest }, card.links),
    createdAt: card.createdAt,
    updatedAt: card.updatedAt,
  }
}

/** The stored fields of these assignees. */
const toAssigned = (ids: readonly string[]) =>
  withStoredAssignees(undefined, { assigneeId: null, assigneeIds: [...ids] })

/** The cards' numbers: those of the other tool where they fit, and the next ones for the others. */
export function numbersOf(cards: readonly Pick<SourceCard, 'number'>[]): number[] {
  const given = new Set<number>()
  const kept = cards.map(({ number }) => {
    if (number === undefined || !isCardNumber(number) || given.has(number)) return undefined
    given.add(number)
    return number
  })
  let last = 0
  for (const number of given) last = Math.max(last, number)
  return kept.map((number) => number ?? ++last)
}

/** The cards' places: a card without one follows the previous card. */
function* sortOrders(cards: readonly SourceCard[]): Iterable<number> {
  let last: number | undefined
  for (const { position } of cards) {
    last = position ?? afterLast(last)
    yield last
  }
}

const sum = <T>(things: readonly T[], count: (thing: T) => number) =>
  things.reduce((total, thing) => total + count(thing), 0)

/** Facts about a board besides its rows: its identity, and the summary. */
export interface BoardFacts extends SummaryNotes, PeopleOfBoard {
  id: string
  hasUniqueCardIds?: boolean | undefined
  keepsCards?: boolean | undefined
  made: ImportedBoard
}

export interface BoardRows extends Pick<ImportPlan, 'projectIds' | 'tables'> {
  projects: readonly { name: string; metadata?: JsonObject }[]
  /** The cards' ids, in batches. */
  cardIds: () => Iterable<string[]>
}

/** Options for creating the rows of a board. */
export interface RowOptions {
  /** Maximum number of records. */
  records?: number
  /** The name of the project, instead of the board's. */
  name?: string | undefined
}

interface PlanOptions extends PeopleOptions {
  /** Whether to import a board again, instead of refusing it. */
  again?: boolean
  /** The importing member; null for the command line. */
  memberId?: string | null
  /** The projects that the member sees; absent: all. An earlier import into another project is not reported. */
  seen?: readonly string[] | undefined
}

/**
 * The plan of a board's rows.
 * @param facts complete once all rows were created
 */
export function planRows(
  { cardIds, projectIds, projects, tables }: BoardRows,
  facts: BoardFacts,
  { again = false, memberId = null, seen, ...options }: PlanOptions = {},
): ImportPlan {
  let people: SettledPeople | undefined
  const settled = (isDryRun = false) => people?.all(isDryRun) ?? []
  const isOfPerson = once(() => people?.isAddressOfPerson() ?? (() => false))
  function* named(rows: Iterable<Row>) {
    for (const row of rows)
      yield withPeople(withoutTheirAddresses(row, isOfPerson()), (id) => people?.idOf(id) ?? id)
  }
  return {
    projectIds,
    settlePeople: (db) => {
      people = new SettledPeople(db, facts, options)
      return people.settle()
    },
    projects: () =>
      projects.map((project) =>
        keepPeople(withoutTheirAddresses(project, isOfPerson()), facts.format, settled()),
      ),
    tables: tables.map((planned) =>
      NAMING_PEOPLE.has(planned.table) ? { ...planned, rows: () => named(planned.rows()) } : planned,
    ),
    refuse: (db, since) => {
      if (!again)
        refuseSecondImport(db, facts, cardIds, { again: optionNamesFor(memberId).again, since, seen })
    },
    result: (isDryRun) => {
      const { projectId, name, ...counts } = facts.made
      return {
        projectId: isDryRun ? null : projectId,
        counts,
        lines: [
          ...(isDryRun
            ? [`would import ${name}`]
            : [`imported ${name}`, `project ${projectId} (/api/projects/${projectId})`]),
          ...describeBoard(facts.made, facts, settled()),
        ],
        notes: [
          ...facts.notes,
          ...trimmedLine(facts.made, facts.format),
          // What the lines have in brackets.
          ...(facts.remarks?.subtasks ?? []).map((remark) => `subtasks: ${remark}`),
        ],
        people: settled(isDryRun).slice(0, SHOWN_PEOPLE),
      }
    },
  }
}

/** A planned row, perhaps read back from a file. */
interface Row {
  assigneeId?: string | null
  assigneeIds?: string[]
  authorId?: string
  createdBy?: string | null
  metadata?: JsonObject
}

/** The tables with ids of people. */
const NAMING_PEOPLE = new Set<PlannedRows['table']>([kanbanItems, kanbanComments, attachments])

/** A row with people's ids replaced by their ids here. */
const withPeople = (row: Row, idOf: (id: string) => string): Row => ({
  ...row,
  ...(row.assigneeId && toAssigned((row.assigneeIds ?? [row.assigneeId]).map(idOf))),
  ...(row.authorId && row.authorId !== UNKNOWN_AUTHOR && { authorId: idOf(row.authorId) }),
  ...(row.createdBy && { createdBy: idOf(row.createdBy) }),
})

/** A row whose metadata, which everybody reads, has no address of a person. */
const withoutTheirAddresses = <T extends { metadata?: JsonObject }>(
  row: T,
  isOfPerson: (address: string) => boolean,
): T => (row.metadata ? { ...row, metadata: withoutAddressesIn(row.metadata, isOfPerson) } : row)

/** A project's row with the matches of people in its metadata, if they fit: the records no longer have the original ids. */
function keepPeople<T extends { metadata?: JsonObject }>(
  project: T,
  format: string,
  people: readonly ImportedPerson[],
): T {
  const found = people.filter(({ memberId }) => memberId !== null)
  if (found.length === 0) return project
  const { metadata } = project as { metadata: Record<string, JsonObject> }
  const kept = found.map(({ id, name, memberId }) => ({ ...(!holdsAddress(id) && { id }), name, memberId }))
  return { ...project, metadata: addIfItFits(metadata, format, { people: kept }) }
}

/**
 * Plans the import of a board as a new project: values without a field are stored in `metadata.<format>`. Texts are fitted
 * to the limits ({@link fitCard}). Ids are generated in the order of the board.
 * @throws TooLarge if the board, or one of its cards, exceeds a limit
 */
export function planBoard(
  board: SourceBoard,
  { records, name, ...options }: PlanOptions & RowOptions = {},
): ImportPlan & { made: () => ImportedBoard } {
  const { rows, facts } = rowsOfBoard(board, { ...(records !== undefined && { records }), name })
  return { ...planRows(rows, facts, options), made: () => facts.made }
}

/** The rows of a board, and its facts. @throws TooLarge */
export function rowsOfBoard(
  board: SourceBoard,
  { records = Number.POSITIVE_INFINITY, name }: RowOptions = {},
): { rows: BoardRows; facts: BoardFacts } {
  const { format } = board
  const columnNames = nameColumns(board)
  const fitted = board.cards.map(fitCard)
  const cards = fitted.map(({ card }) => card)
  const people = namedPeople(cards, board.people)
  const project = toProject(board, { name })
  const stages = stagesOf(columnNames)
  const columns = [...columnNames].map(([column, name], index) =>
    toColumn(column, { name, stage: stages.get(column) ?? null, sortOrder: index + 1, project }),
  )
  const labels = new Map(
    [...nameLabels(board)].map(([label, name]) => [label, toLabel(label, name, project)]),
  )
  const labelsOf = (card: SourceCard) => card.labels.flatMap((label) => labels.get(label)?.id ?? [])
  const made: ImportedBoard = {
    projectId: project.id,
    name: project.name,
    columns: columns.length,
    items: cards.length,
    dismissed: sum(cards, ({ dismissed }) => Number(dismissed)),
    labels: labels.size,
    subtasks: sum(cards, ({ subtasks }) => subtasks.length),
    comments: sum(cards, ({ comments }) => comments.length),
    attachments: sum(cards, (card) => card.attachments.length),
    people: people.length,
    dueDates: sum(cards, ({ dueDate }) => Number(dueDate !== null)),
    trimmed: Number(isTrimmed(project.metadata)),
  }
  const putOn = sum(cards, (card) => labelsOf(card).length)
  const parts = putOn + made.subtasks + made.comments + made.attachments
  const count = 1 + columns.length + labels.size + cards.length + parts
  if (count > records) {
    throw new TooLarge(`it has ${count} records, and one import may create ${records} (IMPORT_RECORDS)`)
  }
  const itemIds = cards.map(() => newId())
  const numbers = numbersOf(cards)

  function* items() {
    const places = sortOrders(cards)[Symbol.iterator]()
    const parts = { format, projectId: project.id }
    for (const [index, card] of cards.entries()) {
      const column = columnNames.get(card.column) as string
      const sortOrder = places.next().value as number
      const [id, number] = [itemIds[index] as string, numbers[index] as number]
      const item = toItem(card, { ...parts, id, number, column, sortOrder })
      made.trimmed += Number(isTrimmed(item.metadata))
      yield item
    }
  }
  function* itemLabels() {
    for (const [index, card] of cards.entries()) {
      for (const labelId of labelsOf(card)) yield { itemId: itemIds[index] as string, labelId }
    }
  }
  function* subtasks() {
    for (const [index, card] of cards.entries()) {
      for (const [place, { title, completed, createdAt }] of card.subtasks.entries()) {
        const itemId = itemIds[index] as string
        yield { id: newId(), itemId, title, completed, sortOrder: place + 1, ...unchangedSince(createdAt) }
      }
    }
  }
  function* comments() {
    for (const [index, card] of cards.entries()) {
      for (const { authorId, text, createdAt, editedAt } of card.comments) {
        yield {
          id: newId(),
          itemId: itemIds[index] as string,
          authorId,
          content: text,
          createdAt,
          editedAt,
        }
      }
    }
  }
  function* links() {
    for (const [index, card] of cards.entries()) {
      for (const { name, url, creatorId, createdAt } of card.attachments) {
        const itemId = itemIds[index] as string
        const link = { name, url, kind: 'link' as const, createdBy: creatorId }
        yield { id: newId(), itemId, ...link, ...unchangedSince(createdAt) }
      }
    }
  }
  return {
    rows: {
      projectIds: [project.id],
      projects: [project],
      tables: [
        rowsOf(kanbanColumns, columns.length, () => columns),
        rowsOf(kanbanLabels, labels.size, () => labels.values()),
        rowsOf(kanbanItems, cards.length, items),
        rowsOf(kanbanItemLabels, putOn, itemLabels),
        rowsOf(kanbanSubtasks, made.subtasks, subtasks),
        rowsOf(kanbanComments, made.comments, comments),
        rowsOf(attachments, made.attachments, links),
      ],
      *cardIds() {
        for (let first = 0; first < cards.length; first += IDS_AT_ONCE) {
          const some = cards.slice(first, first + IDS_AT_ONCE)
          yield some.map(({ id }) => id).filter((id) => id !== '')
        }
      },
    },
    facts: {
      format,
      id: board.id,
      hasUniqueCardIds: board.hasUniqueCardIds,
      keepsCards: board.keepsCards,
      people,
      addresses: addressesOf(board),
      hasOwnPeople: board.hasOwnPeople,
      made,
      remarks: { ...missingColumn(columnNames), ...board.remarks },
      notes: [
        ...board.notes,
        ...note(
          sum(fitted, ({ continued }) => continued),
          'long texts',
          'their rest is in comments of their cards',
        ),
        ...note(
          sum(fitted, ({ shortened }) => shortened),
          'long ids',
          'shortened; those of cards and assignees are kept in metadata',
        ),
        ...note(
          sum(fitted, ({ unlinked }) => unlinked),
          'attachments without a link',
          `no URL, or none that a link may have: kept in metadata.${format}`,
        ),
        ...note(
          sum(fitted, ({ surplus }) => surplus),
          'attachments left out',
          `an item has at most ${ATTACHMENTS_LIMIT}: kept in metadata.${format}`,
        ),
      ],
    },
  }
}

/** The addresses of the people in a file, also of those in fields that have no counterpart here, such as a reporter. */
function addressesOf({ people, cards, rest }: SourceBoard): string[] {
  const found = new Set<string>()
  const add = (addresses: Iterable<string>) => {
    for (const address of addresses) found.add(address)
  }
  for (const { id, name, email } of people) for (const text of [id, name, email]) add(addressesIn(text))
  for (const { assignees, comments, attachments, rest } of cards) {
    for (const assignee of assignees) add(addressesIn(assignee))
    for (const { authorId } of comments) add(addressesIn(authorId))
    for (const { creatorId } of attachments) add(addressesIn(creatorId ?? ''))
    add(addressesOfPeople(rest))
  }
  add(addressesOfPeople(rest))
  return [...found]
}

/** Ids of cards looked up at a time, among all items of some projects. */
const IDS_AT_ONCE = 10_000

const missingColumn = (names: ColumnNames) =>
  names.has(undefined) ? { columns: ['1 for cards whose column is not in the file'] } : {}

/**
 * @param again the name of the option that imports it again
 * @param since only check projects changed after this change
 * @throws Error if the board was imported before
 */
function refuseSecondImport(
  db: SharedDatabase,
  { format, id, hasUniqueCardIds = false, keepsCards = false }: BoardFacts,
  cardIds: BoardRows['cardIds'],
  { again, since, seen }: { again: string; since: number | undefined; seen: readonly string[] | undefined },
): void {
  const isSeen =
    seen === undefined
      ? undefined
      : sql`${projects.id} in (select value from json_each(${JSON.stringify(seen)}))`
  // Other tools may have changed the metadata. Where it names no board any more, the items' source ids do; where it names
  // another board, they do not count if cards can be moved between boards.
  const path = `$."${format}".id`
  const boardOf = sql`case when json_valid(${projects.metadata}) then json_extract(${projects.metadata}, ${path}) end`
  const refuseThose = (condition: SQL) => {
    const earlier = db
      .select({ id: projects.id, name: projects.name })
      .from(projects)
      .where(and(condition, isSeen))
      .limit(1)
      .get()
    if (earlier === undefined) return
    throw new Error(
      `this board was imported before, as project ${earlier.id} (${earlier.name}); use ${again} to import it once more`,
    )
  }
  const isNew =
    since === undefined
      ? sql``
      : sql` and ${projects.id} in (select ${changes.id} from ${changes} where ${changes.seq} > ${since} and ${changes.kind} = 'project')`
  refuseThose(sql`${boardOf} = ${id}${isNew}`)
  // Inside the write only records of another import are new, and those name its board.
  if (!hasUniqueCardIds || since !== undefined) return
  const mayHoldIt = keepsCards ? sql`true` : sql`${boardOf} is null`
  for (const ids of cardIds()) {
    refuseThose(sql`${mayHoldIt} and exists (
      select 1 from ${kanbanItems}
      where ${kanbanItems.projectId} = ${projects.id} and ${kanbanItems.source} = 'import'
        and ${kanbanItems.sourceId} in (select value from json_each(${JSON.stringify(ids)}))
    )`)
  }
}
