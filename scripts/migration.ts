/**
 * Writes a migration with drizzle-kit, which takes the options (`npm run migration -- --name <what>`). It compares the tables with the
 * latest snapshot only, so earlier ones are not kept.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'

execFileSync('drizzle-kit', ['generate', ...process.argv.slice(2)], { stdio: 'inherit' })
const snapshots = readdirSync('drizzle/meta').filter((name) => name.endsWith('_snapshot.json'))
for (const name of snapshots.sort().slice(0, -1)) rmSync(`drizzle/meta/${name}`)
