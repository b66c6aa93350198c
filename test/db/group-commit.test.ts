import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { createGroupCommit } from '../../src/db/group-commit.ts'
import { teams } from '../../src/db/schema.ts'
import { openTestDatabase } from '../database.ts'
import { nextTurn, until, watch } from '../executions.ts'
import { build, createProject, send, writeIn } from '../helper.ts'

/** A group commit whose writes resolve with the return values of their work. */
function groupCommitOf(...parts: Parameters<typeof createGroupCommit>) {
  const commit = createGroupCommit(...parts)
  return { ...commit, write: async <T>(work: () => T) => (await commit.write(null, work)).value }
}

/** A group commit on a new file, and a second connection to inspect it. */
function setUp(t: Test) {
  const path = join(t.testdir(), 'board.db')
  const db = openTestDatabase(t, `file:${path}`)
  const other = new SQLite(path, { timeout: 0 })
  t.teardown(() => other.close())
  const insert = db.$client.prepare('insert into teams (id, name) values (?, ?)')
  const seen = other.prepare<[], string>('select id from teams order by id').pluck()
  return {
    db,
    path,
    client: db.$client,
    other,
    ...groupCommitOf(db),
    /** Writes a team. */
    put: (id: string) => insert.run(id, 'Ops').changes,
    /** The ids of the committed teams. */
    committed: () => seen.all(),
    executed: watch(t, db.$client),
  }
}

const reasons = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) =>
    result.status === 'fulfilled' ? 'done' : (result.reason.code ?? result.reason.message),
  )

t.test('the writes of one turn share one transaction', async (t) => {
  const { write, put, committed, executed } = setUp(t)
  const ids = Array.from({ length: 10 }, (_, index) => `team-${index}`)
  const results = await Promise.all(ids.map((id) => write(() => [id, put(id)])))
  t.strictSame(
    results,
    ids.map((id) => [id, 1]),
    'each gets what its own work returned',
  )
  t.strictSame(committed(), ids)
  t.equal(executed.count(/^begin/i), 1)
  t.equal(executed.count(/^commit$/i), 1)
  await write(() => put('x'))
  await write(() => put('y'))
  t.equal(executed.count(/^commit$/i), 3, 'those of other turns have their own')
})

t.test('a single write commits at the end of its turn', async (t) => {
  const { write, put, committed } = setUp(t)
  const written = write(() => put('a'))
  t.strictSame(committed(), [], 'not before: others may join')
  await nextTurn()
  t.strictSame(committed(), ['a'])
  t.equal(await written, 1)
})

t.test('a group of writes waits for those of the next turns, but not for others', async (t) => {
  const { write, put, executed } = setUp(t)
  const commits = () => executed.count(/^commit$/)
  const early = [write(() => put('a')), write(() => put('b'))]
  for (const id of ['c', 'd', 'e']) {
    await nextTurn()
    early.push(write(() => put(id)))
  }
  await Promise.all(early)
  t.equal(commits(), 1)

  const pair = [write(() => put('f')), write(() => put('g'))]
  let turns = 0
  for (; commits() === 1 && turns < 10; turns++) await nextTurn()
  t.ok(turns > 1 && turns <= 4, `${turns} turns`)
  await Promise.all(pair)

  const steady: Promise<unknown>[] = []
  while (commits() === 2 && steady.length < 1000) {
    const next = steady.length
    for (const name of ['x', 'y']) steady.push(write(() => put(`${name}${next}`)))
    await nextTurn()
  }
  t.ok(steady.length > 100 && steady.length <= 260, `${steady.length} writes were not put off any longer`)
  await Promise.all(steady)
})

t.test('a write added by a write comes after it', async (t) => {
  const { write, put, committed, executed } = setUp(t)
  const inner: Promise<unknown>[] = []
  await write(() => {
    inner.push(write(() => put('inner')))
    return put('outer')
  })
  t.strictSame(committed(), ['outer'])
  await Promise.all(inner)
  t.strictSame(committed(), ['inner', 'outer'])
  t.equal(executed.count(/^commit$/i), 2)
})

t.test('a write that throws is rolled back and rejected alone', async (t) => {
  const { write, put, committed, executed } = setUp(t)
  const failing = (message: string) => () => {
    put(message)
    throw new Error(message)
  }
  const results = await Promise.allSettled([
    write(failing('first')),
    write(() => put('a')),
    write(failing('second')),
    write(() => put('a')),
    write(() => put('b')),
    write(failing('third')),
  ])
  t.strictSame(reasons(results), ['first', 'done', 'second', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'done', 'third'])
  t.strictSame(committed(), ['a', 'b'])
  t.equal(executed.count(/^commit$/i), 1)
})

