/** Checks whether the full-text index matches the records. */
import { type Check, count, found, together } from './checks.ts'

const textsIn = (column: string) => `coalesce((select group_concat(value, char(10)) from json_tree(
  case when json_valid(record.${column}) then record.${column} else '[]' end) where type = 'text'), '')`

/** The searched tables, and the index content of a record as written by the triggers. */
const SEARCHED = [
  {
    kind: 'project',
    table: 'projects',
    title: 'record.name',
    text: 'record.description || char(10) || record.next_step',
  },
  { kind: 'kanban-item', table: 'kanban_items', title: 'record.title', text: 'record.description' },
  { kind: 'kanban-comment', table: 'kanban_comments', title: "''", text: 'record.content' },
  {
    kind: 'transcript-summary',
    table: 'transcript_summaries',
    title: 'record.title',
    text: `record.summary || char(10) || ${textsIn('participants')} || char(10) || ${textsIn('action_items')}`,
  },
  { kind: 'personal-idea', table: 'personal_ideas', title: 'record.title', text: 'record.description' },
]

/** The check of the index. */
export const SEARCH_CHECKS: readonly Check[] = [
  {
    name: 'search',
    holds: 'the search index agrees with the records',
    advice: 'searches miss records or find deleted ones; --fix rebuilds the index',
    find: ({ client }) => {
      const [answer] = client.pragma('integrity_check(search_index)') as { integrity_check: string }[]
      const problem = answer?.integrity_check ?? 'ok'
      if (problem !== 'ok') return found([problem])
      const differing = SEARCHED.map(({ kind, table, title, text }) =>
        count(
          client,
          `select record.id from ${table} as record
            left join search_entries as entry on entry.kind = '${kind}' and entry.record_id = record.id
            left join search_index as indexed on indexed.rowid = entry.id
            where indexed.rowid is null or indexed.title is not ${title} or indexed.text is not ${text}`,
          (id) => `${kind} ${id} is missing in the index, or indexed with other contents`,
        ),
      )
      const stale = SEARCHED.map(({ kind, table }) =>
        count(
          client,
          `select record_id from search_entries where kind = '${kind}' and record_id not in (select id from ${table})`,
          (id) => `${kind} ${id} is gone`,
        ),
      )
      const nameless = count(
        client,
        'select rowid from search_index where rowid not in (select id from search_entries)',
        (rowid) => `entry ${rowid} has no record`,
      )
      return together([...differing, ...stale, nameless])
    },
    fix: ({ $client: client }) => {
      // Rows with damaged postings cannot be deleted: first rebuild the postings from the texts.
      client.exec("insert into search_index (search_index) values ('rebuild')")
      client.exec('delete from search_index; delete from search_entries')
      let indexed = 0
      for (const { kind, table, title, text } of SEARCHED) {
        client.exec(`insert into search_entries (kind, record_id) select '${kind}', id from ${table};
          insert into search_index (rowid, title, text) select entry.id, ${title}, ${text}
            from search_entries as entry join ${table} as record on record.id = entry.record_id
            where entry.kind = '${kind}'`)
        indexed += client.prepare<[], number>('select changes()').pluck().get() ?? 0
      }
      return `rebuilt the index of ${indexed} records`
    },
  },
]
