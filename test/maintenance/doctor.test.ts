import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { runDoctor } from '../../src/cli/doctor-command.ts'
import { openDatabase } from '../../src/db/client.ts'
import { jump } from '../../src/db/lost-changes.ts'
import { indexSearch } from '../../src/db/search-index.ts'
import { CHECKS, examine, isHealthy, repair } from '../../src/maintenance/doctor.ts'
import { roomOf } from '../../src/maintenance/leftover-checks.ts'
import { run } from '../command-line.ts'
import { makeOldFile, openTestDatabase } from '../database.ts'

const BOARD = `
  insert into projects (id, name, description) values ('p', 'Apollo', 'to the moon');
  insert into kanban_columns (id, project_id, name, sort_order) values ('c', 'p', 'To Do', 1);
  insert into kanban_items (id, project_id, title, sort_order) values ('i', 'p', 'Card', 1), ('j', 'p', 'Deck', 2);
  insert into kanban_subtasks (id, item_id, title) values ('s', 'i', 'Step');
  insert into kanban_comments (id, item_id, author_id, content) values ('k', 'i', 'ada', 'Hm');
  insert into transcript_summaries (id, project_id, title, date, participants)
    values ('t', 'p', 'Kick-off', '2026-01-31T00:00:00.000Z', '["Ada"]');
  insert into personal_ideas (id, owner_id, title) values ('d', 'ada', 'Fly');
  insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test');`

/** A database with a record of each kind, damaged by SQL of another tool without foreign keys. */
function spoilt(t: Test, sql: string): string {
  const path = join(t.testdir(), 'board.db')
  const { db, close } = openDatabase(path)
  db.$client.exec(BOARD)
  indexSearch(db)
  close()
  const client = new SQLite(path)
  client.pragma('foreign_keys = off')
  client.unsafeMode()
  client.exec(sql)
  client.close()
  return path
}

/** The triggers, dropped and created again around a statement. */
function unnoticed(path: string, sql: string): void {
  const client = new SQLite(path)
  client.pragma('foreign_keys = off')
  const triggers = client
    .prepare<[], { name: string; sql: string }>("select name, sql from sqlite_schema where type = 'trigger'")
    .all()
  for (const { name } of triggers) client.exec(`drop trigger "${name}"`)
  client.exec(sql)
  for (const { sql } of triggers) client.exec(sql)
  client.close()
}

const wrong = (path: string) =>
  examine(path)
    .filter(({ status }) => status !== 'ok')
    .map(({ check, status, count }) => [check, status, count])

const value = (path: string, sql: string): unknown => {
  const client = new SQLite(path)
  try {
    return client.prepare(sql).pluck().get()
  } finally {
    client.close()
  }
}

t.test('a database of the service has no problem, and a check changes nothing', async (t) => {
  const path = spoilt(t, '')
  const before = value(path, 'select count(*) from changes')
  t.strictSame(wrong(path), [])
  t.strictSame(
    examine(path).map(({ check }) => check),
    CHECKS.map(({ name }) => name),
  )
  t.ok(isHealthy(examine(path)))
  t.equal(value(path, 'select count(*) from changes'), before)
  t.strictSame(readdirSync(join(path, '..')), ['board.db'])
})

t.test('all checks see one state of the file, whatever is written beside them', async (t) => {
  const path = spoilt(t, '')
  const other = new SQLite(path)
  t.teardown(() => other.close())
  other.pragma('foreign_keys = on')
  let round = 0
  const diagnoses = examine(path, {
    onDiagnosis: () => {
      round++
      // As when a service removes an interrupted import: records go, and the segments of the index are merged.
      other.exec(`insert into projects (id, name) values ('n${round}', 'New');
        insert into kanban_items (id, project_id, title) values ('m${round}', 'n${round}', 'Card');
        delete from projects where id = 'n${round - 1}';
        insert into search_index (search_index) values ('optimize')`)
    },
  })
  t.equal(round, CHECKS.length)
  t.strictSame(
    diagnoses.filter(({ status }) => status !== 'ok'),
    [],
  )
})

