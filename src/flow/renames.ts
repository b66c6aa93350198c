/** What the columns of a board are called now: former names, followed through the renames that are recorded. */

/** A column got another name, or was deleted. */
export interface Rename {
  /** Milliseconds since 1970. */
  at: number
  from: string
  /** Undefined: nothing has this name from then on, and what had it before leads nowhere. */
  to: string | undefined
}

/** The renames from a name that stand in the sequence, by time, each with the name that they lead to in the end. */
interface From {
  at: number
  final: string
}

const keyOf = (from: string, to: string) => JSON.stringify([from, to])

/** The renames of one board. A name is looked up in logarithmic time, however often columns were renamed. */
export class Renames {
  readonly #byName = new Map<string, From[]>()
  readonly #pairs: ReadonlySet<string>

  constructor(renames: readonly Rename[]) {
    this.#pairs = new Set(renames.flatMap(({ from, to }) => (to === undefined ? [] : keyOf(from, to))))
    const byTime = renames.toSorted((a, b) => a.at - b.at)
    for (const { at, from, to } of byTime.toReversed()) {
      const final = to === undefined ? from : (this.#byName.get(to)?.at(-1)?.final ?? to)
      const known = this.#byName.get(from)
      if (known) known.push({ at, final })
      else this.#byName.set(from, [{ at, final }])
    }
    for (const ofName of this.#byName.values()) ofName.reverse()
  }

  /** What a column is called now that had this name at a moment; the name itself where it leads nowhere. */
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

  /** Whether a column was ever renamed so. */
  has(from: string, to: string): boolean {
    return this.#pairs.has(keyOf(from, to))
  }
}
