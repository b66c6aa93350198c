import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { readableText } from '../../src/exchange/sources/adf.ts'
import type { JsonObject } from '../../src/json.ts'
import { toHtml } from '../../web/common/markdown/html.ts'
import { rounds } from '../rounds.ts'

/** A character with its blocks, outermost first, and its marks: `x ul li strong`. */
type Shown = string

const LINK = 'https://e.test/a_(b)'
const TAGS: { [mark: string]: string } = { strong: 'strong', em: 'em', strike: 'del', code: 'code' }
const INLINE = new Set([...Object.values(TAGS), 'a'])

/** The visible characters of HTML, each with its tags; blanks and paragraphs are ignored. */
function shownIn(html: string): Shown[] {
  const open: string[] = []
  const shown: Shown[] = []
  for (const [, end, tag = '', attributes, entity, character] of html.matchAll(
    /<(\/?)([a-z]\w*)([^>]*)>|&([#\w]+);|([\s\S])/gu,
  )) {
    if (tag !== '') {
      if (tag === 'p' || tag === 'br' || tag === 'hr') continue
      if (end) open.pop()
      else open.push(tag + attributes)
      continue
    }
    const one = entity === undefined ? (character ?? '') : (ENTITIES.get(entity) ?? '?')
    if (/\s/.test(one)) continue
    const blocks = open.filter((part) => !INLINE.has(part.split(' ')[0] ?? ''))
    // Markdown makes links of addresses in a text.
    const marks = [...new Set(open.filter((part) => INLINE.has(part.split(' ')[0] ?? '')))]
      .sort()
      .filter((part) => !part.startsWith('a ') || part === `a href="${LINK}"`)
    shown.push([one, ...blocks, ...marks].join(' '))
  }
  return shown
}
const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
])

/** The same for a document. */
function shownBy(node: JsonObject, tags: string[] = []): Shown[] {
  const content = (node.content ?? []) as JsonObject[]
  const attrs = (node.attrs ?? {}) as { [name: string]: string | number }
  const within = (...more: string[]) => content.flatMap((child) => shownBy(child, [...tags, ...more]))
  switch (node.type) {
    case 'text': {
      const marks = ((node.marks ?? []) as JsonObject[]).map(({ type, attrs }) =>
        type === 'link' ? `a href="${(attrs as JsonObject).href}"` : (TAGS[String(type)] ?? ''),
      )
      return [...String(node.text)]
        .filter((one) => !/\s/.test(one))
        .map((one) => [one, ...tags, ...marks.sort()].join(' '))
    }
    case 'heading':
      return within(`h${Math.min(6, Number(attrs.level) + 2)}`)
    case 'codeBlock':
      return within('pre', 'code')
    case 'bulletList':
      return within('ul')
    case 'orderedList':
      return within(attrs.order === 1 ? 'ol' : `ol start="${attrs.order}"`)
    case 'listItem':
      return within('li')
    case 'blockquote':
      return within('blockquote')
    default:
      return within()
  }
}

const doc = (...content: JsonObject[]): JsonObject => ({ type: 'doc', content })
const paragraph = (...content: JsonObject[]): JsonObject => ({ type: 'paragraph', content })
const text = (text: string, ...marks: (string | JsonObject)[]): JsonObject => ({
  type: 'text',
  text,
  marks: marks.map((mark) => (typeof mark === 'string' ? { type: mark } : mark)),
})
const code = (text: string, language?: string): JsonObject => ({
  type: 'codeBlock',
  attrs: { language },
  content: [{ type: 'text', text }],
})
const list = (type: string, ...items: JsonObject[][]): JsonObject => ({
  type,
  content: items.map((content) => ({ type: 'listItem', content })),
})
const link: JsonObject = { type: 'link', attrs: { href: LINK } }
const hardBreak: JsonObject = { type: 'hardBreak' }