/** A problem, the doctor's finding, and whether it can repair it. */
const CASES: [
  name: string,
  sql: string,
  expected: [string, number][],
  repairs: boolean,
  after?: [string, unknown],
][] = [
  [
    'orphans',
    `insert into kanban_items (id, project_id, title) values ('o', 'gone', 'Lost');
     insert into kanban_subtasks (id, item_id, title) values ('q', 'o', 'Step'), ('r', 'gone', 'Step');
     insert into member_identities (issuer, subject, member_id) values ('x', 'y', 'gone');
     update personal_ideas set promoted_project_id = 'gone'`,
    [['references', 4]],
    true,
    ['select group_concat(id) from kanban_subtasks', 's'],
  ],
  [
    'places that are no numbers',
    `update kanban_items set sort_order = 9e999 where id = 'i'; update projects set sort_order = 'first';
     update kanban_columns set sort_order = -9e999`,
    [['order', 3]],
    true,
    ['select group_concat(id) from (select id from kanban_items order by sort_order)', 'j,i'],
  ],
  [
    'items in columns that there are not',
    `update kanban_items set "column" = 'Nowhere'`,
    [['columns', 1]],
    true,
    ["select count(*) from kanban_columns where name = 'Nowhere' and project_id = 'p'", 1],
  ],
  [
    'mail that does not reach its members',
    `insert into members (id, name, email) values ('bob', 'Bob', 'bob@example.test'), ('eve', 'Eve', 'eve@example.test');
     insert into member_preferences (member_id, email, stopped_address, stopped_because, failure)
       values ('ada', 'each', 'ada@example.test', '550 no such user', null), ('bob', 'daily', null, null, '451 later'),
       ('eve', 'each', 'old@example.test', '550 no such user', null);
     insert into mails (member_id, due_at, attempts, failing_since, failure)
       values ('eve', '2026-01-02T00:00:00.000Z', 3, '2026-01-01T00:00:00.000Z', '451 later'),
       ('bob', '2026-01-02T00:00:00.000Z', 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), '451 later')`,
    [['mail', 3]],
    false,
  ],
  [
    'people who were merged into nobody, or are of no kind',
    `insert into people (id, name, kind, source, source_id, merged_into, created_at, updated_at)
       select value ->> 0, 'Somebody', value ->> 1, value ->> 2, '', value ->> 3,
         '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
       from json_each('[["a","host","","ada"],["b","import","csv","a"],["c","host","","gone"],["d","host","","d"],
         ["e","unheard-of","trello",null],["f","","",null],["g","member","",null]]')`,
    [['people', 4]],
    true,
    [
      "select group_concat(id || ':' || kind || ':' || ifnull(merged_into, '')) from (select * from people order by id)",
      'a:host:ada,b:import:a,c:host:,d:host:,e:import:,f:host:,g:member:',
    ],
  ],
  [
    'people who were merged in a circle',
    `insert into people (id, name, kind, merged_into, created_at, updated_at)
       select value ->> 0, 'Somebody', 'host', value ->> 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
       from json_each('[["a","b"],["b","c"],["c","a"],["d","e"],["e","d"],["f","a"],["g","f"],["h","i"],["i","ada"],["ada","h"],["j","h"]]')`,
    [['people', 5]],
    true,
    [
      "select group_concat(id || ':' || ifnull(merged_into, '')) from (select * from people order by id)",
      'a:,ada:h,b:,c:,d:,e:,f:a,g:f,h:i,i:ada,j:h',
    ],
  ],
  ['a gap in the sequence', 'delete from changes where seq in (3, 4, 6)', [['sequence', 3]], false],
  [
    'an index beyond the sequence',
    `insert into change_subjects (subject, seq) values ('', -99999), ('p', 99999)`,
    [['history index', 2]],
    true,
    ['select count(*) from change_subjects', 0],
  ],
  [
    'changes that no trigger tells',
    `insert into changes (kind, id, action, before, after) values
       ('unheard-of', 'i', 'updated', '{}', '{}'), ('project', x'00', 'created', null, '{}'),
       ('project', 'p', 'vanished', '{}', '{}'), ('project', 'p', 'updated', null, '{}'),
       ('project', 'p', 'updated', '{}', '[1]'), ('project', 'p', 'created', '{}', '{}'),
       ('project', 'p', 'deleted', 'null', null), ('project', 'p', 'updated', '{}', '{}');
     insert into changes (kind, id, action, project_id, before) values ('kanban-item', 'i', 'deleted', x'00', '{}')`,
    [['changes', 8]],
    false,
  ],
  [
    'changes of writes that cannot be',
    `update changes set "group" = 'first' where seq = 1; update changes set "group" = 99 where seq = 2;
     update changes set "group" = 0 where seq = 3; update changes set "group" = 4 where seq = 5`,
    [['groups', 3]],
    true,
    ['select group_concat("group") from changes where "group" is not null', '1,2,3,4'],
  ],
  [
    'a write half told',
    `insert into changes_pending (kind, id) values ('project', 'p')`,
    [['pending', 1]],
    true,
  ],
  [
    'JSON that does not parse',
    `update projects set metadata = '{oops'; update kanban_items set metadata = '' where id = 'i'`,
    [['json', 1]],
    false,
  ],
  [
    'times that are none',
    `update kanban_items set due_date = '2026-01-31' where id = 'i';
     update kanban_items set due_date = '2026-13-31T00:00:00.000Z' where id = 'j';
     update projects set created_at = 'yesterday'`,
    [['times', 3]],
    false,
  ],
  [
    'bytes of files that belong to nothing',
    `insert into file_contents (id, sha256, size, unnamed_since, touched_at)
       values (1, 'forgotten', 1, null, 0), (2, 'waiting', 1, 5, 0), (3, 'to-examine', 1, -1, 0), (4, null, 1, null, 0);
     insert into file_chunks (place, bytes) values (65536, x'00'), (131072, x'00'), (196608, x'00'), (262144, x'00'),
       (655360, x'00'), (655361, x'00')`,
    [['contents', 2]],
    true,
    [
      `select (select group_concat(sha256 || unnamed_since) from file_contents) || ' '
        || (select group_concat(place) from file_chunks)`,
      'forgotten-1,waiting5,to-examine-1 65536,131072,196608,262144',
    ],
  ],
  [
    'attachments without their bytes',
    `insert into file_contents (id, sha256, size) values (1, 'short', 300000), (2, 'whole', 262145), (3, 'small', 1), (4, 'empty', 0);
     insert into file_contents (id, size) values (5, 100);
     insert into file_chunks (place, bytes) values (65536, zeroblob(262144)), (65537, zeroblob(37855)),
       (131072, zeroblob(262144)), (131073, x'00'), (196608, x'00');
     insert into attachments (id, item_id, name, kind, sha256, size, thumbnail)
       select value ->> 0, 'i', 'a.png', value ->> 1, value ->> 2, value ->> 3, value ->> 4
       from json_each('[["a","file","short",300000,null],["b","file","whole",262145,"small"],["c","file","gone",1,null],
         ["d","file","small",1,"gone"],["e","file","small",2,null],["f","link",null,null,null],["g","file","empty",0,null],
         ["h","file",null,null,null]]')`,
    [['attachments', 5]],
    false,
  ],
  [
    'old sessions',
    `insert into sessions (id, member_id, token_hash, last_used_at, expires_at)
       values ('a', 'ada', 'h', '2001-01-01T00:00:00.000Z', '2001-01-01T00:00:00.000Z')`,
    [['sessions', 1]],
    true,
  ],
]

