/** The differences between two texts, by word. */

/** A piece of a text. */
export interface Piece {
  text: string
  isDifferent: boolean
}

/** Two texts in pieces. Joined, the pieces are the whole text. */
interface Differences {
  theirs: readonly Piece[]
  yours: readonly Piece[]
}

/**
 * The maximum number of compared pairs of words, which takes some milliseconds. Beyond it, everything between the common start
 * and end counts as different.
 */
const MOST_PAIRS = 1_000_000

/** Splits a text into words. The spaces between them are words too. */
const wordsOf = (text: string): string[] => text.match(/\s+|[^\s]+/gu) ?? []

/** Marks the words of each text that the other does not have at that place. */
export function differencesOf(theirs: string, yours: string): Differences {
  const [a, b] = [wordsOf(theirs), wordsOf(yours)]
  const [inTheirs, inYours] = keptOf(a, b)
  return { theirs: piecesOf(a, inTheirs), yours: piecesOf(b, inYours) }
}

type IsKept = (index: number) => boolean

/** Whether a word of the one list is in the other, too; in both, these words are the same in the same order. */
function keptOf(a: readonly string[], b: readonly string[]): [IsKept, IsKept] {
  const start = commonLength(a, b)
  const end = commonLength(a.slice(start).reverse(), b.slice(start).reverse())
  const middle = common(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const isKept =
    (side: 0 | 1, length: number): IsKept =>
    (index) =>
      index < start || index >= length - end || middle[side].has(index - start)
  return [isKept(0, a.length), isKept(1, b.length)]
}

/** Words of a text, from one index to another, that have become others. */
interface Change {
  from: number
  to: number
  words: readonly string[]
}

function changesOf(before: readonly string[], after: readonly string[]): Change[] {
  const [isKept, isOld] = keptOf(before, after)
  const changes: Change[] = []
  for (let from = 0, at = 0; from < before.length || at < after.length; ) {
    let [to, end] = [from, at]
    while (to < before.length && !isKept(to)) to++
    while (end < after.length && !isOld(end)) end++
    if (to > from || end > at) changes.push({ from, to, words: after.slice(at, end) })
    // Both are at the same kept word now.
    from = to + 1
    at = end + 1
  }
  return changes
}

/** Two changes of a text in one; undefined if they touch each other. What both have changed alike is there once. */
export function mergedText(before: string, theirs: string, yours: string): string | undefined {
  const words = wordsOf(before)
  const changes = [theirs, yours]
    .flatMap((text) => changesOf(words, wordsOf(text)))
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
  let [merged, at] = ['', 0]
  for (const [index, { from, to, words: others }] of changes.entries()) {
    const last = changes[index - 1]
    if (last && last.from === from && last.to === to && last.words.join('') === others.join('')) continue
    if (last && from <= last.to) return undefined
    merged += words.slice(at, from).join('') + others.join('')
    at = to
  }
  return merged + words.slice(at).join('')
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

/** The positions of a longest common subsequence in both lists. */
function common(a: readonly string[], b: readonly string[]): [Set<number>, Set<number>] {
  const kept: [Set<number>, Set<number>] = [new Set(), new Set()]
  if (a.length * b.length > MOST_PAIRS) return kept
  const width = b.length + 1
  // The length of the longest common subsequence of the rest of both lists, from each pair of positions.
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      kept[0].add(i++)
      kept[1].add(j++)
    } else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return kept
}

function piecesOf(words: readonly string[], isKept: (index: number) => boolean): Piece[] {
  const pieces: Piece[] = []
  for (const [index, text] of words.entries()) {
    const isDifferent = !isKept(index)
    const last = pieces.at(-1)
    if (last?.isDifferent === isDifferent) last.text += text
    else pieces.push({ text, isDifferent })
  }
  return pieces
}