t.test('nested transactions are part of the write', async (t) => {
  const { write, put, committed, client, db } = setUp(t)
  const both = (id: string, fails: boolean) =>
    client.transaction(() => {
      put(`${id}1`)
      put(`${id}2`)
      if (fails) throw new Error(id)
    })
  const results = await Promise.allSettled([
    write(() => both('a', false)()),
    write(() => {
      t.throws(both('b', true), { message: 'b' })
      put('b')
    }),
    write(() => {
      put('c')
      both('c', true)()
    }),
    write(() => db.transaction((tx) => tx.insert(teams).values({ id: 'd', name: 'Ops' }).run().changes)),
  ])
  t.strictSame(reasons(results), ['done', 'done', 'c', 'done'])
  t.strictSame(committed(), ['a1', 'a2', 'b', 'd'])
})

t.test('any mix of writes stores exactly the successful ones', async (t) => {
  const { write, put, committed, client } = setUp(t)
  const step = fc.record({ id: fc.integer({ min: 0, max: 15 }), nested: fc.boolean() })
  const work = fc.record({ steps: fc.array(step, { maxLength: 4 }), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(work, { maxLength: 8 }), async (works) => {
      client.exec('delete from teams')
      const expected = new Set<string>()
      const outcomes: boolean[] = []
      for (const { steps, fails } of works) {
        const ids = steps.map(({ id }) => `${id}`)
        const succeeds = !fails && new Set(ids).size === ids.length && !ids.some((id) => expected.has(id))
        outcomes.push(succeeds)
        if (succeeds) for (const id of ids) expected.add(id)
      }
      const results = await Promise.allSettled(
        works.map(({ steps, fails }) =>
          write(() => {
            for (const { id, nested } of steps) nested ? client.transaction(put)(`${id}`) : put(`${id}`)
            if (fails) throw new Error('no')
          }),
        ),
      )
      t.strictSame(
        results.map(({ status }) => status === 'fulfilled'),
        outcomes,
      )
      t.strictSame(committed(), [...expected].sort())
    }),
    { numRuns: 100 },
  )
})

t.test('no write resolves before the commit', async (t) => {
  const { write, put, committed } = setUp(t)
  const failing = () => {
    put('none')
    throw new Error('no')
  }
  await Promise.all([
    write(() => put('a')).then(() => t.strictSame(committed(), ['a', 'b'])),
    write(failing).catch(() => t.strictSame(committed(), ['a', 'b'])),
    write(() => put('b')).then(() => t.strictSame(committed(), ['a', 'b'])),
  ])
})

t.test('a failed commit rejects all writes and stores nothing', async (t) => {
  const { write, put, committed, client, executed } = setUp(t)
  const orphan = () => {
    client.pragma('defer_foreign_keys = on')
    client.exec("insert into kanban_items (id, project_id, title) values ('i', 'none', 'Card')")
  }
  const results = await Promise.allSettled([
    write(() => put('a')),
    write(orphan),
    write(() => {
      throw new Error('its own')
    }),
    write(() => put('b')),
  ])
  t.strictSame(reasons(results), Array(4).fill('SQLITE_CONSTRAINT_FOREIGNKEY'))
  t.strictSame(committed(), [])
  t.equal(client.inTransaction, false)

  executed.before = (source) => {
    if (source === 'commit') throw new SQLite.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
  }
  t.strictSame(reasons(await Promise.allSettled([write(() => put('a'))])), ['SQLITE_IOERR_FSYNC'])
  executed.before = () => {}
  t.strictSame(committed(), [])
  t.equal(client.inTransaction, false)

  await write(() => put('c'))
  t.strictSame(committed(), ['c'], 'the next write has a transaction of its own')
})

