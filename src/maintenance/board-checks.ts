/** Checks of boards and lists: their columns, and the order of their records. */

import { getTableName } from 'drizzle-orm'
import { ColumnNames } from '../board/column-names.ts'
import { fieldsOf, KINDS } from '../db/kinds.ts'
import { fold } from '../folding.ts'
import { timestamp } from '../time.ts'
import { type Check, count, counted, found, together } from './checks.ts'

/** The columns that identify the list of a record. */
const LISTS = ['project_id', 'item_id', 'owner_id', 'column']

/** A sorted list: the table, and the columns that identify the list. */
const SORTED = KINDS.map((kind) => ({ kind, columns: fieldsOf(kind).map(({ column }) => column) }))
  .filter(({ columns }) => columns.includes('sort_order'))
  .map(({ kind, columns }) => {
    const same = LISTS.filter((column) => columns.includes(column))
    const siblings = same.map((column) => `other."${column}" = record."${column}"`).join(' and ') || 'true'
    return { table: getTableName(kind.table), siblings }
  })

/** Condition: a place is not a finite number. */
const isNoPlace = (row: string) =>
  `(typeof(${row}.sort_order) not in ('integer', 'real') or abs(${row}.sort_order) > 1.7976931348623157e308)`

/** The rows of a table with an invalid place. */
const misplaced = (table: string) => `select id from ${table} as record where ${isNoPlace('record')}`

const order: Check = {
  name: 'order',
  holds: 'every position in a list is a number',
  advice: 'another tool has written it; --fix puts such records at the end of their lists, or the beginning',
  find: ({ client }) =>
    together(
      SORTED.map(({ table }) => count(client, misplaced(table), (id) => `${id} of ${table} has no place`)),
    ),
  fix: ({ $client: client }) => {
    let placed = 0
    for (const { table, siblings } of SORTED) {
      const others = `from ${table} as other where ${siblings} and not ${isNoPlace('other')}`
      const ids = client
        .prepare<[], string>(`${misplaced(table)} order by sort_order, id`)
        .pluck()
        .all()
      const put = client.prepare(`update ${table} as record set updated_at = :at, sort_order = iif(
        sort_order < 0 and typeof(sort_order) = 'real',
        coalesce((select min(other.sort_order) ${others}), 1) - 1,
        coalesce((select max(other.sort_order) ${others}), 0) + 1) where id = :id`)
      for (const id of ids) placed += put.run({ id, at: timestamp() }).changes
    }
    return `put ${counted(placed, 'record')} in their places`
  },
}

const MISSING_COLUMNS = `select distinct item.project_id as projectId, item."column" as name
  from kanban_items as item join projects on projects.id = item.project_id
  where not exists (select 1 from kanban_columns as known
    where known.project_id = item.project_id and known.name = item."column")`

const columns: Check = {
  name: 'columns',
  holds: 'every item is in a column of its board',
  advice: 'such items are on no board; --fix makes the columns, at the end',
  find: ({ client }) =>
    count(
      client,
      `select '"' || name || '" of project ' || projectId from (${MISSING_COLUMNS})`,
      (name) => `no column ${name}`,
    ),
  fix: (db) => {
    const missing = db.$client.prepare<[], { projectId: string; name: string }>(MISSING_COLUMNS).all()
    const names = new ColumnNames(db)
    for (const { projectId, name } of missing) names.ensure(projectId, name, timestamp())
    return `made ${counted(missing.length, 'column')}`
  },
}

const labels: Check = {
  name: 'labels',
  holds: 'no two labels of a project differ only in how they are written',
  advice: 'such labels are of an earlier version or another tool; rename one, or delete it',
  find: ({ client }) => {
    const all = client
      .prepare<[], { id: string; project: string; name: string }>(
        'select id, project_id as project, name from kanban_labels order by project_id, id',
      )
      .all()
    const groups = Map.groupBy(all, ({ project, name }) => `${project} ${fold(name)}`)
    const alike = [...groups.values()].filter(({ length }) => length > 1)
    return found(
      alike.map((same) => `${same.map(({ name }) => `"${name}"`).join(', ')} of project ${same[0]?.project}`),
    )
  },
}

export const BOARD_CHECKS: readonly Check[] = [order, columns, labels]
