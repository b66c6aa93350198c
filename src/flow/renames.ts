/** Resolves former names of columns to current ones, by the recorded renames. */

/** A column got another name, or was deleted. */
export interface Rename {
  /** Milliseconds since 1970. */
  at: number
  from: string
  /** Undefined: the column was deleted, and the name does not resolve. */
  to: string | undefined
  /** Whether another tool wrote it. That tool then renames the column in its cards, too. */
  isOfOther: boolean
}

/** The recorded renames of a name, by time, each with the final name. */
interface From {
  at: number
  final: string
}

const keyOf = (from: string, to: string) => JSON.stringify([from, to])

/** The renames of one board, with logarithmic lookup. */
export class Renames {
  readonly #byName = new Map<string, From[]>()
  readonly #pairsOfOthers: ReadonlySet<string>

  constructor(renames: readonly Rename[]) {
    this.#pairsOfOthers = new Set(
      renames.flatMap(({ from, to, isOfOther }) => (isOfOther && to !== undefined ? keyOf(from, to) : [])),
    )
    const byTime = renames.toSorted((a, b) => a.at - b.at)
    for (const { at, from, to } of byTime.toReversed()) {
      const final = to === undefined ? from : (this.#byName.get(to)?.at(-1)?.final ?? to)
      const known = this.#byName.get(from)
      if (known) known.push({ at, final })
      else this.#byName.set(from, [{ at, final }])
    }
    for (const ofName of this.#byName.values()) ofName.reverse()
  }

  /** The current name of the column that had this name at a time; the name itself if it does not resolve. */
  nameNow(name: string, at: number): string {
    const ofName = this.#byName.get(name)
    if (ofName === undefined) return name
    let [low, high] = [0, ofName.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ofName[middle] as From).at < at) low = middle + 1
      else high = middle
    }
    return ofName[low]?.final ?? name
  }

  /** Whether another tool ever renamed a column so. */
  hasOfOther(from: string, to: string): boolean {
    return this.#pairsOfOthers.has(keyOf(from, to))
  }
}
