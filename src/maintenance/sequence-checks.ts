/** Checks that the sequence of changes is complete, and its index correct. */

import { isJsonObject } from '../db/json-text.ts'
import { KIND_NAMES } from '../db/kinds.ts'
import { gapsIn, LAST_SEQ, LEAP } from '../db/lost-changes.ts'
import { newestChange } from '../db/newest-change.ts'
import { type Check, count, counted, found, NOTHING, together } from './checks.ts'

/** Reported gaps, at most. */
const GAPS = 100

const sequence: Check = {
  name: 'sequence',
  holds: 'the sequence of changes has no gap',
  advice: 'another tool has deleted changes: clients that follow them should reload',
  find: ({ client }) => {
    const { count, first, last } = client
      .prepare<[], { count: number; first: number | null; last: number | null }>(
        'select count(*) as count, min(seq) as first, max(seq) as last from changes',
      )
      .get() ?? { count: 0, first: null, last: null }
    if (first === null || last === null || last - first + 1 === count) return NOTHING
    const gaps = gapsIn(client, GAPS)
    const missing = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
    return { ...found(gaps.map(({ to }) => `a gap before ${to + 1}`)), count: missing }
  },
}

const MARK = "select -seq from change_subjects where subject = '' and seq < 0 order by seq limit 1"

const index: Check = {
  name: 'history index',
  holds: 'the index of the sequence matches its changes',
  advice: '--fix removes it; the service rebuilds it in slices',
  find: ({ client }) => {
    const newest = newestChange(client)
    const mark = client.prepare<[], number>(MARK).pluck().get() ?? 0
    const beyond = client
      .prepare<[number], number>('select count(*) from change_subjects where seq > ?')
      .pluck()
      .get(newest)
    return together([
      found(mark > newest ? [`it is written up to ${mark}, and the newest change is ${newest}`] : []),
      {
        count: beyond ?? 0,
        examples: beyond ? [`${counted(beyond, 'entry', 'entries')} beyond ${newest}`] : [],
      },
    ])
  },
  fix: ({ $client: client }) => {
    const { changes } = client.prepare('delete from change_subjects').run()
    return `removed ${counted(changes, 'entry', 'entries')}`
  },
}

const pending: Check = {
  name: 'pending',
  holds: 'no write has left partial changes',
  advice: 'another tool has written with triggers off; --fix removes it',
  find: ({ client }) => {
    const rows = client.prepare<[], string>("select kind || ' ' || id from changes_pending").pluck().all()
    return found(rows)
  },
  fix: ({ $client: client }) =>
    `removed ${counted(client.prepare('delete from changes_pending').run().changes, 'entry', 'entries')}`,
}

const KINDS = [...KIND_NAMES, LEAP].map((kind) => `'${kind}'`).join(', ')

const [BEFORE, AFTER] = [isJsonObject('before'), isJsonObject('after')]

/** Condition: a change does not have the form that triggers write. */
const IS_ODD = `seq not between 1 and ${LAST_SEQ} or typeof(kind) <> 'text' or kind not in (${KINDS})
  or typeof(id) <> 'text' or typeof(at) <> 'text' or 'blob' in (typeof(actor_id), typeof(project_id),
    typeof(item_id), typeof(from_project_id), typeof(owner_id))
  or case action when 'created' then not (before is null and ${AFTER}) when 'updated' then not (${BEFORE} and ${AFTER})
    when 'deleted' then not (${BEFORE} and after is null) else 1 end`

const changes: Check = {
  name: 'changes',
  holds: 'every change has a record and an action',
  advice:
    'another tool wrote it: it is shown as far as it can be read and cannot be undone. Clients that follow the changes should reload everything',
  find: ({ client }) =>
    count(
      client,
      `select 'change ' || seq || ' of ' || ifnull(cast(kind as text), '') || ' ' || cast(id as text) from changes where ${IS_ODD}`,
      (name) => name,
    ),
}

/** Condition: a change has an invalid group. */
const IS_MISGROUPED = `"group" is not null and (typeof("group") <> 'integer' or "group" not between 1 and seq)`

const groups: Check = {
  name: 'groups',
  holds: 'every change names the write that it was part of, or none',
  advice: 'another tool has written it; --fix makes such a change a separate write',
  find: ({ client }) =>
    count(client, `select seq from changes where ${IS_MISGROUPED}`, (seq) => `change ${seq}`),
  fix: ({ $client: client }) => {
    const fixed = client.prepare(`update changes set "group" = seq where ${IS_MISGROUPED}`).run()
    return `made ${counted(fixed.changes, 'change')} a separate write`
  },
}

export const SEQUENCE_CHECKS: readonly Check[] = [sequence, index, pending, changes, groups]
