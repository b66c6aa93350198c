/** Issues of Jira: its CSV export, or responses of its search API. */
import { toBoard } from './jira-board.ts'
import { readIssues as readRows } from './jira-csv.ts'
import { readIssues as readSearch } from './jira-json.ts'
import type { BoardReader } from './source-board.ts'
import { baseName } from './table-board.ts'

/** Reads issues, of one project or several. */
export const readJira: BoardReader = (file, { name }) => {
  const { issues, source } =
    file.kind === 'table' ? readRows(file.table) : readSearch((file as { value: unknown }).value)
  return toBoard(issues, { ...source, id: source.id || baseName(name), name: source.name || baseName(name) })
}
