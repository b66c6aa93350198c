/** Recognises the tool of a file by its content. */
import { isObject } from '../../json.ts'
import { has, NOTION_NAME, nameKey, type Recognised, toolOfHeader } from './column-names.ts'
import type { SourceFile } from './source-files.ts'
import { objects } from './source-values.ts'

/** Whether a header is that of Kanboard's export of subtasks, which has no tasks. */
export const isKanboardSubtasks = (header: readonly string[]): boolean =>
  has(new Set(header.map(nameKey)), 'subtaskid', 'taskid')

/** Whether JSON is a list of issues as in responses of Jira's search, or a list of such responses. */
const isJira = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every((page) => isJira(page) || isIssue(page))
    : isObject(value) && Array.isArray(value.issues) && value.issues.every(isIssue)

const isIssue = (value: unknown): boolean =>
  isObject(value) && typeof value.key === 'string' && isObject(value.fields)

/** The boards of Deck: of its own format, of the older one, or one of them. */
export function deckBoards(value: unknown): unknown[] {
  if (!isObject(value)) return []
  const isBoard = (board: unknown) => isObject(board) && 'title' in board && 'stacks' in board
  if (isBoard(value)) return [value]
  const boards = Object.values(isObject(value.boards) || Array.isArray(value.boards) ? value.boards : value)
  return boards.every(isBoard) ? boards : []
}

/** Whether JSON is Vikunja's data: a list of projects with tasks. */
const isVikunja = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (project) => isObject(project) && 'tasks' in project && ('buckets' in project || 'identifier' in project),
  )

const JSONS: readonly (Recognised & { is: (value: unknown) => boolean })[] = [
  {
    format: 'wekan',
    what: 'a WeKan board',
    is: (value) =>
      isObject(value) &&
      (String(value._format).startsWith('wekan-board') ||
        (Array.isArray(value.lists) && Array.isArray(value.cards) && Array.isArray(value.swimlanes))),
  },
  {
    format: 'trello',
    what: 'a Trello board export',
    is: (value) => isObject(value) && Array.isArray(value.lists) && Array.isArray(value.cards),
  },
  {
    format: 'planka',
    what: 'a Planka board',
    is: (value) =>
      isObject(value) &&
      isObject(value.item) &&
      isObject(value.included) &&
      Array.isArray(value.included.lists) &&
      Array.isArray(value.included.cards),
  },
  { format: 'jira', what: 'a search in Jira', is: isJira },
  {
    format: 'github',
    what: 'the items of a GitHub project',
    is: (value) =>
      isObject(value) &&
      Array.isArray(value.items) &&
      (objects(value.items).some((item) => 'content' in item) ||
        (value.items.length === 0 && 'totalCount' in value)),
  },
  { format: 'vikunja', what: "Vikunja's export", is: isVikunja },
  { format: 'deck', what: 'an export of Nextcloud Deck', is: (value) => deckBoards(value).length > 0 },
]

/**
 * The tool of a file; undefined for an unknown one.
 * @param name of the file
 */
export function recognise(file: SourceFile, name: string): Recognised | undefined {
  if (file.kind === 'database') return { what: 'an SQLite database', format: 'kanboard' }
  if (file.kind === 'json') return JSONS.find(({ is }) => is(file.value))
  const { header, delimiter } = file.table
  return (
    toolOfHeader(header, delimiter) ??
    (NOTION_NAME.test(name) ? { format: 'notion', what: 'a database of Notion' } : undefined)
  )
}

const KINDS = {
  json: 'JSON of another kind',
  table: 'a table or text of another kind',
  database: 'an SQLite database',
}

/**
 * The error for a file that does not have the requested format.
 * @param found what it is instead
 * @param expected a brief description of the format's files
 */
export const notOfFormat = (file: SourceFile, found: Recognised | undefined, expected: string): Error =>
  new Error(
    `expected ${expected}, but ${
      found ? `it looks like ${found.what}: use ${found.format}` : `it is ${KINDS[file.kind]}`
    }`,
  )