/** The cases whose repair changes tracked records. */
const TRACKED = [
  'orphans',
  'places that are no numbers',
  'items in columns that there are not',
  'people who were merged into nobody, or are of no kind',
  'people who were merged in a circle',
]

for (const [name, sql, expected, repairs, after] of CASES) {
  t.test(`finds ${name}${repairs ? ', and repairs it' : ''}`, async (t) => {
    const path = spoilt(t, sql)
    t.strictSame(
      wrong(path),
      expected.map(([check, count]) => [check, 'found', count]),
    )
    const seq = value(path, 'select max(seq) from changes')
    const repaired = repair(path, examine(path))
    t.equal(isHealthy(repaired), repairs)
    t.equal(wrong(path).length === 0, repairs)
    if (after) t.equal(value(path, after[0]), after[1])
    if (TRACKED.includes(name)) {
      t.ok(Number(value(path, 'select max(seq) from changes')) > Number(seq), 'the sequence tells of it')
    }
  })
}

t.test('reads all bytes of files if asked to, and finds those that have changed', async (t) => {
  const sound = createHash('sha256').update('sound').digest('hex')
  const path = spoilt(
    t,
    `insert into file_contents (id, sha256, size) values (1, '${sound}', 5), (2, '${sound.replace(/^./, 'x')}', 5);
     insert into file_chunks (place, bytes) values (65536, cast('sound' as blob)), (131072, cast('other' as blob));
     insert into attachments (id, item_id, name, kind, sha256, size)
       select 'a' || id, 'i', 'a.txt', 'file', sha256, size from file_contents`,
  )
  t.strictSame(wrong(path), [])
  const progress: [number, number][] = []
  const deep = examine(path, { isDeep: true, onProgress: (...bytes) => progress.push(bytes) })
  t.match(deep.at(-1), {
    check: 'hashes',
    status: 'found',
    count: 1,
    examples: [`the bytes of the content ${sound.replace(/^./, 'x')} have another hash`],
  })
  t.strictSame(progress, [
    [5, 10],
    [10, 10],
  ])
  const shown = await run(t, ['doctor', '--deep'], { DATABASE_URL: path })
  t.match(shown, { code: 1, stderr: '', stdout: /^reading 1 MB of files\nhashes +found 1 /m })
  const { stdout } = await run(t, ['doctor', '--deep', '--json'], { DATABASE_URL: path })
  t.match(JSON.parse(stdout).checks.at(-1), { check: 'hashes', status: 'found' })
  value(path, "delete from attachments where id = 'a2' returning 1")
  value(path, 'update file_contents set sha256 = null where id = 2 returning 1')
  t.match(await run(t, ['doctor', '--deep'], { DATABASE_URL: path }), { code: 0, stdout: /^hashes +ok /m })
})

