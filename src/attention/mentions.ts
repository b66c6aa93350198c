/** Mentions in Markdown: `@handle`, but not in code, and not in addresses. */

/** Most people that one text mentions. */
const MOST = 100

/** The beginning or end of a fenced block, also in a quotation or a list. */
const FENCE = /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?[ \t>]*(`{3,}|~{3,})([^\n]*)$/

const BACKTICKS = /`+/g

/** A handle, with dots that end a sentence perhaps; what stands around it is no letter, and of no address. */
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

/** The paragraphs of a text outside of fenced blocks. */
function* paragraphsOf(text: string): Generator<string> {
  let lines: string[] = []
  let fence: string | undefined
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, mark = '', rest = ''] = FENCE.exec(line) ?? []
    if (fence !== undefined) {
      if (mark.startsWith(fence) && rest.trim() === '') fence = undefined
      continue
    }
    const opens = mark !== '' && !(mark.startsWith('`') && rest.includes('`'))
    if (opens) fence = mark
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

/** The handles that a mention may mean, the likeliest first: with and without what may belong to the sentence. */
export function handlesOf(mention: string): string[] {
  const handles = [mention]
  for (let one = mention; /[._-]$/.test(one); ) {
    one = one.slice(0, -1)
    handles.push(one)
  }
  return handles.filter(({ length }) => length >= 2 && length <= 32)
}
