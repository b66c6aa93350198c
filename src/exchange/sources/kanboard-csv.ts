/** Kanboard's CSV export of tasks. Its column names are in the user's language, but their positions are fixed. */
import { FoundColumns } from './found-columns.ts'
import type { SourceBoard, SourceCard, SourceLabel } from './source-board.ts'
import { Dates } from './source-dates.ts'
import { isKanboardHeader } from './source-formats.ts'
import { Cells, nameKey, type Table } from './source-tables.ts'
import { ByName, note, number, sortedBy, span, withoutEmpty } from './source-values.ts'

/** The columns in order: names here, and English names in the form of {@link nameKey}. */
const PLACES = {
  id: 'taskid',
  reference: 'reference',
  project: 'project',
  status: 'status',
  category: 'category',
  swimlane: 'swimlane',
  column: 'column',
  position: 'position',
  color: 'color',
  due: 'duedate',
  creator: 'creator',
  creatorName: 'creatorname',
  assignee: 'assigneeusername',
  assigneeName: 'assigneename',
  score: 'complexity',
  title: 'title',
  created: 'creationdate',
  modified: 'modificationdate',
  completed: 'completiondate',
  started: 'startdate',
  timeEstimated: 'timeestimated',
  timeSpent: 'timespent',
  priority: 'priority',
  tags: 'tags',
}
type Place = keyof typeof PLACES

/** The number of columns. */
export const TASK_COLUMNS = Object.keys(PLACES).length

/** Columns with a field here. */
const READ: Place[] = [
  'id',
  'project',
  'status',
  'column',
  'due',
  'assignee',
  'title',
  'created',
  'modified',
  'priority',
  'tags',
]

/** Kanboard's priorities are numbers, 0 to 3 unless a project has others. */
const PRIORITIES = ['low', 'medium', 'high', 'critical']

/** The priority of a number; empty for other scales. */
export const priorityOfNumber = (value: number | undefined): string => PRIORITIES[value ?? -1] ?? ''

/** Reads the tasks of a project. */
export function readTasks(table: Table): SourceBoard {
  const { names, placeOf } = placesOf(table.header)
  const used = new Set(READ.map((name) => placeOf.get(name) ?? -1))
  const cells = new Cells(names)
  const dates = new Dates('month')
  const columns = new FoundColumns()
  const labels = new ByName((name): SourceLabel => ({ name, color: '', createdAt: '' }))
  const swimlanes = new ByName((name) => ({ name }))
  const projects = new Set<string>()
  const people = new Map<string, string>()
  const drafts: {
    card: SourceCard
    at: (place: Place) => string
    lane: object
    place: number | undefined
  }[] = []
  table.forEachRow((row, rowNumber) => {
    const cell = (name: Place) => row[placeOf.get(name) ?? -1]?.toWellFormed() ?? ''
    const times = {
      due: cell('due'),
      created: cell('created'),
      modified: cell('modified'),
      completed: cell('completed'),
    }
    for (const at of Object.values(times)) dates.see(at)
    projects.add(cell('project'))
    people.set(cell('assignee'), cell('assigneeName'))
    const priority = priorityOfNumber(number(cell('priority')))
    drafts.push({
      at: (place) => times[place as keyof typeof times],
      lane: swimlanes.of(cell('swimlane')),
      place: number(cell('position')),
      card: {
        id: cell('id') || `row ${rowNumber}`,
        title: cell('title'),
        description: '',
        column: cell('column') === '' ? undefined : columns.of(cell('column')),
        position: undefined,
        priority,
        assignees: cell('assignee') === '' ? [] : [cell('assignee')],
        dueDate: null,
        dismissed: isClosed(cell('status'), times.completed),
        labels: [...new Set(cell('tags').split(', '))]
          .filter((tag) => tag !== '')
          .map((tag) => labels.of(tag)),
        subtasks: [],
        comments: [],
        attachments: [],
        rest: {
          ...cells.rest(row, used),
          ...withoutEmpty({
            status: cell('status'),
            priority:
              priority === '' || cell('priority') === '' ? cell('priority') : Number(cell('priority')),
          }),
        },
        createdAt: '',
        updatedAt: '',
      },
    })
  })
  if (projects.size > 1) throw new Error(`it has tasks of ${projects.size} projects: export one at a time`)
  let unreadable = 0
  for (const { card, at } of drafts) {
    const read = (place: Place) => {
      const date = dates.read(at(place))
      if (date === undefined && at(place) !== '') {
        unreadable += 1
        card.rest[place] = at(place)
      }
      return date
    }
    card.dueDate = read('due') ?? null
    card.createdAt = read('created') ?? ''
    card.updatedAt = read('modified') ?? ''
  }
  const { first, last } = span(
    drafts.flatMap(({ card }) => [card.createdAt || undefined, card.updatedAt || undefined]),
  )
  for (const { card } of drafts) {
    card.createdAt ||= card.updatedAt || first
    card.updatedAt ||= card.createdAt
  }
  for (const part of [...columns.all, ...labels.all]) part.createdAt = first
  const lanes = new Map(swimlanes.all.map((lane, index) => [lane as object, index]))
  const [name = ''] = projects
  return {
    format: 'kanboard',
    id: name,
    name,
    description: '',
    archived: false,
    createdAt: first,
    updatedAt: last,
    columns: columns.all,
    labels: labels.all,
    cards: sortedBy(
      sortedBy(drafts, ({ place }) => place),
      ({ lane }) => lanes.get(lane),
    ).map(({ card }) => card),
    people: [...people].map(([id, name]) => ({ id, name, email: '' })),
    rest: { columns: table.header },
    notes: [
      ...dates.notes,
      ...note(unreadable, 'unreadable dates', 'kept in metadata.kanboard'),
      'the CSV export has no descriptions, subtasks and comments: the database has',
    ],
  }
}

/** The positions of the columns: by English name, or else fixed. Columns with a field get the same names in any language. */
function placesOf(header: readonly string[]) {
  const keys = header.map(nameKey)
  const isEnglish = isKanboardHeader(header)
  const placeOf = new Map(
    Object.entries(PLACES).map(([name, key], index) => [
      name as Place,
      isEnglish ? keys.indexOf(key) : index,
    ]),
  )
  const names = [...header]
  for (const [name, index] of placeOf) if (index >= 0) names[index] = name
  return { names, placeOf }
}

/** Whether a task is closed. In other languages the word is unknown, but only closed tasks have a completion date. */
function isClosed(status: string, completed: string): boolean {
  if (status === 'Open') return false
  return status === 'Closed' || completed !== ''
}