t.test('accepts a sequence jump, and finds a gap beside it', async (t) => {
  const path = spoilt(t, '')
  const client = new SQLite(path)
  t.teardown(() => client.close())
  jump(client)
  t.strictSame(wrong(path), [])
  client.exec('delete from changes where seq = 3')
  t.strictSame(wrong(path), [['sequence', 'found', 1]])
})

t.test('finds missing and superfluous entries of the search index, and rebuilds it', async (t) => {
  const path = spoilt(t, '')
  unnoticed(
    path,
    `update projects set name = 'Gemini'; delete from kanban_comments;
     insert into personal_ideas (id, owner_id, title) values ('e', 'ada', 'Dive');
     update transcript_summaries set participants = '["Bob"]'`,
  )
  t.strictSame(wrong(path), [['search', 'found', 4]])
  const repaired = repair(path, examine(path))
  t.match(
    repaired.find(({ check }) => check === 'search'),
    {
      status: 'fixed',
      note: 'rebuilt the index of 6 records',
    },
  )
  t.strictSame(wrong(path), [])
  for (const [word, hits] of [
    ['gemini', 1],
    ['apollo', 0],
    ['dive', 1],
    ['bob', 1],
  ] as const) {
    t.equal(value(path, `select count(*) from search_index where search_index match '${word}'`), hits, word)
  }
})

t.test('a damaged search index is rebuilt, too', async (t) => {
  const path = spoilt(t, "update search_index_data set block = x'00' where id > 10")
  t.match(wrong(path), [['search', 'found']])
  t.ok(isHealthy(repair(path, examine(path))))
  t.strictSame(wrong(path), [])
})

