import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import t from 'tap'
import { createTerminalLog } from '../../src/cli/terminal-log.ts'
import { build, send } from '../helper.ts'
import { nodeCommand, SERVE } from '../shipped.ts'

/** What a terminal shows of the log's lines. */
function shown(...entries: (object | string)[]): string {
  const terminal = new PassThrough()
  const log = createTerminalLog(terminal)
  for (const entry of entries) log.write(typeof entry === 'string' ? entry : `${JSON.stringify(entry)}\n`)
  return String(terminal.read() ?? '')
}

const OWN = { time: new Date(2026, 0, 31, 18, 30, 15).getTime(), pid: 1, hostname: 'board' }

t.test('the listening line is shown as a banner', async (t) => {
  const places = {
    api: 'http://127.0.0.1:3000/api',
    docs: 'http://127.0.0.1:3000/docs',
    admin: 'password in /data/x',
  }
  const msg =
    'Phaseboard 1.0.0 listening on http://127.0.0.1:3000 · docs http://127.0.0.1:3000/docs · admin x'
  t.equal(
    shown({ level: 30, ...OWN, ...places, msg }),
    `Phaseboard 1.0.0 listening on http://127.0.0.1:3000
  api   http://127.0.0.1:3000/api
  docs  http://127.0.0.1:3000/docs
  admin password in /data/x
`,
  )
})

t.test('every other line has its time, message and details', async (t) => {
  t.equal(
    shown({ level: 30, ...OWN, signal: 'SIGTERM', msg: 'stopping' }),
    '18:30:15 stopping signal="SIGTERM"\n',
  )
  t.equal(shown({ level: 40, ...OWN, msg: 'slow request' }), '18:30:15 warning slow request\n')
  const err = { type: 'Error', message: 'disk full', stack: 'Error: disk full\n    at write' }
  t.equal(
    shown({ level: 50, ...OWN, err, msg: 'Failed to create project' }, { level: 60, ...OWN, msg: 'end' }),
    `18:30:15 error Failed to create project
  Error: disk full
      at write
18:30:15 fatal end
`,
  )
  t.equal(shown('no line of the log\n'), 'no line of the log\n')
})

t.test('logged values cannot control the terminal', async (t) => {
  const evil = '\u001b[2J\u0007\r'
  const text = shown({ level: 30, ...OWN, path: evil, err: { stack: `Error: ${evil}` }, msg: evil }, evil)
  t.notMatch(text, /[^\P{Cc}\n]/u)
  t.match(text, '\\u001b[2J')
})

t.test('a closed terminal does not end the service', async (t) => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EIO')) })
  gone.on('error', () => undefined)
  const app = await build(t, { logLevel: 'debug', logStream: createTerminalLog(gone) })
  t.equal((await send(app, 'GET', '/healthz')).status, 200)
  t.equal((await send(app, 'GET', '/healthz')).status, 200)
})

/** Node cannot create a terminal. Python, which nearly every machine has, can. */
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0
const skip = hasPython ? false : 'needs python3 for a terminal'

t.test('on a terminal the log is plain lines, and in a pipe JSON', { skip }, async (t) => {
  const environment = { ...process.env, PORT: '0', DATABASE_URL: `file:${join(t.testdir(), 'board.db')}` }
  const [node, nodeArgs] = nodeCommand(SERVE)
  const command = [node, ...nodeArgs]
  const said = async (file: string, args: string[], end: RegExp) => {
    const child = spawn(file, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
    // When the process that holds the terminal ends, the service gets a hang-up signal and ends too.
    t.teardown(() => child.kill('SIGKILL'))
    let text = ''
    child.stdout.setEncoding('utf8')
    for await (const part of child.stdout) {
      text += part
      if (end.test(text)) break
    }
    return text.replaceAll('\r', '')
  }
  const pty = `import os, pty, sys
pty.spawn(sys.argv[1:])`
  t.match(
    await said('python3', ['-c', pty, ...command], /\n {2}admin [^\n]+\n/),
    /Phaseboard [\d.]+ listening on (http:\/\/127\.0\.0\.1:\d+)\n {2}board \1\/\n {2}api {3}\1\/api\n {2}docs {2}\1\/docs\n {2}admin .+\n/,
  )
  const [file = '', ...args] = command
  const piped = await said(file, args, /listening on [^\n]*\n/)
  for (const line of piped.trim().split('\n')) t.type(JSON.parse(line), 'object')
})

t.test('an error without a stack is shown by its message, or whole', async (t) => {
  t.equal(
    shown({ level: 50, ...OWN, err: { message: 'no stack' }, msg: 'failed' }),
    '18:30:15 error failed\n  no stack\n',
  )
  t.equal(
    shown({ level: 50, ...OWN, err: { code: 1 }, msg: 'failed' }),
    '18:30:15 error failed\n  {"code":1}\n',
  )
})
