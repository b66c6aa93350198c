/**
 * The triggers that append to the sequence of changes, derived from the tables. They are part of the file, so they record
 * every write: by rules, cascades, commands, imports, other tools. `scripts/change-triggers.ts` makes a migration of
 * them, and a test compares them with the file's.
 *
 * Other tools' versions of SQLite run them too, so they only use features of old versions.
 */
import { getTableName, SQL } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  childrenOf,
  columnName,
  fieldsOf,
  idIn,
  itemIn,
  KINDS,
  type Kind,
  ownerIn,
  projectIn,
} from './kinds.ts'
import * as schema from './schema.ts'

/** A row in a trigger: `old` or `new`, or the name of the table in a statement that reads it. */
type Row = string

/**
 * A value as JSON. A BLOB, which JSON cannot represent, becomes `{"blob":"<hexadecimal>"}`. A real number keeps all its digits,
 * and an infinite one is written so that it reads back as infinite: the `json_quote` of older versions does neither.
 */
const json = (value: string) =>
  `case typeof(${value}) when 'blob' then '{"blob":"'||hex(${value})||'"}' when 'real' then replace(printf('%!.17g', ${value}), 'Inf', '9e999') else json_quote(${value}) end`

/**
 * The fields of a record as a table: `name`, and `a` and `b`, their values in each row. Every new connection parses all
 * triggers and keeps them in memory, so a trigger names each column once.
 */
function fieldTable(tracked: Kind, ...rows: [a: Row, b?: Row]): string {
  const fields = fieldsOf(tracked).map(
    ({ name, column }) => `('${name}', ${rows.map((row) => `${row}."${column}"`).join(', ')})`,
  )
  // An empty first part, because the columns of \`values\` have no reliable names.
  const names = `select null name, null a${rows.length > 1 ? ', null b' : ''} where 0`
  return `(${names} union all values ${fields.join(',\n      ')})`
}

/** The fields of a field table as members of a JSON object, each after a comma, with the values of column `a` or `b`. */
const membersWith = (column: string) => `group_concat(',"'||name||'":'||${json(column)}, '')`

/** The ids of a team's members, as a JSON array: a field of the team in the API, a separate table in the file. */
const membersOf = (team: string, rest = '') =>
  `(select json_group_array(member_id) from (\n      select member_id from team_members where team_id = ${team} ${rest} order by member_id))`

/** A whole record as JSON. */
function record(tracked: Kind, row: Row): string {
  const list = tracked.table === schema.teams ? ` || ',"memberIds":' || ${membersOf(`${row}.id`)}` : ''
  return `'{' || substr((select ${membersWith('a')} from ${fieldTable(tracked, row)})${list}, 2) || '}'`
}

/** The former members of the team `new`, as noted by `Teams`: one change records the whole replacement. */
const HELD = "(select before from changes_pending where kind = 'team-members' and id = new.id)"

/** Condition: the members of the team `new` were replaced. NULL, hence false, if none were noted. */
const MEMBERS_CHANGED = `${HELD} <> ${membersOf('new.id')}`

/** The fields that an update has changed, as JSON with the values of column `a` or `b` of the field table. */
function difference(tracked: Kind, column: 'a' | 'b', memberIds: string): string {
  const fields = membersWith(column)
  const list = `case when ${MEMBERS_CHANGED} then ',"memberIds":' || ${memberIds} else '' end`
  return `'{' || substr(${tracked.table === schema.teams ? `coalesce(${fields}, '') || ${list}` : fields}, 2) || '}'`
}

/** Whether an update has changed anything but `updated_at` and quiet columns; otherwise it is not recorded. */
const hasChanged = (tracked: Kind): string => {
  const quiet = ['updatedAt', ...(tracked.quiet ?? [])]
  const columns = fieldsOf(tracked).filter(({ name }) => !quiet.includes(name))
  const list = (row: Row) => columns.map(({ column }) => `${row}."${column}"`).join(', ')
  return `(${list('old')})\n  is not (${list('new')})`
}

const COLUMNS = 'kind, id, action, project_id, item_id, from_project_id, owner_id, before, after'

/** The values of an appended change. */
const values = (
  tracked: Kind,
  row: Row,
  { action, before = 'null', after = 'null', fromProject = 'null' }: Record<string, string>,
) =>
  [
    `'${tracked.kind}', ${idIn(tracked, row)}, '${action}'`,
    `${projectIn(tracked, row)}, ${itemIn(tracked, row)}, ${fromProject}, ${ownerIn(tracked, row)}`,
    `${before}`,
    `${after}`,
  ].join(',\n    ')

