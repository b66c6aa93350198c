/** Runs the command line as a separate process. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { auditLog, members } from '../src/db/schema.ts'
import { openTestDatabase } from './database.ts'
import { CLI, nodeCommand } from './shipped.ts'

/** Starts the command line, which is killed with the test. The developer's settings are removed from the environment. */
export function start(t: Test, args: string[], environment: Record<string, string> = {}) {
  const unset = Object.fromEntries(
    [
      'HOST',
      'PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'AUTH_MODE',
      'LOG_LEVEL',
      'ADMIN_EMAIL',
      'ADMIN_PASSWORD',
    ].map((name) => [name, '']),
  )
  const child = spawn(...nodeCommand([CLI, ...args]), {
    env: { ...process.env, NO_COLOR: '1', ...unset, ...environment },
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

/** Waits for the end. @returns the exit code and all output */
export async function end(child: ChildProcessWithoutNullStreams) {
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => {
    output.stdout += data
  })
  child.stderr.on('data', (data) => {
    output.stderr += data
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...output }
}

/** Runs a command to its end. @param input for its standard input */
export function run(t: Test, args: string[], environment?: Record<string, string>, input = '') {
  const child = start(t, args, environment)
  // A command that does not read may end before the input is written.
  child.stdin.on('error', () => undefined).end(input)
  return end(child)
}

/** A separate database file for the test. */
export const databaseFor = (t: Test) => {
  const file = join(t.testdir(), 'board.db')
  return { file, DATABASE_URL: `file:${file}` }
}

/** A separate database file, open for inspection; and the command line on it. */
export function onFile(t: Test) {
  const { DATABASE_URL } = databaseFor(t)
  const db = openTestDatabase(t, DATABASE_URL)
  const insert = (...rows: (typeof members.$inferInsert)[]) => db.insert(members).values(rows).run()
  return {
    db,
    DATABASE_URL,
    insert,
    command: (args: string[], input?: string) => run(t, args, { DATABASE_URL }, input),
    memberOf: (email: string) =>
      db
        .select()
        .from(members)
        .all()
        .find((member) => member.email === email),
    trail: () =>
      db
        .select()
        .from(auditLog)
        .orderBy(auditLog.id)
        .all()
        .map(({ action, actorId, address, subjectId }) => [action, actorId, address, subjectId]),
  }
}

/** Waits for the line with the listening address. @returns its URL */
export const listening = (child: ChildProcessWithoutNullStreams) =>
  new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (data) => {
      output += data
      const url = /listening on (http:\/\/[^\s"]+)/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.on('close', (code) => reject(new Error(`it ended with ${code}: ${output}`)))
  })
