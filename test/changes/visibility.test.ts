/** What limited members see of deleted projects, however far the index of the sequence is behind. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Reader } from '../../src/changes/api-changes.ts'
import { RecentDeletions } from '../../src/changes/recent-deletions.ts'
import { writeAs } from '../../src/db/client.ts'
import type { Scope } from '../../src/db/row-security.ts'
import { limitWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/requests/rules.ts'
import { openTestDatabase } from '../database.ts'
import { watch } from '../executions.ts'
import { writeTo } from '../helper.ts'

/** A member without access to any project that exists. */
function reader(id: string, { isGuest = false } = {}): Reader {
  const scope: Scope = {
    ...{ number: 1, projects: new Map(), hasIdeas: true, isGuest, memberId: id },
    isByAssignment: true,
    followsAccess: true,
  }
  return { id, role: 'member', scope: () => scope }
}

const open = (t: Test, name = 'board.db') => openTestDatabase(t, join(t.testdir(), name))

type Rules = ReturnType<typeof createRules>

/** The numbers of changes of a project that readers see, in slices. */
function seen({ changes }: Rules, who: Reader, projectId: string, after = 0): number {
  let [count, place] = [0, after]
  for (;;) {
    const { rows, last, newest } = changes.feed.slice({ after: place, limit: 1000, bytes: 1e9 }, who)
    count += rows.filter((row) => row.projectId === projectId).length
    place = last
    if (last >= newest) return count
  }
}

t.test('members of a large project see its deletion, before and after it is indexed', async (t) => {
  const db = open(t)
  const rules = createRules(db)
  writeTo(db, () =>
    db.$client.exec(`
      insert into members (id, name, email, role) values ('ann', 'Ann', 'a@example.test', 'member'),
        ('bob', 'Bob', 'b@example.test', 'guest'), ('eve', 'Eve', 'e@example.test', 'member');
      insert into projects (id, name, access) values ('large', 'Large', 'assigned');
      insert into team_assignments (id, project_id, member_id) values ('a', 'large', 'ann'), ('b', 'large', 'bob');
      insert into kanban_items (id, project_id, title)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) select 'card ' || i, 'large', 'Card' from n`),
  )
  const { changes } = rules
  const since = changes.sequence.last()
  const [ann, bob, eve] = [reader('ann'), reader('bob', { isGuest: true }), reader('eve')]
  // These have read before the deletion, as a service has.
  t.equal(seen(rules, ann, 'large'), 0, 'it still exists, and is out of the given scope')
  writeAs(db, 'admin', () => rules.projects.delete('large', { id: 'admin', address: null }))
  const total = changes.sequence.last() - since
  t.ok(total > 300)
  const check = (what: string) => {
    for (const [name, own] of [
      ['the same', rules],
      ['another', createRules(db)],
    ] as const) {
      t.equal(seen(own, ann, 'large', since), total, `${what}: ${name} connection`)
      t.equal(seen(own, bob, 'large', since), total, `${what}: ${name} connection, for a guest`)
      t.equal(seen(own, eve, 'large', since), 0, `${what}: ${name} connection, for others`)
    }
  }
  check('not indexed')
  const indexed = () => changes.sequence.last() - changes.subjects.indexed()
  for (let left = indexed(); left > 0; left = indexed()) {
    writeTo(db, () => changes.subjects.index(left > 5 ? left - 3 : 1))
    check(`${indexed()} not indexed`)
  }
})

t.test('a project that is restored and deleted again was visible as at the last deletion', async (t) => {
  const db = open(t)
  const rules = createRules(db)
  const eve = reader('eve')
  const make = (access: string) =>
    writeTo(db, () =>
      db.$client.exec(`insert into projects (id, name, access) values ('p', 'Moon', '${access}')`),
    )
  const remove = () => writeTo(db, () => db.$client.exec(`delete from projects where id = 'p'`))
  make('everyone')
  remove()
  t.equal(seen(rules, eve, 'p'), 2)
  make('assigned')
  t.equal(seen(rules, eve, 'p'), 0)
  remove()
  t.equal(seen(rules, eve, 'p'), 0)
  make('everyone')
  writeTo(db, () => rules.changes.subjects.index())
  remove()
  t.equal(seen(rules, eve, 'p'), 4, 'what happened while it was open')
})

