import { once } from 'node:events'
import { cpSync, existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import {
  type InstalledPackage,
  installPackage,
  installTool,
  listening,
  nodeBinary,
  runProgram,
  startProgram,
  tryProgram,
} from './installed-package.ts'
import { CLIENT, provide } from './openid-provider.ts'
import { receiveMail } from './smtp.ts'
import { TYPED_CLIENT, TYPED_COMMONJS_CLIENT } from './typed-clients.ts'

const OLDEST = '22.18.0'
const NEWEST = '26'

/** Whether to test all supported versions (`npm run test:package`), and not only the oldest and the newest. */
const IS_ALL = process.env.PHASEBOARD_TEST_PACKAGE === 'all'
const NODES = IS_ALL ? [OLDEST, '24', NEWEST] : [OLDEST, NEWEST]

const ownPackage = JSON.parse(readFileSync('package.json', 'utf8'))
const embedding = readFileSync('docs/embedding.md', 'utf8')
/** The examples of the client's page, which form one program. */
const clientGuide = [...readFileSync('docs/client.md', 'utf8').matchAll(/^```ts\n([\s\S]*?)```/gm)]
  .map(([, code]) => code)
  .join('')

/** What a host may have installed, in the versions that this project uses. */
const HOST_PLUGINS = [
  '@fastify/cookie',
  '@fastify/cors',
  '@fastify/sensible',
  '@fastify/swagger',
  '@types/node',
].map((name) => `${name}@${ownPackage.dependencies[name] ?? ownPackage.devDependencies[name]}`)

/** Starts `npx phaseboard serve` in the project, and waits until it listens. */
async function serve(t: Test, { folder, environment }: InstalledPackage, settings: Record<string, string>) {
  const child = startProgram('npx', ['phaseboard', 'serve'], {
    cwd: folder,
    env: { ...environment, PORT: '0', ...settings },
    detached: true,
  })
  const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name)
  t.teardown(() => {
    if (child.exitCode === null && child.signalCode === null) signal('SIGKILL')
  })
  const { url, output } = await listening(child)
  const pid = Number(/"pid":(\d+)/.exec(output())?.[1])
  return { url, pid, output, ended: once(child, 'close') }
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const HOST_REPORT = {
  names: [true, true, true],
  created: [201, 'Spring campaign'],
  unknown: 401,
  docs: 200,
  own: 200,
  imported: ['done', null],
  client: [['Spring campaign'], 'Spring campaign', [404, 'Project not found']],
}

const PLUGINS_REPORT = {
  signedIn: 201,
  projects: [200, [], '100'],
  created: 201,
  nobody: [401, { error: 'Authentication required' }],
  wrong: [400, ['error', 'details']],
  own: [200, { cookies: { a: 'b' } }, ['own']],
  missing: [404, 'of the host'],
  document: ['Phaseboard', true],
  hostDocument: ['/own', '/missing'],
  preflight: [204, 'https://pages.example'],
}

t.jobs = 2

for (const version of NODES) {
  t.test(`on Node ${version} npx phaseboard serves and signs in, in both modes`, async (t) => {
    // The installation compiles nothing, so it also runs on other versions of Node.
    const project = await installPackage(t, version, [], IS_ALL ? version : OLDEST)
    const admin = { email: 'ada@example.test', password: 'correct horse' }
    for (const mode of ['open', 'required']) {
      const { url, pid, output, ended } = await serve(t, project, {
        AUTH_MODE: mode,
        DATABASE_URL: `file:./${mode}.db`,
        ADMIN_EMAIL: admin.email,
        ADMIN_PASSWORD: admin.password,
        RATE_LIMIT_MAX: '50',
        CORS_ORIGIN: 'https://pages.example',
      })
      const anybody = await fetch(`${url}/api/projects`)
      t.equal(anybody.status, mode === 'open' ? 200 : 401, `${mode}: who carries no credential`)
      t.equal(anybody.headers.get('ratelimit-limit'), '50')
      const signedIn = await post(`${url}/api/session`, admin, { origin: 'https://pages.example' })
      t.equal(signedIn.status, 201, `${mode}: sign-in`)
      t.equal(signedIn.headers.get('access-control-allow-origin'), 'https://pages.example')
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
      const created = await post(
        `${url}/api/projects`,
        { name: 'Spring campaign', type: 'business' },
        { cookie, origin: url },
      )
      t.equal(created.status, 201, `${mode}: a project, with the session`)
      t.match(await (await fetch(`${url}/docs/`)).text(), /swagger-ui/, `${mode}: the page to try it`)
      t.ok(existsSync(join(project.folder, `${mode}.db`)))
      process.kill(pid, 'SIGUSR1')
      await setTimeout(200)
      process.kill(pid, 'SIGTERM')
      await ended
      t.notMatch(output(), /Debugger/, `${mode}: no signal opens the debugger`)
      t.match(output(), /"msg":"stopped"/, `${mode}: it stops in good order`)
    }
  })
}

/** Pages for those who develop the service, which the package leaves out. */
const LEFT_OUT = /^(?:bench\/|docs\/decisions\/|CONTRIBUTING\.md$)/

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

for (const version of NODES) {
  t.test(
    `on Node ${version} what needs a library of its own works, though only few are installed`,
    async (t) => {
      const project = await installPackage(t, version, [], IS_ALL ? version : OLDEST)
      const provider = await provide(t)
      const mailServer = await receiveMail(t)
      const settings = {
        DATABASE_URL: 'file:./parts.db',
        METRICS_PUBLIC: 'true',
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: CLIENT.oidcClientId,
        OIDC_CLIENT_SECRET: CLIENT.oidcClientSecret,
        SMTP_URL: mailServer.url,
        MAIL_FROM: 'board@example.test',
        PUBLIC_URL: 'http://board.example.test',
      }
      const { url, pid, ended } = await serve(t, project, settings)
      const own = { cwd: project.folder, env: { ...project.environment, ...settings } }
      const command = (...args: string[]) => runProgram('npx', ['phaseboard', ...args], own)
      t.match(await (await fetch(`${url}/metrics`)).text(), /^process_open_fds \d/m, 'Prometheus')
      t.match(await (await fetch(`${url}/openapi.json`)).json(), { openapi: '3.1.0' })
      const page = await fetch(`${url}/api/session/oidc`, { redirect: 'manual' })
      t.match(page.headers.get('location') ?? '', provider.issuer, 'OpenID Connect')
      const agent = `echo '${JSON.stringify(HELLO)}' | npx phaseboard mcp --url ${url}`
      t.match(await runProgram('sh', ['-c', agent], own), /"serverInfo"/, 'MCP')
      t.match(await command('import', 'trello', resolve('test/fixtures/trello-board.json')), /^imported /m)
      t.match(await command('export', 'all.zip'), /all\.zip/)
      await command('mail', 'test', 'ada@example.test')
      t.strictSame(mailServer.tried, ['ada@example.test'], 'SMTP')
      await command('doctor')
      process.kill(pid, 'SIGTERM')
      await ended
    },
  )
}

t.test('ES modules and CommonJS can embed the service, beside common plugins', async (t) => {
  const project = await installPackage(t, OLDEST, HOST_PLUGINS)
  cpSync(resolve('test/hosts'), project.folder, { recursive: true })
  for (const version of NODES) {
    const node = await nodeBinary(version)
    const run = async (...args: string[]) =>
      JSON.parse(await runProgram(node, args, { cwd: project.folder, env: project.environment }))
    const [esm, commonjs, before, after] = await Promise.all([
      run('esm.mjs'),
      run('commonjs.cjs'),
      run('with-plugins.mjs', 'before'),
      run('with-plugins.mjs', 'after'),
    ])
    t.strictSame(esm, HOST_REPORT, `ES modules on Node ${version}`)
    t.strictSame(commonjs, HOST_REPORT, `CommonJS on Node ${version}`)
    t.strictSame(before, PLUGINS_REPORT, `own plugins before the service, on Node ${version}`)
    t.strictSame(after, PLUGINS_REPORT, `own plugins after the service, on Node ${version}`)
  }
})

/** A host that extends the same Fastify interfaces as the service. */
const HOST_WITH_ITS_OWN_NAMES = `
import Fastify, { type FastifyInstance } from 'fastify'
import phaseboard, { ApiError, buildApp, type Config, type HostMember, type PhaseboardOptions, type ResolveMember } from 'phaseboard'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: number
    failure?: Date
    unlimited?: 'yes'
    isBodyOptional?: 1
  }
  interface FastifyInstance {
    db: Map<string, number>
    write: boolean
    snapshots: string[]
    sessionCookies: number
    firstAdmin: Date
    signInLimits: number
    refuseOtherMethods: string
  }
}

const ada: HostMember = { id: 'ada', role: 'admin' }
const resolveMember: ResolveMember = async (request) => (request.headers['x-key'] === 'a key' ? ada : null)
const options: PhaseboardOptions = { databaseUrl: ':memory:', authMode: 'required', resolveMember }
const host = Fastify()
host.get('/', { config: { access: 1, failure: new Date() } }, async () => host.db.size)
host.register(phaseboard, { prefix: '/board', ...options })
const service: FastifyInstance = await buildApp({ ...options, logLevel: 'silent' } satisfies Partial<Config> & PhaseboardOptions)
service.close().catch((error) => (error instanceof ApiError ? error.statusCode.toFixed() : undefined))
// @ts-expect-error: there is no such mode
host.register(phaseboard, { authMode: 'closed' })
// @ts-expect-error: nobody has this role
host.register(phaseboard, { resolveMember: () => ({ id: 'ada', role: 'boss' }) })
`

/** Replaces the last line of docs/embedding.md's example: Ada and Bob work on one card. */
const EXAMPLE_REQUESTS = `
const ask = async (key: string, method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) => {
  const response = await host.inject({ method, url: \`/board/api\${path}\`, headers: { 'x-key': key }, ...(payload && { payload }) })
  return { status: response.statusCode, body: response.json() }
}
const withoutKey = await ask('none', 'GET', '/projects')
const project = await ask('key-1', 'POST', '/projects', { name: 'House' })
const found = await ask('key-1', 'GET', '/people?q=bob')
const items = \`/projects/\${project.body.id}/kanban-items\`
const card = await ask('key-1', 'POST', items, { title: 'Walls', assigneeId: found.body[0].id })
const shown = await ask('key-1', 'GET', \`/kanban-items/\${card.body.id}?expand=people\`)
const comment = await ask('key-18', 'POST', \`/kanban-items/\${card.body.id}/comments\`, { content: 'They stand.' })
const author = await ask('key-1', 'GET', \`/people?ids=\${comment.body.authorId}\`)
const refused = await ask('key-18', 'DELETE', \`/projects/\${project.body.id}\`)
const deleted = await ask('key-1', 'DELETE', \`/projects/\${project.body.id}\`)
console.log(JSON.stringify({
  withoutKey: withoutKey.status,
  found: found.body.map(({ name }: { name: string }) => name),
  assigned: [card.status, shown.body.assigneeId, shown.body.people],
  byBob: [comment.status, comment.body.authorId, author.body[0].name],
  deleted: [refused.status, deleted.status],
}))
await host.close()`

/** The module resolutions that a program may use. */
const NODENEXT = ['--module', 'nodenext']
const BUNDLER = ['--module', 'esnext', '--moduleResolution', 'bundler']

t.test('hosts and clients in TypeScript compile, and so does the embedding example', async (t) => {
  const project = await installPackage(t, OLDEST, HOST_PLUGINS)
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(embedding) ?? []
  t.match(example, /resolveMember/)
  t.match(clientGuide, /createClient[\s\S]*changes/)
  const programs = {
    'host.ts': HOST_WITH_ITS_OWN_NAMES,
    'example.ts': example,
    'client.ts': TYPED_CLIENT,
    'guide.ts': clientGuide,
  }
  const sources = { ...programs, 'client.cts': TYPED_COMMONJS_CLIENT, 'package.json': '{ "type": "module" }' }
  for (const [file, text] of Object.entries(sources)) writeFileSync(join(project.folder, file), text)
  const compile = (tsc: string, resolution: string[], ...options: string[]) => {
    const files = [...Object.keys(programs), ...(resolution === NODENEXT ? ['client.cts'] : [])]
    const strictly = ['--noEmit', '--strict', '--target', 'es2024', '--types', 'node']
    return t.resolves(
      runProgram(process.execPath, [tsc, ...strictly, ...resolution, ...options, ...files], {
        cwd: project.folder,
        env: project.environment,
      }),
      [...resolution, ...options].join(' '),
    )
  }
  const own = resolve('node_modules/.bin/tsc')
  await compile(own, NODENEXT, '--ignoreConfig')
  await compile(own, NODENEXT, '--ignoreConfig', '--skipLibCheck', '--exactOptionalPropertyTypes')
  await compile(own, BUNDLER, '--ignoreConfig')
  if (IS_ALL) {
    const older = join(await installTool('typescript', '5.9'), 'bin/tsc')
    await compile(older, NODENEXT)
    await compile(older, NODENEXT, '--skipLibCheck', '--exactOptionalPropertyTypes')
    await compile(older, BUNDLER)
  }

  const [listening = ''] = /^await host\.listen.*$/m.exec(example) ?? []
  writeFileSync(join(project.folder, 'example.ts'), example.replace(listening, EXAMPLE_REQUESTS))
  const options = { cwd: project.folder, env: { ...project.environment, NODE_NO_WARNINGS: '1' } }
  t.strictSame(
    JSON.parse(await runProgram(project.node, ['example.ts'], options)),
    {
      withoutKey: 401,
      found: ['Bob Builder'],
      assigned: [201, 'u-18', { 'u-18': 'Bob Builder' }],
      byBob: [201, 'u-18', 'Bob Builder'],
      deleted: [403, 200],
    },
    'and its users are members by their roles, assignable before they have come, and shown by name',
  )
})

t.test('the package contains what it needs, and its installation runs nothing', async (t) => {
  const { folder, environment } = await installPackage(t, OLDEST)
  const installed = join(folder, 'node_modules/phaseboard')
  const { scripts, repository, exports, bin } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  )
  // npm counts `prepare` among the scripts that a user of the package must approve.
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) t.notOk(name in scripts, name)
  t.equal(repository, undefined, 'it names no place that is not ours')
  const entries = [exports['.'], exports['./client']].flatMap((entry) => [entry.types, entry.default])
  for (const file of [bin.phaseboard, ...entries]) t.ok(existsSync(join(installed, file)), file)

  // Commands have left Node's compile cache there.
  const sizes = globSync('**', { cwd: installed, withFileTypes: true })
    .filter((one) => one.isFile() && !one.parentPath.includes('.compiled'))
    .map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  t.ok(bytes < 13_000_000, `${bytes} bytes`)
  const packages = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^(?:.*node_modules\/)?(?:@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(path),
  )
  t.ok(packages.length <= 75, `${packages.length} packages: ${packages.join()}`)
  // The snapshots of the schema, 3 MB, are for writing migrations.
  t.strictSame(readdirSync(join(installed, 'drizzle/meta')), ['_journal.json'])
  const { commit } = JSON.parse(readFileSync(join(installed, 'dist/build.json'), 'utf8'))
  const said = await runProgram('npx', ['phaseboard', '--version'], { cwd: folder, env: environment })
  t.equal(said.trim(), `${ownPackage.version} (${commit})`, 'it says which commit was built')

  const types = readFileSync(join(installed, exports['.'].types), 'utf8')
  const imported = [...types.matchAll(/from '([^']+)'/g)].map(([, name]) => name)
  t.strictSame(imported, ['node:stream', 'fastify'], 'the types are in one file')
  t.notMatch(types, /declare module/)
  const clientTypes = readFileSync(join(installed, exports['./client'].types), 'utf8')
  t.notMatch(clientTypes, /\b(from '|import\(|<reference)/, 'nor do those of the client need others')
  t.equal(
    readdirSync(join(installed, 'dist')).filter((name) => /^[0-9a-f]{16}$/.test(name)).length,
    1,
    'one build',
  )

  const pages = globSync('**/*.md', { cwd: installed, exclude: ['node_modules'] })
  t.ok(pages.includes('README.md'))
  for (const page of pages) {
    const text = readFileSync(join(installed, page), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|attachment:|#)/.test(link)) continue
      const file = normalize(join(dirname(page), link.replace(/#.*/, '')))
      t.ok(existsSync(LEFT_OUT.test(file) ? file : join(installed, file)), `${page} leads to ${file}`)
    }
  }
})

t.test('the client runs in browsers without dependencies', async (t) => {
  const { folder } = await installPackage(t, OLDEST)
  const client = join(folder, 'node_modules/phaseboard/dist/client.js')
  // It would fail with a built-in module of Node, or a missing package.
  const { metafile, outputFiles } = await build({
    entryPoints: [client],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  t.equal(Object.keys(metafile.inputs).length, 2, 'the entry, and the bundle that it leads to')
  t.strictSame(
    Object.values(metafile.outputs).flatMap(({ imports }) => imports),
    [],
  )
  const bytes = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0)
  t.ok(bytes < 16_384, `${bytes} bytes`)
})

t.test('a Node version that is too old is refused in one line', async (t) => {
  const [project, node] = await Promise.all([installPackage(t, OLDEST), nodeBinary('20')])
  const [, ...unit] =
    /^ExecStart=(.*)$/m.exec(readFileSync('deploy/phaseboard.service', 'utf8'))?.[1]?.split(' ') ?? []
  t.ok(unit.includes('dist/cli.js'))
  const commands = [
    [project.cli, 'serve'],
    [project.cli, '--version'],
    [project.cli, 'member', 'list'],
    unit.map((argument) => (argument === 'dist/cli.js' ? project.cli : argument)),
  ]
  for (const args of commands) {
    const { code, stdout, stderr } = await tryProgram(node, args, {
      cwd: project.folder,
      env: project.environment,
    })
    t.equal(code, 2, args.join(' '))
    t.equal(stdout, '')
    t.match(stderr, /^phaseboard: Node 22\.18 or later is needed, and this is 20\.\d+\.\d+\n$/)
  }
  const embedding = await tryProgram(node, ['--input-type=module', '-e', "await import('phaseboard')"], {
    cwd: project.folder,
    env: project.environment,
  })
  t.equal(embedding.code, 1, 'a host gets an error')
  t.match(embedding.stderr, /Error: phaseboard: Node 22\.18 or later is needed/)
})
