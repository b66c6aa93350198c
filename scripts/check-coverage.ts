/** Fails when the last `npm test -- --coverage` left a line of `src/`, `plugins/` or `routes/` unexecuted, and shows which. */
import { BUNDLED_CLIENT, BUNDLED_SOURCES, EXECUTIONS } from './bundled-sources.ts'
import { executedLines } from './coverage.ts'

/** Numbers in ascending order as ranges: `3-5, 8`. */
function asRanges(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range && range[1] === number - 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(', ')
}

const sources = [...executedLines(EXECUTIONS, BUNDLED_SOURCES, BUNDLED_CLIENT)].sort()
let executed = 0
for (const [source, lines] of sources) {
  const left = [...lines].filter(([, isExecuted]) => !isExecuted).map(([line]) => line)
  executed += lines.size - left.length
  if (left.length === 0) continue
  console.error(`${source}: not tested: ${asRanges(left.sort((one, other) => one - other))}`)
  process.exitCode = 1
}
console.log(`${executed} lines of ${sources.length} files are tested`)
if (executed === 0) process.exitCode = 1
