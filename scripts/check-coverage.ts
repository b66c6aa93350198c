/** Fails when the last full test run left a line of `src/`, `plugins/` or `routes/` unexecuted. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const summary: Record<string, { lines: { pct: number } }> = JSON.parse(
  readFileSync('.tap/report/coverage-summary.json', 'utf8'),
)
const files = Object.entries(summary)
  .map(([file, { lines }]) => ({ file: relative('.', file), covered: lines.pct }))
  .filter(({ file }) => /^(src|plugins|routes)\//.test(file))
const incomplete = files.filter(({ covered }) => covered < 100)
for (const { file, covered } of incomplete) console.error(`${file}: ${covered} % of its lines are tested`)
if (files.length === 0 || incomplete.length > 0) process.exitCode = 1
