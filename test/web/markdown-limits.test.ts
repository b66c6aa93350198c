import { Marked } from 'marked'
import t from 'tap'
import { isRenderable } from '../../web/common/markdown-limits.ts'

const marked = new Marked({ gfm: true, breaks: true })

/** What is repeated in texts that keep a parser of Markdown busy, or overflow its stack. */
const REPEATED = [
  ' ',
  '\t',
  '> ',
  '>',
  '1. ',
  '- ',
  '* ',
  '*',
  '_',
  '~',
  '`',
  '[',
  '![',
  '](',
  '[a](',
  '[a]: b\n',
  '<',
  '<a ',
  '|a',
  '\\',
  '&a',
  '# ',
  '- a\n',
  '  - a\n',
  '*a **b ',
  'http://a',
  'a@b.c ',
  'word ',
]

t.test('what a text repeats neither overflows the stack nor takes more than it is worth', async (t) => {
  for (const part of REPEATED) {
    for (const length of [1000, 20_000]) {
      const text = part.repeat(Math.floor(length / part.length))
      if (isRenderable(text)) t.doesNotThrow(() => marked.parse(text), JSON.stringify(part))
    }
    t.notOk(isRenderable(part.repeat(50_000)), `${JSON.stringify(part)} × 50,000`)
  }
  for (const part of [' ', '> ', '1. ', '- ', '[', '<', '`', '- a\n'])
    t.notOk(isRenderable(part.repeat(Math.floor(20_000 / part.length))), JSON.stringify(part))
})

t.test('what people write is rendered', async (t) => {
  const list = Array.from(
    { length: 300 },
    (_, n) => `${n + 1}. **Step** ${n} with [a link](https://example.org)\n`,
  )
  const nested = Array.from({ length: 8 }, (_, depth) => `${'  '.repeat(depth)}- deeper`).join('\n')
  const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(200)}`
  for (const text of [
    '',
    'word '.repeat(3000),
    list.join(''),
    nested,
    table,
    '> > > quoted',
    '```\ncode\n```',
  ])
    t.ok(isRenderable(text), text.slice(0, 40))
})
