/**
 * Imports of the shipped build that end early: the service is stopped or killed while a file is read, the reader needs too much
 * memory, or the disk is full.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { onPreparedFile, type Service, start } from '../process.ts'
import { trelloExport } from './source-boards.ts'

/** A Planka board that takes the reader many seconds, and finally more memory than it has. */
const manyCards = (cards = 4_000_000) =>
  `{"item":{"id":"1","name":"Many"},"included":{"lists":[],"cards":[${'{},'.repeat(cards)}{}]}}`

/** Uploads a file. @returns the id of its import */
async function send(service: Service, format: string, body: string): Promise<string> {
  const response = await fetch(`${service.url}/api/imports?format=${format}`, { method: 'POST', body })
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

async function look(service: Service, id: string) {
  const response = await fetch(`${service.url}/api/imports/${id}`)
  return (await response.json()) as { status: string; error?: string; projectId?: string }
}

/** Waits for the end of an import. */
async function ended(service: Service, id: string) {
  for (;;) {
    const found = await look(service, id)
    if (found.status === 'done' || found.status === 'failed') return found
    await sleep(20)
  }
}

/** The processes of readers for files in a folder. */
const readersIn = (folder: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return command.includes('import-reader') && command.includes(folder)
      } catch {
        // The process has ended.
        return false
      }
    })

async function until(holds: () => boolean | Promise<boolean>) {
  while (!(await holds())) await sleep(20)
}

const filesIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('import-'))

async function reading(t: Test) {
  const environment = onPreparedFile(t.testdir())
  const folder = dirname(environment.DATABASE_URL.slice('file:'.length))
  const service = await start(t, environment)
  const id = await send(service, 'planka', manyCards())
  await until(() => readersIn(folder).length > 0)
  return { environment, folder, service, id }
}

t.test('a reader that exceeds its memory ends, and nothing else', async (t) => {
  const { folder, service, id } = await reading(t)
  const [reader] = readersIn(folder)
  await until(() => readFileSync(`/proc/${reader}/oom_score_adj`, 'utf8') === '1000\n')
  const names = readFileSync(`/proc/${reader}/environ`, 'utf8')
    .split('\0')
    .map((one) => one.split('=', 1)[0])
  // The shell's own variables, and Node's if coverage is measured.
  const others = /^(|PWD|_|SHLVL|OLDPWD|NODE_V8_COVERAGE)$/
  t.strictSame(
    names.filter((name) => !others.test(name as string)),
    [],
  )
  t.match(readFileSync(`/proc/${reader}/limits`, 'utf8'), /Max data size +\d+ +\d+ +bytes/)
  t.match(await ended(service, id), {
    status: 'failed',
    error: 'There is not enough memory for so large a file',
  })
  t.strictSame(readersIn(folder), [])
  t.match(await ended(service, await send(service, 'trello', trelloExport(2, 'Next'))), { status: 'done' })
  await until(() => filesIn(folder).length === 0)
})

t.test('stopping the service ends its reader at once', async (t) => {
  const { environment, folder, service, id } = await reading(t)
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0, stderr: '' })
  await until(() => readersIn(folder).length === 0)
  const next = await start(t, environment)
  t.match(await ended(next, id), {
    status: 'failed',
    error: 'The service was stopped before it was done',
  })
  await until(() => filesIn(folder).length === 0)
})

t.test('the reader of a killed service ends by itself', async (t) => {
  const { environment, folder, service, id } = await reading(t)
  service.kill('SIGKILL')
  t.match(await service.exited, { signal: 'SIGKILL' })
  await until(() => readersIn(folder).length === 0)
  const next = await start(t, environment)
  t.match(await ended(next, id), { status: 'failed' })
  await until(() => filesIn(folder).length === 0)
})

/** Starts the service with a limit of 4 MiB on the size of each of its files, to simulate a small disk. */
async function startLimited(t: Test, environment: { DATABASE_URL: string }, folder: string) {
  const node = process.execPath
  const limited = join(folder, 'limited-node')
  writeFileSync(limited, '#!/bin/sh\nunset NODE_OPTIONS\nulimit -S -f 8192 && exec "$NODE_BELOW" "$@"\n', {
    mode: 0o700,
  })
  process.execPath = limited
  try {
    return await start(t, { ...environment, NODE_BELOW: node })
  } finally {
    process.execPath = node
  }
}

t.test('a full disk fails an import, and leaves nothing of it', async (t) => {
  const environment = onPreparedFile(t.testdir())
  const path = environment.DATABASE_URL.slice('file:'.length)
  const folder = dirname(path)
  const service = await startLimited(t, environment, folder)
  const full = { status: 'failed', error: 'The disk is full, or cannot be written' }
  t.match(
    await ended(service, await send(service, 'trello', trelloExport(9000, 'Spool'))),
    full,
    'of the reader',
  )

  const id = await send(service, 'trello', trelloExport(3500, 'Rows'))
  t.match(await ended(service, id), full, 'of the database')
  const listed = (await (await fetch(`${service.url}/api/imports`)).json()) as { id: string }[]
  t.match(
    listed.find((one) => one.id === id),
    full,
  )
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  const rows = () => tool.prepare<[], number>('select count(*) from kanban_items').pluck().get() as number
  t.ok(statSync(`${path}-wal`).size > 2 * 1024 * 1024, 'it had written')
  t.equal((await fetch(`${service.url}/healthz`)).status, 200)

  // Each checkpoint makes room in the log again.
  const statusOf = tool.prepare<[string], string>('select status from imports where id = ?').pluck()
  await until(() => {
    tool.pragma('wal_checkpoint(truncate)')
    return statusOf.get(id) === 'failed'
  })
  t.equal(rows(), 0)
  t.match(await look(service, id), full)
  const room = setInterval(() => tool.pragma('wal_checkpoint(truncate)'), 20)
  t.teardown(() => clearInterval(room))
  tool.pragma('wal_checkpoint(truncate)')
  const next = await ended(service, await send(service, 'trello', trelloExport(2, 'Next')))
  t.match(next, { status: 'done' })
  t.equal(rows(), 2)
  await until(() => filesIn(folder).length === 0)
})