t.test('a damaged file stays unchanged', async (t) => {
  const path = spoilt(
    t,
    `update personal_ideas set promoted_project_id = 'gone';
     pragma writable_schema = on;
     update sqlite_schema set sql = replace(sql, 'create index', 'create unique index') where name = 'none';
     create table spare (a unique); insert into spare values (1), (2);
     update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'spare')
       where name = 'sqlite_autoindex_spare_1'`,
  )
  const diagnoses = examine(path)
  t.not(diagnoses.find(({ check }) => check === 'integrity')?.status, 'ok')
  t.strictSame(repair(path, diagnoses), diagnoses)
  t.equal(value(path, 'select promoted_project_id from personal_ideas'), 'gone')
})

t.test('the command: a line for each check, JSON, exit codes, and a backup before it repairs', async (t) => {
  const path = spoilt(t, `update kanban_items set "column" = 'Nowhere'; update projects set metadata = 'x'`)
  const folder = join(path, '..')
  const gone = execFileSync(process.execPath, ['-p', 'process.pid'], { env: {} }).toString().trim()
  writeFileSync(`${path}.${gone}.tmp`, '')
  writeFileSync(`${path}.${process.pid}.tmp`, 'of a backup that runs')
  const environment = { DATABASE_URL: path }

  const found = await run(t, ['doctor'], environment)
  t.match(found, { code: 1, stderr: '' })
  t.equal(found.stdout.trim().split('\n').length, CHECKS.length)
  t.match(found.stdout, /^columns +found 1 +no column "Nowhere" of project p: /m)
  t.match(found.stdout, /^files +found 1 /m)
  t.match(found.stdout, /^integrity +ok /m)

  const fixed = await run(t, ['doctor', '--fix'], environment)
  t.match(fixed, { code: 1, stderr: '' }, 'the JSON is still there')
  t.match(fixed.stdout, /^columns +fixed 1 .*made one column/m)
  t.match(fixed.stdout, /^json +found 1 /m)
  const backup = /(\S+before-fix-\S+)$/m.exec(fixed.stdout)?.[1] ?? ''
  t.equal(value(backup, "select count(*) from kanban_columns where name = 'Nowhere'"), 0)
  t.notOk(existsSync(`${path}.${gone}.tmp`))
  t.ok(existsSync(`${path}.${process.pid}.tmp`))

  const client = new SQLite(path)
  client.exec(`update projects set metadata = '{}', sort_order = 9e999`)
  client.close()
  const before = readdirSync(folder).length
  const repaired = await run(t, ['doctor', '--fix', '--no-backup', '--json'], environment)
  t.match(repaired, { code: 0, stderr: '' })
  const { healthy, backup: none, checks } = JSON.parse(repaired.stdout)
  t.match({ healthy, none }, { healthy: true, none: undefined })
  t.match(
    checks.find(({ check }: { check: string }) => check === 'order'),
    { status: 'fixed', count: 1, note: 'put one record in their places' },
  )
  t.equal(readdirSync(folder).length, before, 'no backup')
  t.match(await run(t, ['doctor', '--fix'], environment), { code: 0 }, 'all is well: nothing to back up')
  t.equal(readdirSync(folder).length, before)

  writeFileSync(join(folder, 'notes.txt'), 'no database')
  t.match(await run(t, ['doctor'], { DATABASE_URL: join(folder, 'notes.txt') }), { code: 1 })
  t.match(await run(t, ['doctor'], { DATABASE_URL: join(folder, 'none.db') }), { code: 2 })
})

t.test('a damaged file is shown as such, and --fix neither backs it up nor repairs it', async (t) => {
  const path = spoilt(
    t,
    `update kanban_items set "column" = 'Nowhere';
     pragma writable_schema = on;
     update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'teams') where name = 'objectives'`,
  )
  const short = join(path, '../short.db')
  copyFileSync(path, short)
  truncateSync(short, 200_000)
  const none = join(path, '../notes.db')
  writeFileSync(none, 'These are notes and nothing but notes. '.repeat(50))
  const files = readdirSync(join(path, '..'))
  for (const file of [path, short, none]) {
    for (const args of [['doctor'], ['doctor', '--fix']]) {
      const shown = await run(t, args, { DATABASE_URL: file })
      t.match(shown, { code: 1, stderr: '', stdout: /^integrity +found .*: restore a backup; /m }, file)
      const { code, stdout } = await run(t, [...args, '--json'], { DATABASE_URL: file })
      t.equal(code, 1)
      t.match(JSON.parse(stdout), {
        database: file,
        healthy: false,
        backup: undefined,
        checks: [{ check: 'integrity', status: 'found' }],
      })
    }
  }
  t.match(wrong(path).slice(0, 2), [['integrity'], ['columns', 'found', 1]])
  t.match(examine(short), [{ examples: ['database disk image is malformed'] }])
  t.match(examine(none), [{ examples: ['it is not a database'] }])
  t.strictSame(readdirSync(join(path, '..')), files)
})