const append = (...change: Parameters<typeof values>) =>
  `insert into changes (${COLUMNS}) values (\n    ${values(...change)});`

/** The unique keys of a table, including the primary one: `insert or replace` deletes rows with the same keys. */
function keysOf(table: SQLiteTable): string[][] {
  const { columns, indexes, primaryKeys } = getTableConfig(table)
  const primary = columns.filter((column) => column.primary).map((column) => [columnName(column)])
  const compound = primaryKeys.map((key) => key.columns.map(columnName))
  const unique = indexes
    .filter(({ config }) => config.unique && config.where === undefined)
    .map(({ config }) => config.columns)
    .filter((parts) => !parts.some((part) => part instanceof SQL))
    .map((parts) => (parts as SQLiteColumn[]).map(columnName))
  return [...primary, ...compound, ...unique]
}

/** Condition: a row of a table has a key of the inserted row. */
const conflicts = (table: SQLiteTable): string =>
  [
    ...keysOf(table).map((key) => key.map((column) => `r."${column}" = new."${column}"`).join(' and ')),
    // The one unique index of an expression.
    ...(table === schema.members ? ['lower(r.email) = lower(new.email)'] : []),
  ]
    .map((condition) => `(${condition})`)
    .join(' or ')

/** An object in the file: its name, and the statement that creates it. */
type Definition = readonly [name: string, sql: string]

/** The triggers of one table, and the view that they read whole records from. */
function definitionsOf(tracked: Kind): Definition[] {
  const { kind, table } = tracked
  const name = getTableName(table)
  const trigger = (suffix: string, head: string, ...body: string[]): Definition => [
    `changes_${name}_${suffix}`,
    `CREATE TRIGGER changes_${name}_${suffix} ${head} begin\n  ${body.join('\n  ')}\nend`,
  ]
  // A team's members are deleted with it, so the team is recorded first.
  const when = table === schema.teams ? 'before' : 'after'
  const pending = `from changes_pending where kind = '${kind}'`
  const deletion = trigger(
    'delete',
    `${when} delete on ${name}`,
    // With \`pragma recursive_triggers\`, a replaced row comes here, too.
    `delete ${pending} and id = ${idIn(tracked, 'old')};`,
    append(tracked, 'old', { action: 'deleted', before: record(tracked, 'old') }),
  )
  if (tracked.onlyDeleted) return [deletion]

  // They are deleted first, while their project is still known: cascades would run after the row itself.
  const children = childrenOf(kind).map(
    (child) => `delete from ${child.table} where ${child.column} = old.id;`,
  )
  const fromProject = table === schema.kanbanItems ? 'nullif(old.project_id, new.project_id)' : 'null'
  const members = table === schema.teams ? `\n  or ${MEMBERS_CHANGED}` : ''
  const isSame = `${idIn(tracked, 'old')} is ${idIn(tracked, 'new')}`
  const created = append(tracked, 'new', { action: 'created', after: record(tracked, 'new') })

  /**
   * \`or replace\` deletes rows without firing a trigger: they are noted before, and recorded afterwards. So is a row with a
   * changed id, which is recorded as another record.
   */
  const note = (suffix: string, event: string, rows: string) =>
    trigger(
      suffix,
      `before ${event} on ${name}\nwhen exists (select 1 ${pending})\n  or exists (select 1 from ${rows})`,
      // Leftovers of a statement that did nothing, such as \`or ignore\`.
      `delete ${pending};`,
      `insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select '${kind}', id, project_id, item_id, owner_id, record from changes_of_${name}
    where row in (select r.rowid from ${rows});`,
    )
  const insertPending = [
    `insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before ${pending};`,
    `delete ${pending};`,
  ]
  const conflicting = `${name} r where (${conflicts(table)})`
  const moved = `${conflicting} and r.rowid <> old.rowid or not (${isSame}) and r.rowid = old.rowid`
  const keys = [...new Set(keysOf(table).flat()), ...(table === schema.members ? ['email'] : [])]
  const ofKeys = `update of ${keys.map((column) => `"${column}"`).join(', ')}`
  return [
    [
      `changes_of_${name}`,
      `CREATE VIEW changes_of_${name} as select rowid as row, ${idIn(tracked, name)} as id, ${projectIn(tracked, name)} as project_id, ${itemIn(tracked, name)} as item_id, ${ownerIn(tracked, name)} as owner_id,
    ${record(tracked, name)} as record from ${name}`,
    ],
    note('replace', 'insert', conflicting),
    trigger('insert', `after insert on ${name}`, ...insertPending, created),
    note('displace', ofKeys, moved),
    trigger(
      'displaced',
      `after ${ofKeys} on ${name}\nwhen exists (select 1 ${pending})`,
      ...insertPending,
      `insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select '${kind}', id, 'created', project_id, item_id, owner_id, record from changes_of_${name}
    where row = new.rowid and not (${isSame});`,
    ),
    trigger(
      'update',
      `after update on ${name}\nwhen (${hasChanged(tracked)}${members}) and ${isSame}`,
      `insert into changes (${COLUMNS}) select\n    ${values(tracked, 'new', {
        action: 'updated',
        fromProject,
        before: difference(tracked, 'a', HELD),
        after: difference(tracked, 'b', membersOf('new.id')),
      })}\n    from ${fieldTable(tracked, 'old', 'new')} where a is not b;`,
    ),
    ...(children.length > 0 ? [trigger('children', `before delete on ${name}`, ...children)] : []),
    deletion,
  ]
}