t.test('blocks stay in their lists and quotes, with all of their text', (t) => {
  const steps = list('bulletList', [
    paragraph(text('steps')),
    list('orderedList', [code('rm -rf build\n\n  ls', 'sh')]),
  ])
  const quote = { type: 'blockquote', content: [paragraph(text('a')), code('b\n\nc')] }
  for (const [content, markdown] of [
    [steps, '- steps\n\n  1. ```sh\n     rm -rf build\n\n       ls\n     ```'],
    [quote, '> a\n>\n> ```\n> b\n>\n> c\n> ```'],
    [
      list('bulletList', [quote], [code('d')]),
      '- > a\n  >\n  > ```\n  > b\n  >\n  > c\n  > ```\n- ```\n  d\n  ```',
    ],
    [code('```\nx\n````', 'c `#'), '`````c #\n```\nx\n````\n`````'],
    [
      { ...list('orderedList', [paragraph(text('a'))], [paragraph(text('b'))]), attrs: { order: 5 } },
      '5. a\n6. b',
    ],
    [list('bulletList', [], [{ type: 'rule' }], [paragraph(text('[x] a'))]), '-\n- ***\n- \\[x] a'],
    [{ type: 'codeBlock' }, '```\n\n```'],
  ] as const)
    t.strictSame(readableText(doc(content)), { text: markdown, isWhole: true })
  const items = list('orderedList', [paragraph(text('a'))])
  t.equal(readableText(doc(items, paragraph(), items, items)).text, '1. a\n\n1) a\n\n1. a', 'three lists')
  const [far, none] = [1e9, -1].map((order) => readableText(doc({ ...items, attrs: { order } })))
  t.strictSame(
    [far, none],
    [
      { text: '1. a', isWhole: false },
      { text: '1. a', isWhole: false },
    ],
  )
  t.end()
})

t.test('texts and marks are as readable as Markdown allows', (t) => {
  for (const [content, markdown] of [
    [[text('foo()', link, 'code')], '[`foo()`](https://e.test/a_\\(b\\))'],
    [[text('a ', 'strong'), text('b', 'em', 'strong'), text(' c')], '**a *b*** c'],
    [[text('a'), hardBreak, text('b ', 'strong'), text('c')], 'a\n**b** c'],
    [[text('a`b', 'code'), text(' '), text('`', 'code')], '``a`b`` `` ` ``'],
    [[text('__init__ *args snake_case 2 * 3 ~5 a~b')], '\\_\\_init\\_\\_ \\*args snake_case 2 * 3 ~5 a\\~b'],
    [
      [text('<div> a < b & c &amp; `x` C:\\temp \\* [x] [x](y)')],
      '\\<div> a < b & c \\&amp; \\`x\\` C:\\temp \\\\\\* \\[x\\] \\[x\\]\\(y)',
    ],
    [[text('[TODO] see https://e.test/a_b?c=[d]')], '[TODO] see <https://e.test/a_b?c=>[d]'],
    [[text('https://e.test/a_b.')], 'https://e.test/a_b.'],
    [
      [text('# x'), hardBreak, text('- x\n+ x\n1. x\n2) x\n---\n> x\n[x]: y\n1.5 #1 -1')],
      '\\# x\n\\- x\n\\+ x\n1\\. x\n2\\) x\n\\---\n\\> x\n\\[x]: y\n1.5 #1 -1',
    ],
  ] as const) {
    const read = readableText(doc(paragraph(...content)))
    t.equal(read.text, markdown)
    t.ok(read.isWhole, markdown)
  }
  const heading = { type: 'heading', attrs: { level: 2 }, content: [text('C #')] }
  t.equal(readableText(doc(heading)).text, '## C \\#')
  t.end()
})

t.test('what Markdown cannot express is text, and the original is kept', (t) => {
  const cell = (word: string) => ({ type: 'tableCell', content: [paragraph(text(word))] })
  for (const [content, markdown] of [
    [{ type: 'table', content: [{ type: 'tableRow', content: [cell('a'), cell('b')] }] }, 'a\n\nb'],
    [
      { type: 'panel', content: [paragraph(text('a')), list('bulletList', [code('b')])] },
      'a\n\n- ```\n  b\n  ```',
    ],
    [{ type: 'mediaSingle', content: [{ type: 'media', attrs: { alt: 'plan.png' } }] }, 'plan.png'],
    [{ type: 'blockCard', attrs: { url: 'https://e.test' } }, 'https://e.test'],
    [paragraph(text('a', 'underline')), 'a'],
    [paragraph(text('a:', 'strong'), text('b')), 'a:b'],
    [paragraph(text('`', 'code', link)), '[\\`](https://e.test/a_\\(b\\))'],
    [paragraph(text('a', 'code'), text('b', 'code', 'strong')), '`ab`'],
    [
      paragraph(
        { type: 'mention', attrs: { text: '@Åsa' } },
        { type: 'emoji', attrs: { shortName: ':x:', text: '❌' } },
        text(' '),
        { type: 'date', attrs: { timestamp: '1769817600000' } },
        { type: 'date', attrs: {} },
        { type: 'strange' },
      ),
      '@Åsa❌ 2026-01-31',
    ],
    [{ type: 'heading', content: [text('a'), hardBreak, text('b')] }, '# a b'],
  ] as const)
    t.strictSame(readableText(doc(content)), { text: markdown, isWhole: false })
  t.end()
})

