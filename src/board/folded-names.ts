/** Filters by name mean all names that differ from it only in how they are written. */
import { getTableName } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanColumns, kanbanLabels } from '../db/schema.ts'
import { amongValues, selectAll } from '../db/statements.ts'
import { among, ROWS_SCANNED, rowLimit } from '../db/work-limits.ts'
import { fold } from '../folding.ts'
import { valuesOfAny } from '../schemas/common.ts'

/** A lookup of stored names by their folding; a name that none has means itself, so that ids pass. It may throw TooMuchWork. */
function storedNames(db: SharedDatabase, table: typeof kanbanColumns | typeof kanbanLabels) {
  const { name, projectId } = table
  const ofAll = selectAll(db, () => db.selectDistinct({ name }).from(table))
  const ofProjects = selectAll(db, () =>
    db.selectDistinct({ name }).from(table).where(amongValues(projectId, 'projectIds')),
  )
  const limitAll = rowLimit(db, getTableName(table), ROWS_SCANNED)
  const limitSome = rowLimit(db, among(getTableName(table), 'project_id'), ROWS_SCANNED)
  return (asked: readonly string[], projectIds: readonly string[]): string[] => {
    if (asked.length === 0) return []
    const ids = JSON.stringify(projectIds)
    if (projectIds.length === 0) limitAll()
    else if (projectIds.length > 1) limitSome(ids)
    const stored = projectIds.length === 0 ? ofAll() : ofProjects({ projectIds: ids })
    const byFolding = Map.groupBy(stored, (one) => fold(one.name))
    return asked.flatMap((one) => byFolding.get(fold(one))?.map((found) => found.name) ?? [one])
  }
}

/** What a filter says of columns and labels. */
interface Named {
  projectId?: string | string[] | undefined
  column?: string | string[] | undefined
  label?: string | string[] | undefined
}

/** The filter with the stored names of columns and labels in place of the asked ones. It may throw TooMuchWork. */
export function foldedNames(db: SharedDatabase): <T extends Named>(filter: T) => T {
  const columns = storedNames(db, kanbanColumns)
  const labels = storedNames(db, kanbanLabels)
  return (filter) => {
    const projectIds = valuesOfAny(filter.projectId)
    return {
      ...filter,
      column: columns(valuesOfAny(filter.column), projectIds),
      label: labels(valuesOfAny(filter.label), projectIds),
    }
  }
}
