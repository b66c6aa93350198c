/** nginx and Caddy in front of a service, with the shipped configurations. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'

/** A program, and why its tests are skipped if it is missing. In CI a missing program is a failure. */
function missing(command: string): string | false {
  const isThere = spawnSync(command, ['-v']).error === undefined
  return !isThere && process.env.CI === undefined && `${command} is not installed`
}
export const noNginx = missing('nginx')
export const noCaddy = missing('caddy')

/** A currently free port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const shipped = (name: string, servicePort: number) =>
  readFileSync(join('deploy/proxy', name), 'utf8').replaceAll('127.0.0.1:3000', `127.0.0.1:${servicePort}`)

/** A folder for a proxy's files, next to the test's own, which has the service's. */
function ownFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'phaseboard-proxy-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a proxy until the test ends. @returns its URL once it accepts connections */
async function run(t: Test, command: string, args: string[], port: number): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`)
    const isThere = await fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => false,
    )
    if (isThere) return url
    await sleep(20)
  }
}

/** Runs nginx with the given listen directive and contents of the server block. */
async function nginx(t: Test, server: (listen: string) => string): Promise<string> {
  const [folder, port] = [ownFolder(t), await freePort()]
  mkdirSync(join(folder, 'nginx'))
  const config = join(folder, 'nginx.conf')
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, 'nginx', name)};`)
    .join(' ')
  const { uid, username } = userInfo()
  writeFileSync(
    config,
    `${uid === 0 ? `user ${username};` : ''} worker_processes 1; error_log stderr; pid ${folder}/nginx.pid; daemon off;
events {}
http {
  access_log off; ${places}
  ${server(`listen 127.0.0.1:${port};`)}
}`,
  )
  return run(t, 'nginx', ['-p', folder, '-c', config], port)
}

/** The configuration in `deploy/proxy/nginx.conf`, without TLS and the redirect to it. */
export const nginxAtRoot = (t: Test, servicePort: number) =>
  nginx(t, (listen) =>
    shipped('nginx.conf', servicePort)
      .replace(/^server {\n {4}listen 80;.*?^}\n/ms, '')
      .replace('listen 443 ssl;', listen)
      .replaceAll(/ssl_certificate.*;/g, ''),
  )

/** The configuration in `deploy/proxy/nginx-below-path.conf`. */
export const nginxBelowPath = async (t: Test, servicePort: number) =>
  `${await nginx(t, (listen) => `server { ${listen}\n${shipped('nginx-below-path.conf', servicePort)} }`)}/board`

/** nginx without any setting. */
export const bareNginx = (t: Test, servicePort: number, settings = '') =>
  nginx(
    t,
    (listen) => `server { ${listen} location / { proxy_pass http://127.0.0.1:${servicePort}; ${settings} } }`,
  )

async function caddy(t: Test, config: (port: number) => string): Promise<string> {
  const port = await freePort()
  const file = join(ownFolder(t), 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${config(port)}`)
  return run(t, 'caddy', ['run', '--adapter', 'caddyfile', '--config', file], port)
}

/** The configuration in `deploy/proxy/Caddyfile`, without TLS. */
export const caddyAtRoot = (t: Test, servicePort: number) =>
  caddy(t, (port) =>
    shipped('Caddyfile', servicePort).replace(/^board\.example\.com/m, `http://127.0.0.1:${port}`),
  )

/** The configuration in `deploy/proxy/Caddyfile-below-path`. */
export const caddyBelowPath = async (t: Test, servicePort: number) =>
  `${await caddy(t, (port) =>
    shipped('Caddyfile-below-path', servicePort).replace(/^www\.example\.com/m, `http://127.0.0.1:${port}`),
  )}/board`
