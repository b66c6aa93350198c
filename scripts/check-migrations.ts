/** Fails when the tables in `src/db/schema.ts` and the migrations in `drizzle/` have drifted apart, or a replaced snapshot is kept. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const snapshots = readdirSync('drizzle/meta').filter((name) => name.endsWith('_snapshot.json'))
if (snapshots.length !== 1) {
  console.error(`drizzle/meta has ${snapshots.length} snapshots: only that of the latest migration is kept`)
  process.exitCode = 1
}

// drizzle-kit takes only folders below the working directory.
const folder = mkdtempSync(join('node_modules', '.migrations-'))
try {
  const out = join(folder, 'drizzle')
  cpSync('drizzle', out, { recursive: true })
  const before = readdirSync(out).length
  const options = [
    '--dialect',
    'sqlite',
    '--schema',
    './src/db/schema.ts',
    '--casing',
    'snake_case',
    '--out',
    out,
  ]
  execFileSync('drizzle-kit', ['generate', ...options], { stdio: 'pipe' })
  execFileSync('drizzle-kit', ['check', '--dialect', 'sqlite', '--out', out], { stdio: 'pipe' })
  if (readdirSync(out).length !== before) {
    console.error(
      'src/db/schema.ts has changed: run `npm run migration -- --name <what-changed>` and commit drizzle/',
    )
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
