// A host application with the most common plugins, registered before or after the service: `before` or `after` as
// argument.
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import sensible from '@fastify/sensible'
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import phaseboard from 'phaseboard'

// Several hosts start at once: on a busy machine, each may take more than Fastify's 10 seconds.
const host = Fastify({ pluginTimeout: 60_000 })
const registerOwn = async () => {
  await host.register(cookie, { secret: 'a secret of the host' })
  await host.register(sensible, { sharedSchemaId: 'ErrorResponse' })
  await host.register(swagger, { openapi: { info: { title: 'The host', version: '1.0.0' } } })
  await host.register(cors, { origin: 'https://pages.example', credentials: true })
}
const registerBoard = () =>
  host.register(phaseboard, {
    prefix: '/board',
    databaseUrl: ':memory:',
    adminEmail: 'ada@example.test',
    adminPassword: 'correct horse',
    corsOrigins: ['https://pages.example'],
    rateLimitMax: 100,
  })
if (process.argv[2] === 'before') {
  await registerOwn()
  await registerBoard()
} else {
  await registerBoard()
  await registerOwn()
}
host.get('/own', { schema: { summary: 'Of the host' } }, async (request, reply) => {
  reply.setCookie('own', 'of the host', { signed: true })
  return { cookies: request.cookies }
})
host.get('/missing', async (_request, reply) => reply.notFound('of the host'))

const signedIn = await host.inject({
  method: 'POST',
  url: '/board/api/session',
  headers: { origin: 'https://pages.example' },
  body: { email: 'ada@example.test', password: 'correct horse' },
})
const [{ name, value } = {}] = signedIn.cookies
const withSession = { cookie: `${name}=${value}`, origin: 'https://pages.example' }
const projects = await host.inject({ url: '/board/api/projects', headers: withSession })
const created = await host.inject({
  method: 'POST',
  url: '/board/api/projects',
  headers: withSession,
  body: { name: 'Spring campaign', type: 'business' },
})
const nobody = await host.inject('/board/api/projects')
const wrong = await host.inject({
  method: 'POST',
  url: '/board/api/projects',
  headers: withSession,
  body: {},
})
const own = await host.inject({ url: '/own', headers: { cookie: 'a=b' } })
const missing = await host.inject('/missing')
const document = await host.inject('/board/openapi.json')
const preflight = await host.inject({
  method: 'OPTIONS',
  url: '/own',
  headers: { origin: 'https://pages.example', 'access-control-request-method': 'PUT' },
})
console.log(
  JSON.stringify({
    signedIn: signedIn.statusCode,
    projects: [projects.statusCode, projects.json(), projects.headers['ratelimit-limit']],
    created: created.statusCode,
    nobody: [nobody.statusCode, nobody.json()],
    wrong: [wrong.statusCode, Object.keys(wrong.json())],
    own: [own.statusCode, own.json(), own.cookies.map((cookie) => cookie.name)],
    missing: [missing.statusCode, missing.json().message],
    document: [document.json().info.title, '/api/projects' in document.json().paths],
    hostDocument: Object.keys(host.swagger().paths),
    preflight: [preflight.statusCode, preflight.headers['access-control-allow-origin']],
  }),
)
await host.close()
