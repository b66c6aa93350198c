/** Mentions in Markdown: `@handle`, but not in code, and not in addresses. */

/** Most people that one text mentions. */
const MOST = 100

/** The beginning or end of a fenced block, also in a quotation or a list. Without two adjacent repetitions of blanks, which would take quadratic time. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t][ \t>]*)?(`{3,}|~{3,})([^\n]*)/

/** The marker at the beginning of a line of a quotation. */
const QUOTE = /^(?: {0,3}> ?)+/

/** The marker of an item of a list, and the spaces after it. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:( +)|$)/

/** Headings and rules: the next line continues no paragraph. */
const HEADING = /^#{1,6}(?: |$)/
const RULE = /^(?:[-*_] *){3,}$/

/** Columns of an indentation that makes code. */
const CODE = 4

const BACKTICKS = /`+/g

/** A handle, perhaps followed by dots that end the sentence. The characters around it are neither letters nor part of an address. */
const MENTION = /(?<![\p{L}\p{N}\p{M}._%+\-@/\\])@([A-Za-z0-9._-]{2,40})(?![\p{L}\p{N}\p{M}_@-])/gu

/** A paragraph without its code spans: from a run of backticks to the next one of the same length. In linear time. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(BACKTICKS)].map(({ 0: run, index }) => ({ length: run.length, index }))
  if (runs.length < 2) return text
  const ofLength = Map.groupBy(runs, ({ length }) => length)
  const seen = new Map<number, number>()
  const parts: string[] = []
  let at = 0
  for (const { length, index } of runs) {
    if (index < at) continue
    const same = ofLength.get(length) as typeof runs
    let next = seen.get(length) ?? 0
    while (next < same.length && (same[next] as { index: number }).index <= index) next++
    seen.set(length, next)
    const end = same[next]
    if (end === undefined) continue
    parts.push(text.slice(at, index))
    at = end.index + length
  }
  return [...parts, text.slice(at)].join(' ')
}

/** A line with spaces instead of tabs, whose stops are every four columns. */
function withoutTabs(line: string): string {
  let added = 0
  return line.replaceAll('\t', (_tab, at: number) => {
    const spaces = 4 - ((at + added) % 4)
    added += spaces - 1
    return ' '.repeat(spaces)
  })
}

/** Recognises lines of indented code: indented by four columns more than their container, and not the continuation of a paragraph. */
class Indentation {
  /** The columns at which the texts of the items of the current lists begin, outermost first. */
  #items: number[] = []
  #isInParagraph = false

  /** Whether the next line is code. */
  isCode(line: string): boolean {
    const shown = withoutTabs(line).replace(QUOTE, '')
    let rest = shown.trimStart()
    if (rest === '') {
      this.#isInParagraph = false
      return false
    }
    let column = shown.length - rest.length
    const beyond = () => column - (this.#items.at(-1) ?? 0)
    if (!this.#isInParagraph) {
      while (beyond() < 0) this.#items.pop()
      if (beyond() >= CODE) return true
    }
    if (RULE.test(rest)) {
      this.#isInParagraph = false
      return false
    }
    for (let item = ITEM.exec(rest); item !== null; item = ITEM.exec(rest)) {
      while (beyond() < 0) this.#items.pop()
      const [{ length }, spaces = ''] = item
      const isCode = spaces.length > CODE
      column += isCode ? length - spaces.length + 1 : length
      this.#items.push(column)
      if (isCode) return true
      rest = rest.slice(length)
    }
    this.#isInParagraph = rest !== '' && !HEADING.test(rest)
    return false
  }

  /** A block ends the paragraph before it. */
  endParagraph(): void {
    this.#isInParagraph = false
  }
}

/** The paragraphs of a text outside of fenced blocks and indented code. */
function* paragraphsOf(text: string): Generator<string> {
  let lines: string[] = []
  let fence: string | undefined
  const indentation = new Indentation()
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (fence === undefined && indentation.isCode(line)) continue
    const [, mark = '', rest = ''] = FENCE.exec(line) ?? []
    if (fence !== undefined) {
      if (mark.startsWith(fence) && rest.trim() === '') fence = undefined
      continue
    }
    const opens = mark !== '' && !(mark.startsWith('`') && rest.includes('`'))
    if (opens) {
      fence = mark
      indentation.endParagraph()
    }
    if (!opens && line.trim() !== '') lines.push(line)
    else {
      yield lines.join('\n')
      lines = []
    }
  }
  yield lines.join('\n')
}

/**
 * The mentions of a text, in lower case, each once. A mention may end with dots and dashes of the sentence: see {@link handlesOf}.
 */
export function mentionsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  if (!text.includes('@')) return found
  for (const paragraph of paragraphsOf(text)) {
    if (!paragraph.includes('@')) continue
    for (const [, mention = ''] of withoutSpans(paragraph).matchAll(MENTION)) {
      found.add(mention.toLowerCase())
      if (found.size === MOST) return found
    }
  }
  return found
}

/** The handles that a mention may mean, the likeliest first: with and without trailing punctuation of the sentence. */
export function handlesOf(mention: string): string[] {
  const handles = [mention]
  for (let one = mention; /[._-]$/.test(one); ) {
    one = one.slice(0, -1)
    handles.push(one)
  }
  return handles.filter(({ length }) => length >= 2 && length <= 32)
}