t.test('an error that rolls back the whole transaction rejects all writes', async (t) => {
  const { write, put, committed, client } = setUp(t)
  // The table has no triggers, because SQLite would then undo only the statement.
  const fill = client.prepare("insert into audit_log (id, action) values ('big', hex(randomblob(500000)))")
  client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`)
  let isUndone = false
  let wentOn = false
  const results = await Promise.allSettled([
    write(() => put('a')),
    write(() => {
      try {
        fill.run()
      } finally {
        isUndone = !client.inTransaction
      }
    }),
    write(() => {
      wentOn = true
    }),
  ])
  t.equal(isUndone, true, 'it is an error of that kind')
  t.equal(wentOn, false, 'nothing runs outside a transaction')
  t.strictSame(reasons(results), ['SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL'])
  t.strictSame(committed(), [])

  client.pragma('max_page_count = 1000000')
  await write(() => fill.run())
  const filled = client.prepare('select id from audit_log').pluck().all()
  t.strictSame(filled, ['big'], 'once there is room again, writing works again')
})

t.test('an error that rolls back only a statement rejects only its write', async (t) => {
  const { write, put, committed, client } = setUp(t)
  const fill = client.prepare(
    "insert into teams (id, name) select value, hex(randomblob(500000)) from json_each('[1, 2]')",
  )
  client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`)
  const results = await Promise.allSettled([
    write(() => put('a')),
    write(() => fill.run()),
    write(() => put('b')),
  ])
  t.strictSame(reasons(results), ['done', 'SQLITE_FULL', 'done'])
  t.strictSame(committed(), ['a', 'b'])
})

t.test('a write must be synchronous', async (t) => {
  const { write, put, committed } = setUp(t)
  const message = 'work inside a write must be synchronous'
  const results = await Promise.allSettled([
    write(async () => put('a')),
    write(() => Promise.resolve(put('b'))),
    write(() => put('c')),
  ])
  t.strictSame(reasons(results), [message, message, 'done'])
  t.strictSame(committed(), ['c'])
})

t.test('a query that is returned instead of run is refused, too', async (t) => {
  const { write, db, committed, executed } = setUp(t)
  const query = db.insert(teams).values({ id: 'a', name: 'Ops' })
  await t.rejects(
    write(() => query),
    TypeError,
    'it is a promise in all but name, and would run outside the transaction',
  )
  t.strictSame(committed(), [])
  t.equal(executed.count(/insert into "teams"/), 0)
})

