/** The stops of docs/walkthrough.md: each names a file and a function that is there to jump to. */
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'

t.test('every stop of the walkthrough is there', async (t) => {
  const text = readFileSync('docs/walkthrough.md', 'utf8')
  const [, patch = '', get = ''] = text.split(/^## /m)
  const stopsOf = (part: string) => [...part.matchAll(/^\| \d+ \| `([^`]+)` · `([^`]+)`/gm)]
  t.match(patch, /^PATCH/)
  t.ok(stopsOf(patch).length > 5 && stopsOf(patch).length <= 12, 'at most twelve stops for a PATCH')
  t.ok(stopsOf(get).length > 3)
  for (const [, path = '', name = ''] of stopsOf(text)) {
    if (!t.ok(existsSync(path), path)) continue
    const definition = new RegExp(
      `(function|const|class) ${name}\\b|^  (override )?(async )?${name}(<.*>)?\\(`,
      'm',
    )
    t.match(readFileSync(path, 'utf8'), definition, `${path} has ${name}`)
  }
})
