/**
 * `npm run dev`: runs the service from its sources and restarts it when they change, and rebuilds the board page
 * when its sources change. Reload the page by hand. Arguments go to the service's command.
 */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { watchWeb } from './build-web.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'dist/dev')

await watchWeb(root, folder)
const args = ['--watch', 'src/cli/cli.ts', 'serve', ...process.argv.slice(2)]
const service = spawn(process.execPath, args, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PHASEBOARD_WEB: folder },
})
// Ctrl+C reaches both; a signal to this process only is forwarded.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => service.kill('SIGTERM'))
service.on('exit', (code) => process.exit(code ?? 1))