t.test('a refused asynchronous write does not end the process if it fails later', async (t) => {
  const url = (path: string) => JSON.stringify(pathToFileURL(resolve(path)).href)
  const script = `
    import { openDatabase } from ${url('src/db/client.ts')}
    import { createGroupCommit } from ${url('src/db/group-commit.ts')}
    const { write } = createGroupCommit(openDatabase(':memory:').db)
    const failing = async () => { throw new Error('too late') }
    await write(failing).catch((error) => console.log(error.name))
    setImmediate(() => console.log('alive'))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  t.equal(stdout, 'TypeError\nalive\n', stderr)
})

t.test('if no transaction can begin, all writes are rejected at once', async (t) => {
  const { write, put, committed, client } = setUp(t)
  client.exec('begin')
  const results = await Promise.allSettled([write(() => put('a')), write(() => put('b'))])
  t.strictSame(reasons(results), ['SQLITE_ERROR', 'SQLITE_ERROR'])
  client.exec('rollback')
  await write(() => put('c'))
  t.strictSame(committed(), ['c'])
})

t.test('while another process holds the lock, only writes wait', async (t) => {
  const { write, put, committed, client, other, executed } = setUp(t)
  t.equal(client.pragma('busy_timeout', { simple: true }), 5000, 'before the first write, a start may wait')
  other.exec('begin immediate')
  const waits = new Set<unknown>()
  executed.before = (source) => {
    if (source === 'begin immediate') waits.add(client.pragma('busy_timeout', { simple: true }))
  }
  const settled: string[] = []
  const written = ['b', 'a'].map((id) =>
    write(() => put(id)).then(() => {
      settled.push(id)
    }),
  )
  await until(() => executed.count(/^begin/i) >= 3)
  t.strictSame([...waits], [0], 'no attempt waits for the lock itself, which would hold up the event loop')
  t.equal(client.prepare('select count(*) from teams').pluck().get(), 0, 'reads are served')
  const late = write(() => put('late')).then(() => settled.push('late'))
  t.strictSame(settled, [])
  other.exec("insert into teams (id, name) values ('other', 'Ops'); commit")
  await Promise.all([...written, late])
  t.strictSame(settled, ['b', 'a', 'late'], 'in the order in which they came')
  t.strictSame(committed(), ['a', 'b', 'late', 'other'])
  t.equal(executed.count(/^commit$/i), 1, 'in one transaction')
})

t.test('each write waits up to five seconds for the lock', async (t) => {
  const { write, put, committed, other, executed } = setUp(t)
  let passed = 0
  t.intercept(performance, 'now', { value: () => passed })
  const settled: string[] = []
  const putting = (id: string) =>
    write(() => put(id)).then(
      () => settled.push(`${id} done`),
      (error) => settled.push(`${id} ${error.code}`),
    )
  /** Waits until some attempts have noticed the passed time. */
  const pass = async (milliseconds: number) => {
    passed += milliseconds
    const attempts = executed.count(/^begin/i)
    await until(() => executed.count(/^begin/i) >= attempts + 2)
  }

  other.exec('begin immediate')
  const first = putting('first')
  await pass(0)
  await pass(3000)
  const second = putting('second')
  await pass(0)
  t.strictSame(settled, [])
  await pass(2000)
  t.strictSame(settled, ['first SQLITE_BUSY'])
  const third = putting('third')
  await pass(2000)
  t.strictSame(settled, ['first SQLITE_BUSY'], 'the second has its own five seconds')
  passed += 1000
  await second
  t.strictSame(settled, ['first SQLITE_BUSY', 'second SQLITE_BUSY'])
  other.exec('rollback')
  await Promise.all([first, third])
  t.strictSame(settled, ['first SQLITE_BUSY', 'second SQLITE_BUSY', 'third done'])
  t.strictSame(committed(), ['third'])

  other.exec('begin immediate')
  const last = putting('last')
  await pass(4000)
  other.exec('rollback')
  await last
  t.equal(settled.at(-1), 'last done', 'a later lock is another one')
})

/** Lets the timers of a test pass by hand. */
function holdTimers(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
}

t.test('the lock is tried every millisecond', async (t) => {
  const { write, put, other, executed } = setUp(t)
  const attempts = () => executed.count(/^begin/i)
  holdTimers(t)
  other.exec('begin immediate')
  const written = write(() => put('a'))
  await until(() => attempts() > 0)
  for (let milliseconds = 1; milliseconds <= 20; milliseconds++) {
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    t.equal(attempts(), milliseconds, 'the attempts keep their distance')
    mock.timers.tick(1)
  }
  other.exec('rollback')
  mock.timers.tick(1)
  await written
})

t.test('a process that writes continuously leaves the lock to others', async (t) => {
  const { write, put, path, committed, other } = setUp(t)
  // However long an attempt takes here, no write gives up.
  t.intercept(performance, 'now', { value: () => 0 })
  const script = `
    import SQLite from 'better-sqlite3'
    const client = new SQLite(process.argv[1], { timeout: 60_000 })
    client.prepare("insert into teams (id, name) values ('theirs', '0')").run()
    const statements = ['begin immediate', "update teams set name = name + 1 where id = 'theirs'", 'commit'].map((sql) => client.prepare(sql))
    process.send('writing')
    for (;;) for (const statement of statements) statement.run()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')
  const count = other.prepare<[], string>("select name from teams where id = 'theirs'").pluck()
  const theirs = () => Number(count.get())
  const ids = Array.from({ length: 10 }, (_, index) => `ours-${index}`)
  for (const id of ids) {
    // The other writer is asleep after a write by this one, and must wake up.
    const before = theirs()
    while (theirs() < before + 3) await sleep(1)
    await write(() => put(id))
  }
  t.strictSame(
    committed().filter((id) => id !== 'theirs'),
    ids.toSorted(),
  )
})

/** An error like those of SQLite. */
const sqliteError = (code: string) => new SQLite.SqliteError('it failed', code)

t.test('a disk error is remembered until a write succeeds', async (t) => {
  const { write, put, trouble, executed } = setUp(t)
  t.equal(await trouble(), undefined)
  const faults = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_CORRUPT']
  for (const [index, code] of faults.entries()) {
    for (const when of ['begin immediate', 'insert into teams (id, name) values (?, ?)', 'commit']) {
      executed.before = (source) => {
        if (source === when) throw sqliteError(code)
      }
      await t.rejects(write(() => put('a')))
      t.match(await trouble(), { code }, `${code} of ${when}`)
      executed.before = () => {}
      await write(() => undefined)
      await t.rejects(
        write(() => {
          put('b')
          throw new Error('no')
        }),
      )
      t.match(await trouble(), { code }, 'what stores nothing proves nothing')
      await write(() => put(`${when}-${index}`))
      t.equal(await trouble(), undefined)
    }
  }
})

