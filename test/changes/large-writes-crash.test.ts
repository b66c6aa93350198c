/** kill -9 in the middle of a large deletion and of its undo: each is whole or absent, and nothing is left to clean up. */
import { statSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { openDatabase, writeAs } from '../../src/db/client.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { createRules } from '../../src/requests/rules.ts'
import { importAtOnce } from '../exchange/import-at-once.ts'
import { trelloSource } from '../exchange/source-boards.ts'
import { prepareFile } from '../prepared-file.ts'
import { start } from '../process.ts'
import { until } from '../receivers.ts'
import { holdsGroups, holdsSequence } from './replay.ts'

const CARDS = 20_000

/** Bytes that a write adds to the log before its commit: of a large one, what does not fit into the page cache. */
const IN_THE_MIDDLE = 8 * 1024 * 1024

const plan = planBoard(trelloSource(CARDS, 'Card'))
const [project = ''] = plan.projectIds
const imported = prepareFile(t, (db) => importAtOnce(db, plan, 'ada'))

t.test('a large deletion and its undo are whole or absent after kill -9', { timeout: 900_000 }, async (t) => {
  const file = imported(t)
  const environment = {
    DATABASE_URL: `file:${file}`,
    HOST: '127.0.0.1',
    ADMIN_EMAIL: 'admin@localhost',
    ADMIN_PASSWORD: 'correct horse',
  }
  const logSize = () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0

  /** Starts a service that has nothing to write by itself: the sequence is indexed. */
  async function begin() {
    const { db, close } = openDatabase(environment.DATABASE_URL)
    const { subjects } = createRules(db).changes
    while (writeAs(db, null, () => subjects.index()).value > 0);
    close()
    const service = await start(t, environment)
    const answer = await fetch(`${service.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: environment.ADMIN_EMAIL, password: environment.ADMIN_PASSWORD }),
    })
    const cookie = String(answer.headers.get('set-cookie')).replace(/;.*/, '')
    const send = async (method: string, path: string) =>
      (await fetch(service.url + path, { method, headers: { cookie } })).status
    return { service, send }
  }

  /** What there is of the project, and the last change. */
  function look() {
    const client = new SQLite(file)
    const number = (sql: string) => client.prepare<[], number>(sql).pluck().get()
    const found = {
      projects: number(`select count(*) from projects where id = '${project}'`),
      cards: number(`select count(*) from kanban_items where project_id = '${project}'`),
      last: number('select max(seq) from changes'),
    }
    client.close()
    return found
  }

  /** Sends a write, kills the service in the middle of it, and sends it again. @returns the last change */
  async function killed(method: string, path: string, cards: number): Promise<number> {
    const first = await begin()
    const [before, size] = [look(), logSize()]
    const answer = first.send(method, path).catch(() => 'none')
    await until(() => logSize() - size > IN_THE_MIDDLE)
    first.service.kill('SIGKILL')
    await first.service.exited
    t.equal(await answer, 'none')
    t.strictSame(look(), before, `nothing of ${method} ${path} is in the file`)

    const second = await begin()
    let status: number
    do status = await second.send(method, path)
    while (status === 503)
    t.equal(status, 200)
    second.service.kill('SIGKILL')
    await second.service.exited
    const { last = 0, ...after } = look()
    t.strictSame(after, { projects: Math.sign(cards), cards }, 'all of it is')
    return last
  }

  const deletion = await killed('DELETE', `/api/projects/${project}`, 0)
  await killed('POST', `/api/changes/${deletion}/undo`, CARDS)
  const client = new SQLite(file)
  t.teardown(() => client.close())
  holdsGroups(holdsSequence(client))
})