/** The change of a row of `team_members`: the `memberIds` of its team, unless these are already noted or the team is deleted. */
function triggersOfMembers(): Definition[] {
  const isTracked = (row: Row) =>
    `exists (select 1 from teams where id = ${row}.team_id)
  and not exists (select 1 from changes_pending where kind = 'team-members' and id = ${row}.team_id)`
  const recorded = (row: Row, before: string) =>
    `insert into changes (kind, id, action, before, after) values ('team', ${row}.team_id, 'updated',
    '{"memberIds":' || ${before} || '}',
    '{"memberIds":' || ${membersOf(`${row}.team_id`)} || '}');`
  const without = membersOf('new.team_id', 'and member_id <> new.member_id')
  const withOld = membersOf('old.team_id', 'union select old.member_id')
  const replaced = (row: Row) =>
    `changes_pending where kind = 'team-member' and id = ${row}.team_id || ':' || ${row}.member_id`
  const wasThere = `exists (select 1 from ${replaced('new')})`
  /** `or replace` deletes an equal row without firing a trigger: then it existed before, too. */
  const note = (suffix: string, event: string, condition: string): Definition => {
    const rows = `team_members where team_id = new.team_id and member_id = new.member_id${condition}`
    return [
      `changes_team_members_${suffix}`,
      `CREATE TRIGGER changes_team_members_${suffix} before ${event} on team_members
when exists (select 1 from ${replaced('new')}) or exists (select 1 from ${rows}) begin
  delete from ${replaced('new')};
  insert into changes_pending (kind, id)
    select 'team-member', team_id || ':' || member_id from ${rows};
end`,
    ]
  }
  return [
    note('replace', 'insert', ''),
    note('displace', 'update', ' and (team_id, member_id) is not (old.team_id, old.member_id)'),
    [
      'changes_team_members_insert',
      `CREATE TRIGGER changes_team_members_insert after insert on team_members
when ${isTracked('new')}
  and not exists (select 1 from ${replaced('new')}) begin
  ${recorded('new', without)}
end`,
    ],
    [
      'changes_team_members_update',
      `CREATE TRIGGER changes_team_members_update after update on team_members begin
  insert into changes (kind, id, action, before, after) select 'team', id, 'updated',
    '{"memberIds":' || ${membersOf('teams.id', `and ((team_id, member_id) is not (new.team_id, new.member_id) or ${wasThere}) union select old.member_id where teams.id = old.team_id`)} || '}',
    '{"memberIds":' || ${membersOf('teams.id')} || '}'
    from teams where id in (old.team_id, new.team_id)
    and (old.team_id, old.member_id) is not (new.team_id, new.member_id);
  delete from ${replaced('old')};
end`,
    ],
    [
      'changes_team_members_delete',
      `CREATE TRIGGER changes_team_members_delete after delete on team_members
when ${isTracked('old')} begin
  delete from ${replaced('old')};
  ${recorded('old', withOld)}
end`,
    ],
  ]
}

/** All triggers of the sequence, and their views: names, and the statements that create them. */
export const changeTriggers = (): ReadonlyMap<string, string> =>
  new Map([...KINDS.flatMap(definitionsOf), ...triggersOfMembers()])
