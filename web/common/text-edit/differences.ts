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
  const start = commonLength(a, b)
  const end = commonLength(a.slice(start).reverse(), b.slice(start).reverse())
  const middle = common(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const isKept = (side: 0 | 1, index: number, length: number) =>
    index < start || index >= length - end || middle[side].has(index - start)
  return {
    theirs: piecesOf(a, (index) => isKept(0, index, a.length)),
    yours: piecesOf(b, (index) => isKept(1, index, b.length)),
  }
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
