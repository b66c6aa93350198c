/** Issues of Jira: its CSV export, or responses of its search API. */
import { baseName } from './csv.ts'
import { toBoard } from './jira-board.ts'
import { readIssues as readRows } from './jira-csv.ts'
import { readIssues as readSearch } from './jira-json.ts'
import type { SourceBoard } from './source-board.ts'
import { openSource } from './source-files.ts'
import { isJira, isJiraHeader, notOfFormat } from './source-formats.ts'

/**
 * Reads issues, of one project or several.
 * @param name of the file, as the default name of the board
 * @throws Error with one line for another format
 */
export function readJira(bytes: Uint8Array, name: string): SourceBoard {
  const file = openSource(bytes)
  const read =
    file.kind === 'json' && isJira(file.value)
      ? readSearch(file.value)
      : file.kind === 'table' && isJiraHeader(file.table.header)
        ? readRows(file.table)
        : undefined
  if (!read)
    throw notOfFormat(
      file,
      'jira',
      'the CSV export of issues, with English names of columns, or the JSON of a search',
    )
  const { issues, source } = read
  return toBoard(issues, { ...source, id: source.id || baseName(name), name: source.name || baseName(name) })
}
