/** The permitted imports between folders (docs/decisions/022-rooms.md): one table, checked against every import of the sources. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

/**
 * The rooms, and what each may import besides itself: other rooms, files, packages. A file in this table is a room of its own.
 * `web/*`: each page separately.
 */
const ROOMS: Record<string, readonly string[]> = {
  src: [],
  'src/phaseboard.d.ts': ['fastify'],
  'src/config.ts': ['src/db', 'src/schemas'],
  'src/app.ts': ['fastify', 'plugins', 'routes', 'src/http', 'src/requests', 'src/routes.ts'],
  'src/routes.ts': ['fastify', 'routes'],
  'src/batches-in-worker.ts': [
    'fastify',
    'plugins',
    'src/batch',
    'src/requests',
    'src/routes.ts',
    'src/worker',
  ],
  'src/server.ts': ['src/app.ts', 'src/members'],
  'src/schemas': [],
  'src/db': ['src/schemas'],
  'src/board': ['src/db', 'src/schemas'],
  'src/members': ['src/db', 'src/schemas'],
  'src/projects': ['src/board', 'src/db', 'src/members', 'src/schemas'],
  'src/reading': ['src/access', 'src/board', 'src/db', 'src/projects', 'src/schemas'],
  'src/changes': ['src/board', 'src/db', 'src/members', 'src/schemas'],
  'src/flow': ['src/board', 'src/changes', 'src/db', 'src/schemas'],
  'src/attention': ['src/board', 'src/changes', 'src/db', 'src/schemas'],
  'src/webhooks': ['src/changes', 'src/db', 'src/members', 'src/schemas'],
  'src/mail': ['src/changes', 'src/db', 'src/members', 'src/schemas'],
  'src/requests': [
    'fastify',
    'src/access',
    'src/attention',
    'src/board',
    'src/changes',
    'src/db',
    'src/flow',
    'src/mail',
    'src/members',
    'src/projects',
    'src/reading',
    'src/schemas',
    'src/webhooks',
  ],
  'src/batch': ['fastify', 'src/access', 'src/db', 'src/http', 'src/members', 'src/requests', 'src/schemas'],
  'src/worker': [
    'src/access',
    'src/batch',
    'src/batches-in-worker.ts',
    'src/db',
    'src/members',
    'src/requests',
  ],
  'src/access': ['fastify', 'src/db', 'src/members', 'src/schemas'],
  'src/streams': [
    'fastify',
    'src/access',
    'src/changes',
    'src/db',
    'src/members',
    'src/requests',
    'src/schemas',
  ],
  'src/exchange': [
    'src/attention',
    'src/board',
    'src/changes',
    'src/db',
    'src/members',
    'src/projects',
    'src/schemas',
  ],
  'src/maintenance': ['src/board', 'src/db'],
  'src/agents': ['src/schemas'],
  'src/http': ['fastify', 'src/db', 'src/members', 'src/requests', 'src/schemas'],
  'src/cli': [
    'src/agents',
    'src/db',
    'src/exchange',
    'src/http',
    'src/mail',
    'src/members',
    'src/projects',
    'src/requests',
    'src/schemas',
    'src/server.ts',
    'src/maintenance',
  ],
  'src/client': [],
  'src/client/client.ts': ['src/client'],
  'src/client/api.d.ts': ['src/client/types.d.ts'],
  'src/client/types.d.ts': ['src/client/api.d.ts'],
  plugins: [
    'fastify',
    'src/access',
    'src/attention',
    'src/batch',
    'src/changes',
    'src/db',
    'src/exchange',
    'src/http',
    'src/mail',
    'src/members',
    'src/reading',
    'src/requests',
    'src/schemas',
    'src/streams',
    'src/webhooks',
    'src/worker',
  ],
  routes: [
    'fastify',
    'src/access',
    'src/attention',
    'src/agents',
    'src/batch',
    'src/board',
    'src/changes',
    'src/db',
    'src/exchange',
    'src/http',
    'src/mail',
    'src/members',
    'src/projects',
    'src/reading',
    'src/requests',
    'src/schemas',
    'src/streams',
    'src/webhooks',
  ],
  'web/main.tsx': ['web', 'web/app.tsx', 'web/common'],
  'web/app.tsx': ['web', 'web/*', 'web/common'],
  web: ['web/common'],
  'web/common': [
    'src/client/api.d.ts',
    'src/client/client.ts',
    'src/client/errors.ts',
    'src/client/random-id.ts',
    'src/client/types.d.ts',
    'src/folding.ts',
    'src/projects/phases.ts',
    'web',
  ],
  'web/*': [
    'src/client/api.d.ts',
    'src/client/types.d.ts',
    'src/exchange/imports/write-time.ts',
    'src/exchange/sources/column-names.ts',
    'src/folding.ts',
    'web',
    'web/common',
  ],
  'src/client/errors.ts': ['src/client/types.d.ts'],
  'src/client/random-id.ts': [],
  'src/folding.ts': [],
  'src/projects/phases.ts': [],
  'src/exchange/imports/write-time.ts': [],
  'src/exchange/sources/column-names.ts': [],
}