t.test('what a write has seen is forgotten if it is rolled back', async (t) => {
  const db = open(t)
  const rules = createRules(db)
  const eve = reader('eve')
  const make = (access: string) =>
    db.$client.exec(`insert into projects (id, name, access) values ('p', 'Moon', '${access}')`)
  const remove = () => db.$client.exec(`delete from projects where id = 'p'`)
  const rolledBack = new Error('rolled back')
  const attempt = () =>
    writeAs(db, null, () => {
      make('everyone')
      remove()
      t.equal(rules.changes.visibility.of(eve).seesProject('p', rules.changes.sequence.last()), true)
      throw rolledBack
    })
  t.throws(attempt, rolledBack)
  writeTo(db, () => {
    make('assigned')
    remove()
  })
  t.equal(rules.changes.visibility.of(eve).seesProject('p', rules.changes.sequence.last()), false)
})

/** Many updates of a project that is then deleted, and of one that exists, in a file so large that work is limited. */
function manyChanges(t: Test, count: number) {
  const db = open(t)
  limitWork(db)
  const rules = createRules(db)
  writeTo(db, () =>
    db.$client.exec(`
      insert into projects (id, name) values ('gone', 'Gone'), ('other', 'Other');
      insert into changes (kind, id, action, project_id, after)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
        select 'project', 'gone', 'updated', 'gone', '{"name":"${'x'.repeat(150)}"}' from n;
      delete from projects where id = 'gone'`),
  )
  return { db, rules }
}

t.test('a slice looks up a deleted project once', async (t) => {
  const { db, rules } = manyChanges(t, 9000)
  const eve = reader('eve')
  const executions = watch(t, db.$client)
  const slice = (after: number) => rules.changes.feed.slice({ after, limit: 1000, bytes: 1e9 }, eve)
  t.equal(slice(100).rows.length, 1000)
  t.ok(executions.log.length < 40, `${executions.log.length} statements`)
  executions.log.length = 0
  t.equal(slice(1100).rows.length, 1000)
  t.ok(executions.log.length < 20, `${executions.log.length} statements`)
  const scans = executions.count(/from changes where seq > .* and action = 'deleted'/)
  t.equal(scans, 0, 'unindexed changes are examined once')
})

t.test('far behind, unindexed changes are examined over several slices, never all at once', async (t) => {
  const { rules } = manyChanges(t, 35_000)
  const { feed } = rules.changes
  const eve = reader('eve')
  const slice = () => feed.slice({ after: 100, limit: 1000, bytes: 1e9 }, eve)
  const first = slice()
  t.match(first, { rows: [], last: 100, newest: rules.changes.sequence.last() })
  t.same(slice().rows, [])
  let attempts = 2
  while (slice().rows.length < 1000) attempts++
  t.ok(attempts <= 4, `${attempts} attempts`)
  t.equal(seen(rules, eve, 'gone'), 35_002)
})

t.test('deletions that another tool has taken out of the sequence are forgotten', async (t) => {
  const db = open(t)
  const change = (seq: number, id: string) =>
    db.$client.exec(`insert into changes (seq, kind, id, action, project_id, before)
      values (${seq}, 'project', '${id}', 'deleted', '${id}', '{}')`)
  const recent = new RecentDeletions(db, { indexed: () => 0 })
  change(1000, 'p')
  change(1001, 'q')
  t.match(recent.of('q'), { last: 1001, own: [1001] })
  db.$client.exec('delete from changes where seq = 1001')
  t.equal(recent.of('q'), undefined)
  t.match(recent.of('p'), { last: 1000, own: [1000] })
})
