/** Writes parts of Markdown as the board page reads it: the end of a line is a break, an address becomes a link, and HTML is text. */

/** Texts that Markdown takes for more than text. Runs of marks match as a whole, so that long ones take linear time. */
const SPECIAL = [
  // A run of stars that is not between blanks.
  String.raw`(?<!\*)(?:(?<!\s)\*+|\*+(?![\s*]))`,
  // A run of underscores that is neither between blanks nor within a word.
  String.raw`(?<!_)(?:(?<![\s\p{L}\p{N}])_+|(?<=\s)_+(?![\s_])|(?<=[\p{L}\p{N}])_+(?![\p{L}\p{N}_]))`,
  // A tilde that may end a struck text or join others.
  String.raw`(?<!~)(?:~~+|(?<!\s)~|~(?=\($))`,
  // A bracket that may close in what follows, and a mark that would make a link an image.
  String.raw`\[(?=[^\[\]]*\($)`,
  String.raw`!(?=\($)`,
  // A tag, an entity, code, an escape.
  String.raw`<(?=[a-z\/!?]|\($)`,
  String.raw`&(?=#?[a-z0-9]{1,32};|\($)`,
  '`',
  String.raw`\\(?=[!-\/:-@\[-\x60{-~]|\s*$)`,
].join('|')

/** An address. The last character of the text is not a part of it. */
const ADDRESS = String.raw`(?<address>(?:https?|ftp):\/\/[a-z0-9-](?:(?:[^\s<>\\\x60\[\]&]|&(?!#?[a-z0-9]{1,32};))(?!$)){0,9999})`

/** An address with one of these may seem to end before it. */
const UNSURE = /[*~]|(?<![a-z0-9])_|_(?![a-z0-9])/i

/** Brackets, and a parenthesis that may begin an address after one. */
const BRACKETS = String.raw`[\[\]]|(?<=\])\((?!$)`

/** What to escape where: in a line, in one that has the middle of a link, and in the label of a link. */
const TO_ESCAPE = {
  line: new RegExp(`${ADDRESS}|${SPECIAL}`, 'giu'),
  brackets: new RegExp(`${ADDRESS}|${SPECIAL}|${BRACKETS}`, 'giu'),
  label: new RegExp(`(?<address>(?!))|${SPECIAL}|${BRACKETS}`, 'giu'),
} as const

/** Where a text is in its line. */
interface Place {
  isFirst: boolean
  isLast: boolean
  where: keyof typeof TO_ESCAPE
}

/** A text in a line, with a backslash before each character that would be more than text. */
export function escaped(text: string, { isFirst, isLast, where }: Place): string {
  // Beside other pieces of the line, which may begin with a mark, a text is next to punctuation.
  const [before, after] = [isFirst ? '\n' : '(', isLast ? '\n' : '(']
  const whole = `${before}${text}${after}`
  return whole
    .replace(TO_ESCAPE[where], (found: string, address: string | undefined, at: number) => {
      if (address === undefined) return found.replaceAll(/./g, '\\$&')
      // Markdown takes all up to the next blank for a part of it, unless it is in brackets.
      const isAlone = /\s/.test(whole[at + found.length] ?? '')
      return isAlone && !UNSURE.test(found) ? found : `<${found}>`
    })
    .slice(1, -1)
}

/** The beginnings of lines that Markdown takes for more than text, except those of numbered items. */
const BEGINNING = new RegExp(
  [
    // A heading, a quote, an item, a fence.
    String.raw`^#{1,6}(?!\S)`,
    '^>',
    String.raw`^[-+*](?!\S)`,
    '^~~~',
    // A line below a heading or below the head of a table, a rule.
    String.raw`^=+\s*$`,
    String.raw`^(?=.*-)[-:|\s]+$`,
    String.raw`^([-*_])\s*(?:\1\s*){2,}$`,
    // The definition of an address.
    String.raw`^\[(?=(?:[^\[\]\\]|\\.){0,9999}(?:\]:|$))`,
  ].join('|'),
)
const NUMBERED = /^(\d{1,9})(?=[.)](?!\S))/

/** A line, which is Markdown, such that its beginning is only text. */
export const escapedLine = (line: string): string => line.replace(BEGINNING, '\\$&').replace(NUMBERED, '$1\\')

/** A heading's line, which is Markdown, such that its end is only text. */
export const escapedHeading = (line: string): string => line.replace(/(?<!\S)#+$/, '\\$&')

/** The text of an item, which is Markdown, such that it does not begin with a checkbox. */
export const escapedItem = (item: string): string => item.replace(/^\[(?=[ xX]\](?!\S))/, '\\[')

/** A fence that code does not contain. */
function fenceOf(code: string, shortest: number): string {
  const longest = (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
  return '`'.repeat(longest < shortest ? shortest : longest + 1)
}

/** Code within a line. */
export function codeSpan(code: string): string {
  const fence = fenceOf(code, 1)
  // Markdown removes a blank at each end.
  const isPadded = /^`|`$/.test(code) || (code.startsWith(' ') && code.endsWith(' ') && /[^ ]/.test(code))
  return isPadded ? `${fence} ${code} ${fence}` : fence + code + fence
}

/** A block of code. Its language may have any characters. */
export function codeBlock(code: string, language: string): string {
  const fence = fenceOf(code, 3)
  return `${fence}${language.replaceAll(/[`\s]+/g, ' ').trim()}\n${code}\n${fence}`
}

/** A link; its label is Markdown. */
export function linkTo(label: string, address: string): string {
  const encoded = address.replaceAll(/[\s<>\\`]/g, encodeURIComponent)
  return `[${label}](${encoded.replaceAll(/[()]|&(?=#?[a-z0-9]{1,32};)/gi, '\\$&')})`
}

/** Lines with a prefix before the first and one before the others. Blank lines do not get blanks. */
export const prefixed = (lines: string, first: string, others: string): string =>
  lines
    .split('\n')
    .map((line, index) => {
      const prefix = index === 0 ? first : others
      return line === '' ? prefix.trimEnd() : prefix + line
    })
    .join('\n')
