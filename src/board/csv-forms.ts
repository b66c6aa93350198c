/** The forms of a board's CSV that the importers of other tools read: see docs/exporting.md. */
import type { KanbanItem } from '../schemas/records.ts'
import { isDay } from '../time.ts'
import { type ExportedBoard, visibleTitle } from './exported-boards.ts'
import type { Stage } from './stages.ts'

/** What a line says besides the fields of its item. */
export interface Facts {
  project: ExportedBoard['project']
  /** The names of people, by id. */
  names: ReadonlyMap<string, string>
  /** The stage of the item's column. */
  stage: Stage
  /** Since when the item has been in its column. */
  since: () => string
}

/** A form of the table. */
export interface CsvForm {
  header: readonly string[]
  /** The cells of an item, not guarded yet. */
  cellsOf: (item: KanbanItem, facts: Facts) => string[]
}

/** The priorities of Linear, which it reads by name. */
const LINEAR_PRIORITIES = new Map([
  ['critical', 'Urgent'],
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
])

/** GitHub refuses a title of more than 256 characters and a text of more than 65,536: with room for the guard. */
const GITHUB_TITLE = 255
const GITHUB_BODY = 65_000

/** Names in one cell, for importers that know no escape: commas in names become blanks. */
const listed = (names: readonly string[], separator = ','): string =>
  names
    .map((name) => name.replaceAll(',', ' ').replaceAll(/\s+/g, ' ').trim())
    .filter((name) => name !== '')
    .join(separator)

/** At most so many UTF-16 units, never half a character. */
const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text

/** The description, and the subtasks as a task list of Markdown below it. */
function textOf({ description, subtasks }: KanbanItem): string {
  const tasks = subtasks.map(
    ({ completed, title }) => `- [${completed ? 'x' : ' '}] ${title.replaceAll(/\s+/g, ' ')}`,
  )
  // Below a heading, since the guard would break a list that begins the cell.
  return tasks.length > 0
    ? [description, 'Subtasks:', tasks.join('\n')].filter(Boolean).join('\n\n')
    : description
}

/** Linear's own export, which its importer `@linear/import` reads. */
const LINEAR: CsvForm = {
  header: [
    'ID',
    'Team',
    'Title',
    'Description',
    'Status',
    'Estimate',
    'Priority',
    'Assignee',
    'Labels',
    'Created',
    'Updated',
    'Started',
    'Completed',
    'Archived',
    'Due Date',
  ],
  cellsOf: (item, { project, names, stage, since }) => [
    project.key !== null && item.number !== null ? `${project.key}-${item.number}` : '',
    project.name,
    visibleTitle(item.title),
    textOf(item),
    item.column,
    '',
    LINEAR_PRIORITIES.get(item.priority) ?? 'No priority',
    names.get(item.assigneeIds[0] ?? '') ?? '',
    listed(
      item.labels.map(({ name }) => name),
      ', ',
    ),
    item.createdAt,
    item.updatedAt,
    // These two tell the importer the type of a status that it creates.
    stage === 'doing' ? since() : '',
    stage === 'done' ? since() : '',
    item.dismissed ? item.updatedAt : '',
    item.dueDate && isDay(item.dueDate) ? item.dueDate.slice(0, 10) : (item.dueDate ?? ''),
  ],
}

/**
 * Issues as `github-csv-tools` reads them: title, body, labels and state. The others are for people and other programs: it ignores
 * them. Its column `assignee` is absent, since GitHub refuses an issue whose assignee is no user name with access to the repository.
 */
const GITHUB: CsvForm = {
  header: [
    'title',
    'body',
    'labels',
    'state',
    'number',
    'assignees',
    'status',
    'priority',
    'due_date',
    'created_at',
    'updated_at',
  ],
  cellsOf: (item, { names, stage }) => {
    const title = visibleTitle(item.title)
    const text = title.length > GITHUB_TITLE ? `${title}\n\n${textOf(item)}` : textOf(item)
    return [
      cut(title, GITHUB_TITLE),
      cut(text, GITHUB_BODY),
      listed(item.labels.map(({ name }) => name)),
      item.dismissed || stage === 'done' ? 'closed' : 'open',
      String(item.number ?? ''),
      listed(item.assigneeIds.map((id) => names.get(id) ?? '')),
      item.column,
      item.priority,
      item.dueDate ?? '',
      item.createdAt,
      item.updatedAt,
    ]
  },
}

/** The forms by the names of the tools. */
export const CSV_FORMS = { linear: LINEAR, github: GITHUB } as const satisfies Record<string, CsvForm>
export type CsvFormat = keyof typeof CSV_FORMS
