/**
 * The rules by which other tools import, as their sources and messages say: `@linear/import` 3.2, github-csv-tools 3.2 with GitHub's
 * import of issues, Planka 2.1.
 */
import { parse } from 'csv-parse/sync'

type Row = Record<string, string>

const ensure = (isRight: unknown, what: string): void => {
  if (!isRight) throw new Error(what)
}

const LINEAR_PRIORITIES = ['No priority', 'Urgent', 'High', 'Medium', 'Low']
const LINEAR_COLUMNS = 'Title Description Priority Status Assignee Labels Estimate Created Completed'.split(
  ' ',
)

/** What Linear makes of its CSV: archived issues are skipped, and a new status has the type that its first issue tells. */
export function importIntoLinear(text: string) {
  const rows: Row[] = parse(text, { columns: true, bom: true, trim: true })
  const types = new Map<string, string>()
  const issues = rows.flatMap((row) => {
    for (const column of LINEAR_COLUMNS) ensure(row[column] !== undefined, `there is no column ${column}`)
    if (row.Archived) return []
    const said = (column: string) => row[column] ?? ''
    const unguarded = (column: string) => said(column).replace(/^'(?=[+\-=@＝])/, '')
    const date = (column: string) => {
      ensure(said(column) === '' || !Number.isNaN(Date.parse(said(column))), `${column} is no date`)
      return said(column)
    }
    const type = date('Completed') ? 'completed' : date('Started') ? 'started' : 'backlog'
    if (!types.has(said('Status'))) types.set(said('Status'), type)
    ensure(unguarded('Title') !== '' && said('Status') !== '', 'an issue needs a title and a status')
    ensure(LINEAR_PRIORITIES.includes(said('Priority')), `no priority is named ${said('Priority')}`)
    return [
      {
        title: unguarded('Title'),
        description: unguarded('Description'),
        priority: LINEAR_PRIORITIES.indexOf(said('Priority')),
        status: said('Status'),
        assignee: said('Assignee'),
        labels: said('Labels').split(', ').filter(Boolean),
        createdAt: date('Created'),
        completedAt: date('Completed'),
      },
    ]
  })
  return { issues, types: Object.fromEntries(types) }
}

/** The issues that GitHub creates of a CSV. @param users who may be assigned */
export function importIntoGitHub(text: string, users: readonly string[] = []) {
  const [header = [], ...rows]: string[][] = parse(text, { bom: true, trim: true })
  const places = header.map((name) => name.toLowerCase())
  ensure(places.includes('title'), 'there is no column title')
  return rows.map((row) => {
    const said = (column: string) => row[places.indexOf(column)] ?? ''
    const labels = said('labels').split(',').filter(Boolean)
    ensure(said('title').length > 0 && said('title').length <= 256, 'title is too long, or blank')
    ensure(said('body').length <= 65_536, 'body is too long')
    ensure(
      labels.every((name) => name.length <= 50),
      'a label is too long',
    )
    ensure(said('assignee') === '' || users.includes(said('assignee')), 'assignee is invalid')
    ensure(/^\d*$/.test(said('milestone')), 'milestone is no number')
    return {
      title: said('title'),
      body: said('body'),
      labels,
      closed: said('state').toLowerCase() === 'closed',
    }
  })
}

interface TrelloPart {
  [key: string]: unknown
  id: string
  name: string
  pos: number
}

interface TrelloFile {
  labels: (TrelloPart & { color: string | null })[]
  lists: (TrelloPart & { closed: boolean })[]
  cards: (TrelloPart & {
    desc: string
    idList: string
    idLabels: string[]
    closed: boolean
    due: string | null
    dueComplete: boolean
  })[]
  checklists: (TrelloPart & { idCard: string; checkItems: (TrelloPart & { state: string })[] })[]
  actions: {
    type: string
    date: string
    memberCreator: { fullName: string; username: string }
    data: { text: string; card: { id: string } }
  }[]
}

/** What Planka makes of a board of Trello: cards by list, those in no open list and closed ones in its archive. */
export function importIntoPlanka(text: string) {
  const board: TrelloFile = JSON.parse(text)
  for (const part of ['labels', 'lists', 'cards', 'checklists', 'actions'] as const)
    ensure(Array.isArray(board[part]), `${part} is no list`)
  const byPosition = <T extends TrelloPart>(parts: T[]): T[] => {
    for (const { name, pos } of parts)
      ensure(name !== '' && Number.isFinite(pos), 'a part has no name, or no position')
    return parts.toSorted((a, b) => a.pos - b.pos)
  }
  const labels = new Map(board.labels.map((label) => [label.id, label]))
  const lists = byPosition(board.lists.filter(({ closed }) => !closed))
  const ids = new Set(board.cards.map(({ id }) => id))
  for (const { idCard } of board.checklists) ensure(ids.has(idCard), 'a checklist has no card')
  for (const { data } of board.actions) ensure(ids.has(data.card.id), 'a comment has no card')
  const cards = byPosition(board.cards).map((card) => ({
    name: card.name,
    description: card.desc || null,
    list: lists.find(({ id }) => id === card.idList)?.name,
    isArchived: card.closed,
    dueDate: card.due,
    isDueCompleted: card.due && card.dueComplete,
    labels: card.idLabels.map((id) => labels.get(id)?.name ?? ensure(false, 'a card has no such label')),
    taskLists: byPosition(board.checklists.filter(({ idCard }) => idCard === card.id)).map(
      ({ name, checkItems }) => ({
        name,
        tasks: byPosition(checkItems).map(({ name, state }) => [name, state === 'complete']),
      }),
    ),
    comments: board.actions
      .filter(({ type, data }) => type === 'commentCard' && data.card.id === card.id)
      .toReversed()
      .map(({ data, memberCreator }) => `${data.text} (${memberCreator.fullName})`),
  }))
  return { lists: lists.map(({ name }) => name), labels: board.labels.map(({ color }) => color), cards }
}