t.test('a disk error is recognized inside an error of the query builder', async (t) => {
  const { write, trouble } = setUp(t)
  const wrapped = new Error('Failed query', { cause: sqliteError('SQLITE_IOERR') })
  await t.rejects(
    write(() => {
      throw wrapped
    }),
  )
  t.match(await trouble(), { code: 'SQLITE_IOERR' })
})

t.test('a disk error in another thread is remembered until a write succeeds', async (t) => {
  const { write, put, follow, trouble } = setUp(t)
  const fail = () => t.rejects(follow(Promise.reject(sqliteError('SQLITE_FULL'))), { code: 'SQLITE_FULL' })
  await fail()
  t.match(await trouble(), { code: 'SQLITE_FULL' })
  t.strictSame(await follow(Promise.resolve({ seq: undefined })), { seq: undefined })
  t.match(await trouble(), { code: 'SQLITE_FULL' }, 'what stores nothing proves nothing')
  const before = follow(Promise.resolve({ seq: 1 }))
  await fail()
  await before
  t.match(await trouble(), { code: 'SQLITE_FULL' }, 'nor does what was there before')
  await follow(Promise.resolve({ seq: 2 }))
  t.equal(await trouble(), undefined)
  await fail()
  await write(() => put('a'))
  t.equal(await trouble(), undefined)
})

t.test('one failed write of a group is enough to remember a disk error', async (t) => {
  const { write, put, trouble } = setUp(t)
  const full = () => {
    throw sqliteError('SQLITE_FULL')
  }
  await Promise.allSettled([write(() => put('a')), write(full), write(() => put('b'))])
  t.match(await trouble(), { code: 'SQLITE_FULL' })
})

t.test('errors of the write itself, and locks, are not disk errors', async (t) => {
  const { write, put, trouble } = setUp(t)
  await write(() => put('a'))
  const code = (one: string) => () => {
    throw sqliteError(one)
  }
  await Promise.allSettled([
    write(() => put('a')),
    write(code('SQLITE_BUSY')),
    write(code('SQLITE_ERROR')),
    write(code('SQLITE_TOOBIG')),
    write(() => {
      throw 'a text'
    }),
  ])
  t.equal(await trouble(), undefined)
})

t.test('without traffic, a probe write checks whether writing works again', async (t) => {
  const { write, put, trouble, client, other, executed } = setUp(t)
  let passed = 0
  t.intercept(performance, 'now', { value: () => passed })
  client.pragma('user_version = 7')
  executed.before = (source) => {
    if (source === 'commit') throw sqliteError('SQLITE_FULL')
  }
  await t.rejects(write(() => put('a')))
  const commits = () => executed.count(/^commit$/)
  const before = commits()
  t.match(await trouble(), { code: 'SQLITE_FULL' })
  t.equal(commits(), before, 'not at once')
  passed += 5000
  t.match(await Promise.all([trouble(), trouble()]), [{ code: 'SQLITE_FULL' }, { code: 'SQLITE_FULL' }])
  t.equal(commits(), before + 1, 'it was tried once')
  executed.before = () => {}
  t.match(await trouble(), { code: 'SQLITE_FULL' }, 'and not again at once')
  passed += 5000
  const version = other.pragma('data_version', { simple: true })
  t.equal(await trouble(), undefined)
  t.not(other.pragma('data_version', { simple: true }), version, 'something was written')
  t.equal(other.pragma('user_version', { simple: true }), 7, 'and nothing is changed')
  t.equal(await trouble(), undefined)
})

t.test('a full disk is not probed', async (t) => {
  const { db, put, executed } = setUp(t)
  let hasRoom = false
  const { write, trouble } = groupCommitOf(db, { lost: () => undefined, hasRoom: () => hasRoom })
  let passed = 0
  t.intercept(performance, 'now', { value: () => passed })
  await t.rejects(
    write(() => {
      throw sqliteError('SQLITE_FULL')
    }),
  )
  passed += 5000
  const before = executed.count(/^begin/)
  t.match(await trouble(), { code: 'SQLITE_FULL' })
  t.equal(executed.count(/^begin/), before)
  hasRoom = true
  t.equal(await trouble(), undefined)
  await write(() => put('a'))
})

