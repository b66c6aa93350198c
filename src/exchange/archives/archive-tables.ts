/** The contents of an archive: the tables of all records, their history and the audit log, each in a separate file. */
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import {
  getTableConfig,
  type SQLiteColumn,
  SQLiteCustomColumn,
  type SQLiteTable,
} from 'drizzle-orm/sqlite-core'
import { columnName, KINDS, keyIn } from '../../db/kinds.ts'
import { auditLog, changes } from '../../db/schema.ts'

/** A column in an archive. */
export interface ArchiveField {
  /** Its name in the API, and in the archive. */
  name: string
  /** Its name in the file. */
  column: string
  /** `flag`: 0 and 1 are written as false and true. `json`: text of an object or array is embedded unchanged. */
  type: 'flag' | 'json' | 'plain'
}

/** The same, with the constraints of its values. */
export interface RuledField extends ArchiveField {
  /** The purpose of the column; SQLite converts numbers to text in text columns. */
  holds: 'text' | 'number'
  isRequired: boolean
  /** Whether it is a key of the record or its parent. */
  isName: boolean
  /** The referenced table of a required reference. */
  refersTo: string | undefined
  /** The values of a closed set. */
  values: readonly string[] | undefined
}

export interface ArchiveTable {
  /** The name of its file, e.g. `kanban-items.jsonl`. */
  file: string
  /** Its name in the database. */
  table: string
  fields: readonly RuledField[]
  /** The names of the fields that order its rows. */
  key: readonly string[]
  /** Condition: a row belongs into an archive. */
  isArchived: string
}

/** Text written by triggers into the sequence: always JSON. */
const CHANGED_RECORDS: readonly string[] = ['before', 'after']

function typeOf(table: SQLiteTable, name: string, column: SQLiteColumn): ArchiveField['type'] {
  if (column.dataType === 'boolean') return 'flag'
  const isJson = is(column, SQLiteCustomColumn) || (table === changes && CHANGED_RECORDS.includes(name))
  return isJson ? 'json' : 'plain'
}

function archived(table: SQLiteTable, secret: readonly string[] = []): ArchiveTable {
  const key = keyIn(table)
  const references = new Map(
    getTableConfig(table).foreignKeys.flatMap((one) => {
      const { columns, foreignTable } = one.reference()
      return columns.map((column) => [column, getTableName(foreignTable)])
    }),
  )
  const fields = Object.entries<SQLiteColumn>(getTableColumns(table))
    .filter(([name]) => !secret.includes(name))
    .map(
      ([name, column]): RuledField => ({
        name,
        column: columnName(column),
        type: typeOf(table, name, column),
        holds: column.getSQLType() === 'text' ? 'text' : 'number',
        isRequired: column.notNull || column.primary,
        isName: key.includes(name) || references.has(column),
        refersTo: references.get(column),
        values: column.enumValues?.length ? column.enumValues : undefined,
      }),
    )
  return {
    file: fileOf(table),
    table: getTableName(table),
    fields,
    key,
    isArchived: 'true',
  }
}

/** The file of a table, named like its records, in the plural. */
export const fileOf = (table: SQLiteTable): string => `${getTableName(table).replaceAll('_', '-')}.jsonl`

/**
 * The tables of an archive, referenced ones first; but a team comes after its members, and is recorded with them.
 * Excluded are credentials (passwords, sessions,
 * tokens, accounts of a provider), signing secrets (webhooks), and temporary data: idempotency keys, running imports.
 */
export const ARCHIVED: readonly ArchiveTable[] = [
  ...KINDS.flatMap(({ table, secret, list }) => [
    ...(list ? [archived(list.table)] : []),
    archived(table, secret),
  ]),
  archived(auditLog),
  archived(changes),
]

/** A column of the list of files; both are the service's own. */
const listed = (name: string, holds: RuledField['holds']): RuledField => ({
  name,
  column: name,
  type: 'plain',
  holds,
  isRequired: true,
  isName: name === 'sha256',
  refersTo: undefined,
  values: undefined,
})

/** The list of the files whose bytes are in the archive: attachments and thumbnails, also of deleted records that an undo can restore. */
export const CONTENTS: ArchiveTable = {
  file: 'files.jsonl',
  table: 'file_contents',
  fields: [listed('sha256', 'text'), listed('size', 'number')],
  key: ['sha256'],
  // Incomplete ones have no hash; one by another tool might be no name of a file.
  isArchived: "length(sha256) = 64 and sha256 not glob '*[^0-9a-f]*'",
}

/** All files of lines, in order. */
export const LISTS: readonly ArchiveTable[] = [...ARCHIVED, CONTENTS]

/** The file of the sequence of changes. */
export const CHANGES_FILE = fileOf(changes)
