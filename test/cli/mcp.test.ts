/** `phaseboard mcp`: agents connect over stdio. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import t, { type Test } from 'tap'
import { callEveryTool, connect, serve } from '../agents/agents.ts'
import { run, start as startCommand } from '../command-line.ts'
import { signInAs, tokenOf } from '../helper.ts'
import { onPreparedFile, start } from '../process.ts'
import { CLI, nodeCommand } from '../shipped.ts'

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

/** Starts the command as agents do, and connects. */
function overStdio(t: Test, args: string[], environment: Record<string, string> = {}) {
  const [command, rest] = nodeCommand([CLI, 'mcp', ...args])
  const inherited = Object.fromEntries(
    Object.entries(process.env).map(([name, value]) => [name, String(value)]),
  )
  const transport = new StdioClientTransport({
    command,
    args: rest,
    env: { ...inherited, PHASEBOARD_TOKEN: '', ...environment },
    stderr: 'ignore',
  })
  return connect(t, transport as Transport)
}

t.test('every tool can be called over stdio', async (t) => {
  const { url } = await start(t, onPreparedFile(t.testdir()))
  await callEveryTool(t, await overStdio(t, ['--url', url]))
})

t.test('the token comes from the environment or the command line', async (t) => {
  const { app, url } = await serve(t, { authMode: 'required' })
  const { id } = signInAs(app, 'member')
  const [write = '', read = ''] = [tokenOf(app, id), tokenOf(app, id, { scope: 'read' })].map(
    ({ authorization }) => authorization.slice('Bearer '.length),
  )
  const writer = await overStdio(t, ['--url', `${url}/`], { PHASEBOARD_TOKEN: write })
  t.ok(writer.tools.includes('claim'))
  const reader = await overStdio(t, ['--url', `${url}/mcp`, '--token', read], { PHASEBOARD_TOKEN: write })
  t.notOk(reader.tools.includes('claim'))

  const refused = await run(t, ['mcp', '--url', url, '--token', 'pbt_wrong'], {}, `${PING}\n`)
  t.match(refused, { code: 0, stderr: /requires a valid token \(401\): set PHASEBOARD_TOKEN/ })
  t.match(JSON.parse(refused.stdout), { jsonrpc: '2.0', id: 1, error: { code: -32000, message: /401/ } })
  t.notMatch(refused.stdout + refused.stderr, 'pbt_wrong')
})

/** A server with configurable responses. */
async function pretend(t: Test, status: number, body: string, headers: Record<string, string> = {}) {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body))
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('errors go to standard error and to the agent, and standard output has only messages', async (t) => {
  const elsewhere = await pretend(t, 200, 'never')
  const troubles: [url: string, expected: RegExp][] = [
    ['http://127.0.0.1:2', /does not respond \(ECONNREFUSED\): is the service running/],
    [await pretend(t, 404, '{"error":"Not found"}'), /there is no Phaseboard at/],
    [await pretend(t, 503, '{"error":"Service unavailable"}'), /answers 503: Service unavailable/],
    [await pretend(t, 302, '', { location: elsewhere }), /answers 302: Found/],
    [await pretend(t, 200, '<html>'), /does not support MCP/],
  ]
  for (const [url, expected] of troubles) {
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const { code, stdout, stderr } = await run(
      t,
      ['mcp', '--url', url],
      {},
      `${notification}\nnonsense\n${PING}\n`,
    )
    t.equal(code, 0)
    t.match(stderr, expected)
    t.match(stderr, /not a message/)
    const messages = stdout.trim().split('\n')
    t.equal(messages.length, 1, 'only the request is responded to')
    t.match(JSON.parse(messages[0] ?? ''), { id: 1, error: { code: -32000, message: expected } })
  }
  const refusal = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No' } })
  const { stdout } = await run(t, ['mcp', '--url', await pretend(t, 400, refusal)], {}, `${PING}\n`)
  t.strictSame(JSON.parse(stdout), { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'No' } })
})

t.test('the command reconnects to a restarted service', async (t) => {
  const { app: first, url } = await serve(t)
  const child = startCommand(t, ['mcp', '--url', url])
  const ask = async () => {
    child.stdin.write(`${PING}\n`)
    const [data] = await once(child.stdout, 'data')
    return JSON.parse(String(data))
  }
  t.match(await ask(), { result: {} })
  await first.close()
  t.match(await ask(), { error: { code: -32000, message: /does not respond/ } })
  await serve(t, {}, Number(new URL(url).port))
  t.match(await ask(), { result: {} })
})

t.test('an invalid address or token is refused', async (t) => {
  for (const url of [
    'nonsense',
    'ftp://host',
    'http://ada:secret@host',
    'http://host/?x=1',
    'http://host/#x',
  ]) {
    const { code, stdout, stderr } = await run(t, ['mcp', '--url', url])
    t.equal(code, 2)
    t.match(stderr, /--url must be the address of a service/)
    t.notMatch(stderr, 'secret')
    t.equal(stdout, '')
  }
  t.match(await run(t, ['mcp', '--token', 'two words']), { code: 2, stderr: /visible ASCII/ })
  t.match(await run(t, ['mcp', '--url', 'http://board.example', '--token', 'pbt_x']), {
    code: 0,
    stderr: /the token is sent to board.example unencrypted/,
  })
})