const SCRAPS = [
  'a',
  'b ',
  ' ',
  '1',
  '2. ',
  '1)',
  '*',
  '**',
  '_',
  '__',
  '~',
  '~~',
  '`',
  '``',
  '```',
  '#',
  '# ',
  '-',
  '- ',
  '+ ',
  '---',
  '===',
  '>',
  '<',
  '<b>',
  '</b>',
  '&',
  '&amp;',
  '\\',
  '[',
  '](x)',
  '[x](https://e.test)',
  '[x]: y',
  '[ ] ',
  '!',
  '(',
  ')',
  '|',
  '|-|',
  '\n',
  '\n\n',
  '.',
  ':',
  'ü',
  '😀',
  '=',
]

const words = fc
  .array(fc.constantFrom(...SCRAPS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''))
const mark = fc.constantFrom<JsonObject>(
  { type: 'strong' },
  { type: 'em' },
  { type: 'strike' },
  { type: 'code' },
  { type: 'link', attrs: { href: LINK } },
)
const textNode = fc.record({
  type: fc.constant('text'),
  text: words,
  marks: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.uniqueArray(mark, { maxLength: 3, selector: ({ type }) => type }),
  ),
})
const inline = fc.array(fc.oneof({ weight: 6, arbitrary: textNode }, fc.constant({ type: 'hardBreak' })), {
  minLength: 1,
  maxLength: 5,
})
const plainText = words.map((text) => [{ type: 'text', text }])
const paragraphs = fc.record({ type: fc.constant('paragraph'), content: inline })
const codeBlocks = fc.record({ type: fc.constant('codeBlock'), content: plainText })
const { block } = fc.letrec((tie) => {
  const blocks = fc.array(tie('block'), { minLength: 1, maxLength: 3 })
  const items = fc.array(fc.record({ type: fc.constant('listItem'), content: blocks }), {
    minLength: 1,
    maxLength: 3,
  })
  return {
    block: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      paragraphs,
      codeBlocks,
      fc.record({
        type: fc.constant('heading'),
        attrs: fc.record({ level: fc.integer({ min: 1, max: 6 }) }),
        content: inline,
      }),
      fc.constant({ type: 'rule' }),
      fc.record({ type: fc.constant('blockquote'), content: blocks }),
      fc.record({ type: fc.constant('bulletList'), content: items }),
      fc.record({
        type: fc.constant('orderedList'),
        attrs: fc.record({ order: fc.nat(1200) }),
        content: items,
      }),
    ),
  }
})
const documents = fc
  .array(block as fc.Arbitrary<JsonObject>, { minLength: 1, maxLength: 3 })
  .map((content) => ({ type: 'doc', content }))

t.test('the page shows any text as Jira does', async (t) => {
  let wholes = 0
  const numRuns = rounds(300)
  fc.assert(
    fc.property(documents, (value) => {
      const { text, isWhole } = readableText(value)
      const html = toHtml(text) ?? ''
      const [is, should] = [shownIn(html), shownBy(value)].map((shown) =>
        // The original is kept, so marks may be missing.
        isWhole ? shown : shown.map((one) => [...one][0]),
      )
      wholes += Number(isWhole)
      if (!isDeepStrictEqual(is, should)) throw new Error(`${JSON.stringify(text)}\n${html}`)
    }),
    // The same documents each time: the page's parser has rarer readings of its own.
    { numRuns, seed: 1 },
  )
  t.ok(wholes > numRuns / 10, `${wholes} were whole`)
})
