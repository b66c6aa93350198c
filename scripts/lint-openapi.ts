/** Checks the OpenAPI document by Redocly's recommended rules. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../src/app.ts'

const folder = mkdtempSync(join(tmpdir(), 'phaseboard-openapi-'))
try {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  await app.ready()
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(await app.openapi(), null, 2))
  await app.close()
  execFileSync('redocly', ['lint', '--config', 'redocly.yaml', '--max-problems', '200', file], {
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
