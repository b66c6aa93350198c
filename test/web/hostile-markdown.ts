/** Texts that Markdown parsers are slow on, or whose output is large, each at the maximum rendered length. */
import { LONGEST } from '../../web/common/markdown/limits.ts'

/** A piece repeated to the maximum length. */
const full = (piece: string) => piece.repeat(Math.ceil(LONGEST / piece.length)).slice(0, LONGEST)

const REPEATED = [
  ...' *[`<|_\n~#\\&-=>"\':]()\t\u00a0'.split(''),
  ...['**a ', '*a_ ', '[a](', '![', '[a]: b\n', '`a``b```', '<a ', '<!--', '<http://', '_a ', '- ', '- a\n'],
  ...['> ', '> a\n', '~a~ ', '# ', '&a', '&#', 'http://a', 'www.', 'www.a.', 'a@', 'a.', 'a@a.', 'a\n=\n'],
  ...['1. ', '1. a\n', '```\n', '[a][b]', '[^a]', '<div>', '<div\n', '</div', '<![CDATA[', '<?', '*_`[<'],
  ...[
    'a  \n',
    'a_b*',
    '[](',
    '[a](<b',
    '[a](b "',
    '- [ ] ',
    '* a\n  ',
    ':-|',
    '[[a](b)',
    '**a*a',
    '|a\n|-\n',
  ],
  ...['\r\n', '[a\n', '[a]: b "', '<a b="', 'http://a(', '[a](b\\', '0', '\u200d'],
]

const lines = (count: number, line: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => line(number)).join('\n')

/** By kind. */
export const PATTERNS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    ...Object.fromEntries(REPEATED.map((piece) => [JSON.stringify(piece), full(piece)])),
    'a table of 1,200 columns and 2,000 rows': `|${'a|'.repeat(1200)}\n|${'-|'.repeat(1200)}\n${'a\n'.repeat(2000)}`,
    'lists in lists': lines(190, (depth) => `${' '.repeat(depth)}- a`),
    'lists in lists, by two': lines(140, (depth) => `${' '.repeat(2 * depth)}- a`),
    'lists in quotations': lines(400, (number) => `${'> '.repeat(number % 40)}- a`),
    'spaces within': `a${' '.repeat(LONGEST - 2)}b`,
    'spaces within a heading': `# ${' '.repeat(LONGEST - 3)}a`,
    'spaces at the end': `a${' '.repeat(LONGEST - 2)}\n`,
    'spaces below a table': `a|b\n-|-${' '.repeat(LONGEST - 8)}x`,
    'spaces in a fence': `\`\`\`${' '.repeat(LONGEST - 4)}\``,
    'no rule after all': `${'- '.repeat(LONGEST / 2 - 1)}x`,
    'emphasis that begins and ends': '*a '.repeat(LONGEST / 6) + 'b* '.repeat(LONGEST / 6),
    'brackets in brackets': '['.repeat(LONGEST / 2) + ']'.repeat(LONGEST / 2),
    'links in brackets': '[a'.repeat(LONGEST / 4) + '](b)'.repeat(LONGEST / 8),
    'a code span without an end': `${'`'.repeat(LONGEST / 2 - 1)} ${'`'.repeat(LONGEST / 2 - 2)}`,
    'half an address': `${'a'.repeat(LONGEST - 1)}@`,
    'entities in an address': `http://a${'&a;'.repeat(6000)}`,
    'a heading of many lines': `${'a\n'.repeat(LONGEST / 2 - 1)}=`,
    definitions: lines(1300, (number) => `[a${number}]: b`),
  }).map(([name, text]) => [name, text.slice(0, LONGEST)]),
)