/**
 * Files directly in `src`, except the application and the server. All of `src` but the client may import them, and so may
 * plugins and routes.
 */
const OPEN = ['src', 'src/config.ts', 'src/folding.ts', 'src/phaseboard.d.ts']
/** Rooms whose files never import each other. In `web/*` each folder is a page, which only imports its own files. */
const APART = ['plugins', 'routes', 'web/*']
/** Rooms that run in browsers, without Node's modules. */
const IN_BROWSERS = /^(web|src\/client)\b/
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g

/** Every room may import these packages. */
const isChecked = (path: string) => /^(@?fastify\b|src|plugins|routes|web|scripts|test|bench)/.test(path)

/** The room of a file, or of a package. */
function roomOf(path: string): string {
  if (/^@?fastify\b/.test(path)) return 'fastify'
  if (path in ROOMS) return path
  const [top = '', folder = '', ...rest] = path.split('/')
  if (rest.length === 0) return top
  return `${top}/${folder}` in ROOMS || top !== 'web' ? `${top}/${folder}` : 'web/*'
}

/** Whether a path is in a room, or in a room inside it. */
const isIn = (path: string, room: string) =>
  roomOf(path) === room || (room !== 'web' && path.startsWith(`${room}/`))

/** Whether a room may import a path: its own files, files open to it, or files in the table. */
function may(file: string, path: string): boolean {
  const [room, other] = [roomOf(file), roomOf(path)]
  const isNear = !APART.includes(room) || (room === 'web/*' && dirname(file) === dirname(path))
  if (isNear && isIn(path, room)) return true
  if (OPEN.includes(other) && /^(src(?!\/client)|plugins|routes)/.test(room)) return true
  return ROOMS[room]?.some((one) => isIn(path, one)) ?? false
}

t.test('imports go only between permitted folders, and the table has no needless permissions', async (t) => {
  const wrong: string[] = []
  const used = new Set<string>()
  for (const file of globSync('{src,plugins,routes,web}/**/*.{ts,tsx}')) {
    const room = roomOf(file)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const path = name.startsWith('.') ? join(dirname(file), name) : name
      used.add(`${room}: ${roomOf(path)}`)
      if (name.startsWith('node:') ? IN_BROWSERS.test(room) : isChecked(path) && !may(file, path))
        wrong.push(`${file} imports ${path}; ${room} may import ${ROOMS[room]?.join(', ') || 'nothing else'}`)
    }
  }
  t.strictSame(wrong, [])
  const allowed = Object.entries(ROOMS).flatMap(([room, others]) =>
    others.map((other) => `${room}: ${other}`),
  )
  t.strictSame(
    allowed.filter((one) => !used.has(one)),
    [],
  )
})
