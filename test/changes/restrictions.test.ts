/** The parts of the sequence in which projects were `assigned`, as the triggers of the file record them for any tool. */
import { join } from 'node:path'
import t from 'tap'
import { Restrictions } from '../../src/changes/restrictions.ts'
import type { SharedDatabase } from '../../src/db/client.ts'
import { makeOldFile, openTestDatabase } from '../database.ts'

/** The number of migrations before them. */
const BEFORE = 34

/** The restrictions of a project, each as its changes: kinds and actions. */
const partsOf = (db: SharedDatabase, id: string) =>
  new Restrictions(db).of(id).map(({ firstSeq, lastSeq, memberIds }) => ({
    changes: db.$client
      .prepare(`select kind || ' ' || action from changes where project_id = ? and seq between ? and ?`)
      .pluck()
      .all(id, firstSeq, lastSeq ?? 1e9),
    isOver: lastSeq !== null,
    members: [...memberIds],
  }))

const PROJECT = 'insert into projects (id, name, access) values'

/** SQLite runs triggers of an event in an order that it does not promise: the newest first, for now. */
function runFirst(db: SharedDatabase, names: string) {
  const triggers = db.$client
    .prepare<[string], [string, string]>(
      "select name, sql from sqlite_schema where type = 'trigger' and name glob ?",
    )
    .raw()
  for (const [name, sql] of triggers.all(names)) db.$client.exec(`drop trigger ${name}; ${sql}`)
}

for (const triggers of ['restrictions_*', 'changes_projects_*'])
  t.test(`any tool that opens and closes projects, with ${triggers} first`, async (t) => {
    const db = openTestDatabase(t)
    runFirst(db, triggers)
    const run = (...statements: string[]) => statements.forEach((one) => void db.$client.exec(one))
    const restrictions = new Restrictions(db)
    run(
      `${PROJECT} ('open', 'Open', 'everyone')`,
      `update projects set name = 'Still open', access = 'everyone'`,
    )
    t.notOk(restrictions.exist())
    run(
      `${PROJECT} ('p', 'P', 'assigned')`,
      `insert into team_assignments (id, project_id, member_id) values ('a', 'p', 'ann'), ('b', 'p', 'bob')`,
      `insert into teams (id, name) values ('t', 'T')`,
      `insert into team_members values ('t', 'tom')`,
      `update projects set team_id = 't' where id = 'p'`,
      `delete from team_assignments where id = 'b'`,
      `update projects set access = 'everyone', name = 'Plain' where id = 'p'`,
      `update projects set name = 'Plainer' where id = 'p'`,
      `update projects set access = 'assigned' where id = 'p'`,
    )
    const first = [
      'project created',
      'team-assignment created',
      'team-assignment created',
      'project updated',
      'team-assignment deleted',
    ]
    t.strictSame(partsOf(db, 'p'), [
      { changes: first, isOver: true, members: ['ann', 'tom'] },
      { changes: ['project updated'], isOver: false, members: [] },
    ])
    t.ok(restrictions.exist())
    run(
      `insert into projects (id, name) values ('p', 'x') on conflict (id) do update set name = excluded.name`,
      `insert or ignore into projects (id, name) values ('p', 'x')`,
    )
    t.equal(partsOf(db, 'p').at(-1)?.isOver, false, 'an insertion that becomes an update opens nothing')
    run(`delete from projects where id = 'p'`)
    t.equal(partsOf(db, 'p').at(-1)?.isOver, false, 'nor does a deletion')
    run(`insert into projects (id, name) values ('p', 'Again')`)
    t.match(partsOf(db, 'p').at(-1), { isOver: true, members: [] })
    t.equal(partsOf(db, 'p').at(-1)?.changes.at(-1), 'project deleted')
    run(`${PROJECT} ('q', 'Q', 'assigned')`, `update projects set id = 'r' where id = 'q'`)
    t.strictSame(
      ['q', 'r'].map((id) => partsOf(db, id)),
      [
        [{ changes: ['project created', 'project deleted'], isOver: false, members: [] }],
        [{ changes: ['project created'], isOver: false, members: [] }],
      ],
      'under another id it is another project',
    )
    run(`insert or replace into projects (id, name) values ('r', 'R')`)
    t.strictSame(partsOf(db, 'r'), [
      { changes: ['project created', 'project deleted'], isOver: true, members: [] },
    ])
    run(`update restrictions set member_ids = 'oops' where project_id = 'p'`)
    t.strictSame(partsOf(db, 'p')[0]?.members, [], 'what another tool has stored there is nobody')
  })

t.test('an upgrade reads them from the changes that are kept', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const old = makeOldFile(path, BEFORE)
  old.exec(`
    ${PROJECT} ('open', 'Open', 'everyone'), ('closed', 'Closed', 'assigned'), ('p', 'P', 'assigned'), ('gone', 'Gone', 'assigned');
    insert into team_assignments (id, project_id, member_id) values ('a', 'p', 'ann'), ('b', 'p', 'bob');
    delete from team_assignments where id = 'b';
    insert into change_subjects (subject, seq) select ':team-assignment', seq from changes where kind = 'team-assignment';
    update projects set access = 'everyone' where id = 'p';
    delete from projects where id = 'gone';
    ${PROJECT} ('early', 'Early', 'assigned'), ('kept', 'Kept', 'assigned');
    delete from changes where kind = 'project' and id in ('early', 'kept');
    update projects set access = 'everyone' where id = 'early';
    insert into changes (kind, id, action, project_id, after) values ('project', 'odd', 'created', 'odd', 'oops')`)
  old.close()
  const db = openTestDatabase(t, `file:${path}`)
  t.strictSame(partsOf(db, 'open'), [])
  t.strictSame(partsOf(db, 'closed'), [{ changes: ['project created'], isOver: false, members: [] }])
  t.match(partsOf(db, 'p'), [{ isOver: true, members: ['ann'] }])
  t.equal(partsOf(db, 'p')[0]?.changes.at(-1), 'team-assignment deleted')
  t.match(partsOf(db, 'gone'), [{ changes: ['project created', 'project deleted'], isOver: false }])
  t.match(partsOf(db, 'early'), [{ changes: [], isOver: true }])
  t.match(partsOf(db, 'kept'), [{ isOver: false }])
})
