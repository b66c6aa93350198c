import fc from 'fast-check'
import t from 'tap'
import { handlesOf, mentionsIn } from '../../src/attention/mentions.ts'

const FENCE = '```'

t.test('a mention is an @ with a handle, but not in code, and not in an address', async (t) => {
  const cases: [string, string[]][] = [
    ['@ada', ['ada']],
    ['Hello @Ada, and @bob.the-builder_2!', ['ada', 'bob.the-builder_2']],
    ['(@ada) "@bob" *@eve* @ada', ['ada', 'bob', 'eve']],
    ['ask @ada.', ['ada.']],
    ['@a @', []],
    ['ada@example.org, mailto:x@example.org', []],
    ['@ada@example.org', []],
    ['https://example.org/@ada', []],
    ['\\@ada', []],
    ['é@ada @adá', []],
    ['`@ada` and ``a ` @bob`` but @eve', ['eve']],
    ['`@ada and @bob', ['ada', 'bob']],
    ['`one\n@ada` @bob', ['bob']],
    ['`one\n\n@ada` @bob', ['ada', 'bob']],
    [`${FENCE}\n@ada\n${FENCE}\n@bob`, ['bob']],
    [`${FENCE}ts\n@ada\n~~~\n@eve\n\n${FENCE}${FENCE}\n@bob`, ['bob']],
    [`~~~\n@ada`, []],
    [`> ${FENCE}\n> @ada\n> ${FENCE}\n@bob`, ['bob']],
    [`- ${FENCE}\n  @ada\n  ${FENCE}\n- @bob`, ['bob']],
    [`${FENCE}not ${FENCE} a fence @ada`, ['ada']],
    ['a\r\n@ada\r@bob', ['ada', 'bob']],
    [`@${'x'.repeat(41)}`, []],
    ['    @ada\n\t@bob\n@eve', ['eve']],
    ['so:\n\n    @ada\n\n    @ada\n@bob', ['bob']],
    ['so:\n    @ada', ['ada']],
    ['# so\n    @ada\n---\n    @ada', []],
    ['- so:\n\n    @ada', ['ada']],
    ['- so:\n\n      @ada\n\n@bob', ['bob']],
    ['1. so:\n   - more:\n\n     @ada\n\n   @bob\n\n       @eve', ['ada', 'bob']],
    ['- so\n\nand\n\n    @ada', []],
    ['-     @ada\n- @bob', ['bob']],
    ['- \t@ada', ['ada']],
    ['> so\n>\n>     @ada\n> @bob', ['bob']],
    [`${FENCE}\n${FENCE}\n    @ada\n\n  @bob`, ['bob']],
    ['   @ada\n\n  @bob', ['ada', 'bob']],
  ]
  for (const [text, expected] of cases) t.strictSame([...mentionsIn(text)], expected, JSON.stringify(text))
})

t.test('a mention may mean a handle without the dots that end a sentence', async (t) => {
  t.strictSame(handlesOf('ada'), ['ada'])
  t.strictSame(handlesOf('ada.-'), ['ada.-', 'ada.', 'ada'])
  t.strictSame(handlesOf('a..'), ['a..', 'a.'])
})

t.test('any text is read, in a time that grows with its length', async (t) => {
  const piece = fc.constantFrom(
    '`',
    '``',
    FENCE,
    '~~~',
    '\n',
    '\n\n',
    '@ada',
    '@',
    ' ',
    'é',
    '> ',
    '- ',
    '    ',
    '\t',
    '+ ',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const found = mentionsIn(pieces.join(''))
      return [...found].every((one) => one.startsWith('ada'))
    }),
  )
  // In linear time: in quadratic time, these would take longer than any test may.
  const LENGTH = 400_000
  t.equal(mentionsIn(`${'- '.repeat(LENGTH / 2)}@ada`).size, 1, 'a deep list')
  for (const unit of [
    '`',
    '``a`',
    '@',
    '@a.',
    '`\n',
    `${FENCE}\n`,
    '> - ',
    '@ada ',
    '- ',
    '\n    ',
    '    ',
    '\t',
    '- - \n',
    '1. a\n',
    '>',
    ' ',
    '> ',
  ]) {
    // Without a mention, nothing else of a text is read.
    t.ok(mentionsIn(`@ada\n${unit.repeat(LENGTH / unit.length)}`).has('ada'), JSON.stringify(unit))
  }
  t.equal(mentionsIn(Array.from({ length: 1000 }, (_, n) => `@m${n}`).join(' ')).size, 100)
})