t.test('a file that cannot be opened is named', async (t) => {
  const path = join(t.testdir(), 'board.db')
  mkdirSync(path)
  const refusal = `cannot open the database ${path}:`
  // The command knows why, SQLite does not.
  const stderr = `phaseboard: ${refusal} it is a directory\n`
  t.strictSame(await run(t, ['doctor', '--json'], { DATABASE_URL: path }), { code: 2, stdout: '', stderr })
  t.throws(() => examine(path), { name: 'StartupError', message: `${refusal} unable to open database file` })
})

t.test('missing or changed triggers of the sequence are created again', async (t) => {
  const path = spoilt(
    t,
    `drop trigger search_projects_insert; drop trigger changes_projects_insert;
     drop trigger changes_projects_delete; create trigger changes_projects_delete after delete on projects begin
       select 1; end`,
  )
  t.strictSame(wrong(path), [['triggers', 'found', 3]])
  const triggers = repair(path, examine(path)).find(({ check }) => check === 'triggers')
  t.match(triggers, { status: 'found', count: 1, examples: ['search_projects_insert is missing'] })
  t.match(triggers?.note, /^recreated 2 triggers; still: /)
})

t.test('a file of an older version is migrated', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const client = makeOldFile(path, -1)
  client.pragma('journal_mode = wal')
  client.close()
  t.strictSame(wrong(path), [['migrations', 'found', 1]], 'its triggers are those of its version')
  t.ok(isHealthy(repair(path, examine(path))))
  t.strictSame(wrong(path), [])
})

t.test('a check or repair that cannot run gives its reason, and others still run', async (t) => {
  const path = spoilt(
    t,
    `drop table search_entries;
     create trigger stubborn before update of sort_order on projects begin select raise(abort, 'not this one'); end;
     update kanban_items set "column" = 'Nowhere' where id = 'i'`,
  )
  const client = new SQLite(path)
  client.exec(`drop trigger stubborn; update projects set sort_order = 9e999;
    create trigger stubborn before update of sort_order on projects begin select raise(abort, 'not this one'); end`)
  client.close()
  const repaired = repair(path, examine(path))
  const of = (name: string) => repaired.find(({ check }) => check === name)
  t.match(of('search'), { status: 'failed', note: /^could not be checked: no such table/ })
  t.match(of('order'), { status: 'found', note: 'could not be repaired: not this one' })
  t.match(of('columns'), { status: 'fixed' })
})

t.test('a full disk is reported with the missing megabytes', async (t) => {
  t.strictSame(roomOf({ free: 10 * 1_048_576, needed: 128 * 1_048_576 }), {
    count: 1,
    examples: ['10 MB are free, 128 MB would be safe'],
  })
  t.equal(roomOf({ free: 5, needed: 5 }).count, 0)
})

t.test('nothing is repaired if the backup before it fails', async (t) => {
  // The name is so long that a backup's name cannot be appended to it.
  const path = join(t.testdir(), `${'x'.repeat(240)}.db`)
  const db = openTestDatabase(t, path)
  db.$client.pragma('foreign_keys = off')
  db.$client.exec("insert into kanban_subtasks (id, item_id, title) values ('s', 'gone', 'Step')")
  await t.rejects(runDoctor(path, { fix: true, backup: true }, 'service'), {
    message: /nothing was repaired\. Stop the service, copy the file/,
  })
  t.equal(db.$client.prepare('select count(*) from kanban_subtasks').pluck().get(), 1)
})