t.test('nothing is committed to lost files, and each group is checked once', async (t) => {
  const { db, put, committed, client } = setUp(t)
  let looks = 0
  let lost: Error | undefined
  const { write, trouble } = groupCommitOf(db, {
    lost: () => {
      looks++
      return lost
    },
    hasRoom: () => true,
  })
  await Promise.all(['a', 'b', 'c'].map((id) => write(() => put(id))))
  t.equal(looks, 1)
  lost = new Error('gone')
  t.equal(await trouble(), lost)
  const refused = { status: 'rejected', reason: lost }
  t.match(await Promise.allSettled(['d', 'e'].map((id) => write(() => put(id)))), [refused, refused])
  t.equal(client.inTransaction, false)
  t.strictSame(committed(), ['a', 'b', 'c'])
  lost = undefined
  t.equal(await trouble(), undefined)
  await write(() => put('d'))
  t.strictSame(committed(), ['a', 'b', 'c', 'd'])
})

t.test('waiting writes are refused when the service stops', async (t) => {
  const { write, close, put, committed, other, executed } = setUp(t)
  const stopped = { message: 'the service has stopped' }
  const ofThisTurn = write(() => put('a'))
  close()
  await t.rejects(ofThisTurn, stopped)
  await nextTurn()
  t.equal(executed.count(/^begin/i), 0)

  const again = setUp(t)
  holdTimers(t)
  again.other.exec('begin immediate')
  const forLock = [again.write(() => again.put('a')), again.write(() => again.put('b'))]
  await until(() => again.executed.count(/^begin/i) > 0)
  again.close()
  for (const waiting of forLock) await t.rejects(waiting, stopped)
  again.other.exec('rollback')
  const attempts = again.executed.count(/^begin/i)
  mock.timers.tick(6000)
  t.equal(again.executed.count(/^begin/i), attempts, 'nothing is tried any more')
  t.strictSame([...committed(), ...again.committed()], [])
  other.exec('begin immediate; rollback')
})

t.test("what waits for the lock of a thread's write comes right after it", async (t) => {
  const { write, put, follow, committed, other, executed } = setUp(t)
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  other.exec('begin immediate')
  const waiting = write(() => put('a'))
  while (executed.count(/^begin immediate/) === 0) await nextTurn()
  other.exec('rollback')
  await follow(Promise.resolve({ seq: 1 }))
  t.strictSame(committed(), ['a'], 'before any timer')
  await waiting
})

t.test('nothing is written after the service has stopped', async (t) => {
  const { write, close, put, committed } = setUp(t)
  close()
  await t.rejects(
    write(() => put('a')),
    Error,
  )
  t.strictSame(committed(), [])
})

t.test('the application closes while writes wait for a lock', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${path}`, adminPassword: 'correct horse' })
  const { id } = await createProject(app)
  const other = new SQLite(path)
  t.teardown(() => other.close())
  other.exec('begin immediate')
  const executed = watch(t, app.db.$client)
  const waiting = send(app, 'PATCH', `/api/projects/${id}`, { name: 'Gemini' })
  const refused = t.rejects(
    writeIn(app, () => undefined),
    { message: 'the service has stopped' },
  )
  await until(() => executed.count(/^begin immediate/) > 0)
  t.equal((await send(app, 'GET', `/api/projects/${id}`)).body.name, 'Apollo')
  await app.close()
  await refused
  t.match(await waiting, { status: 500, body: { error: 'Failed to update project' } })
  await t.rejects(writeIn(app, () => undefined))
  other.exec('rollback')
  t.equal(other.prepare('select name from projects').pluck().get(), 'Apollo')
})

t.test('simultaneous requests commit together, and each gets its own response', async (t) => {
  const app = await build(t, {
    databaseUrl: `file:${join(t.testdir(), 'board.db')}`,
    adminPassword: 'correct horse',
  })
  const { id } = await createProject(app)
  const executed = watch(t, app.db.$client)
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, (_, index) =>
      send(app, 'POST', `/api/projects/${id}/kanban-items`, { title: `Card ${index}` }),
    ),
    send(app, 'PATCH', '/api/projects/none', { name: 'Nothing' }),
    send(app, 'PATCH', `/api/projects/${id}`, { name: 'Gemini' }),
  ])
  t.strictSame(
    answers.map(({ status }) => status),
    [...Array(10).fill(201), 404, 200],
  )
  t.equal(executed.count(/^begin immediate/), 1)
  const { body } = await send(app, 'GET', `/api/projects/${id}`)
  t.equal(body.kanbanItems.length, 10)
  t.equal(new Set(body.kanbanItems.map((item: { sortOrder: number }) => item.sortOrder)).size, 10)
  t.equal(body.name, 'Gemini')
})
