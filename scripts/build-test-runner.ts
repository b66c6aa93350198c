/**
 * Builds tap with the plugins in `package.json`, so that `npx tap <file>` works right after `npm ci`. Does nothing if tap
 * is not installed (`npm ci --omit=dev`) or already built.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const TAP = 'node_modules/.bin/tap'
const BUILT = 'node_modules/@tapjs/test/test-built/dist/esm/index.js'
const EXCLUDED = '@tapjs/typescript'

const isBuilt = existsSync(BUILT) && !readFileSync(BUILT, 'utf8').includes(EXCLUDED)
if (existsSync(TAP) && !isBuilt) execFileSync(TAP, ['build'], { stdio: ['ignore', 'ignore', 'inherit'] })
