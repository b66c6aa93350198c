/** Recognises files of other tools, for a helpful error if another format was given. */

import { isObject } from '../../json.ts'
import type { SourceFile } from './source-files.ts'
import { nameKey } from './source-tables.ts'
import { objects } from './source-values.ts'

const has = (header: ReadonlySet<string>, ...names: string[]) => names.every((name) => header.has(name))

/** Whether a header is that of Jira's CSV export. */
export const isJiraHeader = (header: readonly string[]): boolean => {
  const names = new Set(header.map(nameKey))
  return has(names, 'summary') && (names.has('issuekey') || has(names, 'key', 'issuetype'))
}

/** Columns of Kanboard's export of tasks, in its order; older versions have no `Creator Name` or `Tags`. */
export const isKanboardHeader = (header: readonly string[]): boolean =>
  has(new Set(header.map(nameKey)), 'taskid', 'swimlane', 'column', 'title')

export const isKanboardSubtasks = (header: readonly string[]): boolean =>
  has(new Set(header.map(nameKey)), 'subtaskid', 'taskid')

/** Whether a header is that of an exported view of a GitHub project. */
export const isGitHubHeader = (header: readonly string[], delimiter: string): boolean =>
  delimiter === '\t' && has(new Set(header.map(nameKey)), 'title', 'url')

/** Whether JSON is Trello's export of a board. */
const isTrello = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value.lists) && Array.isArray(value.cards)

/** Whether JSON is Planka's response for a board. */
export const isPlanka = (value: unknown): boolean =>
  isObject(value) &&
  isObject(value.item) &&
  isObject(value.included) &&
  Array.isArray(value.included.lists) &&
  Array.isArray(value.included.cards)

/** Whether JSON is a list of issues as in responses of Jira's search, or a list of such responses. */
export const isJira = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every((page) => isJira(page) || isIssue(page))
    : isObject(value) && Array.isArray(value.issues) && value.issues.every(isIssue)

const isIssue = (value: unknown): boolean =>
  isObject(value) && typeof value.key === 'string' && isObject(value.fields)

/** Whether JSON is the output of `gh project item-list`. */
export const isGitHub = (value: unknown): boolean =>
  isObject(value) &&
  Array.isArray(value.items) &&
  (objects(value.items).some((item) => 'content' in item) ||
    (value.items.length === 0 && 'totalCount' in value))

/** The recognised files, and their formats here. */
function known(file: SourceFile): { what: string; format: string } | undefined {
  if (file.kind === 'database') return { what: 'an SQLite database', format: 'kanboard' }
  if (file.kind === 'table') {
    const { header, delimiter } = file.table
    if (isJiraHeader(header)) return { what: "Jira's CSV export", format: 'jira' }
    if (isKanboardHeader(header)) return { what: "Kanboard's CSV export", format: 'kanboard' }
    if (isGitHubHeader(header, delimiter)) return { what: 'a view of a GitHub project', format: 'github' }
    return undefined
  }
  const { value } = file
  if (isTrello(value)) return { what: 'a Trello board export', format: 'trello' }
  if (isPlanka(value)) return { what: 'a Planka board', format: 'planka' }
  if (isJira(value)) return { what: 'a search in Jira', format: 'jira' }
  if (isGitHub(value)) return { what: 'the items of a GitHub project', format: 'github' }
  return undefined
}

const KINDS = {
  json: 'JSON of another kind',
  table: 'a table or text of another kind',
  database: 'an SQLite database',
}

/**
 * The error for a file that does not have the requested format.
 * @param expected a brief description of the format's files
 */
export function notOfFormat(file: SourceFile, format: string, expected: string): Error {
  const found = known(file)
  const hint =
    found && found.format !== format
      ? `it looks like ${found.what}: use ${found.format}`
      : `it is ${KINDS[file.kind]}`
  return new Error(`expected ${expected}, but ${hint}`)
}
