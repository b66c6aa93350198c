/**
 * Sort keys of titles and names: bytes with the order of `Intl.Collator`, numbers by their value
 * ("Step 9" before "Step 10"). JavaScript has no access to ICU's sort keys, so the weights of letters are derived from the
 * collator, lazily and once. Letters of scripts other than Latin, Greek and Cyrillic are in Unicode order.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { once } from '../once.ts'
import type { SharedDatabase } from './client.ts'

/** A fixed locale: the order of a list must not depend on the environment. */
const LOCALE = 'en'

/** Code points with the collator's order: Latin, Greek, Cyrillic, punctuation and symbols. */
const LEARNT: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20c0],
  [0x2190, 0x21ff],
]

/** Letters that sort like several, and behind them with any accent. */
const EXPANSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ĳ: 'ij', Ĳ: 'IJ' }),
)

/** Those of them that differ from the several letters like a capital does, not like an accent. */
const WITHOUT_ACCENT = 'ĳĲ'

/** Code points from here on have no derived weights. */
const UNLEARNT = 0x2200

/** The weights of letters, by code point: base letter, then accent, then case. 0: unknown. */
interface Weights {
  primary: Uint16Array
  secondary: Uint8Array
  tertiary: Uint8Array
}

/** Beyond all accents and cases of a letter. */
const LAST = 0xff

const collator = (sensitivity: Intl.CollatorOptions['sensitivity']) =>
  new Intl.Collator(LOCALE, { sensitivity })

/** Derives the weights of letters from the collator, in some 20 ms. */
const learn = once((): Weights => {
  const [base, accent, variant] = [collator('base'), collator('accent'), collator('variant')]
  const letters = LEARNT.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  )
    .filter((letter) => letter.normalize('NFC') === letter && EXPANSIONS.get(letter) === undefined)
    // Unassigned and ignored code points have no weight.
    .filter((letter) => variant.compare(letter, '') !== 0)
    .sort(variant.compare)
  const weights = {
    primary: new Uint16Array(UNLEARNT),
    secondary: new Uint8Array(UNLEARNT),
    tertiary: new Uint8Array(UNLEARNT),
  }
  const latest = { letter: '', primary: 0, secondary: 0, tertiary: 0 }
  for (const letter of letters) {
    if (base.compare(latest.letter, letter) !== 0) {
      // Odd numbers lie between two letters, and between two cases.
      Object.assign(latest, { primary: latest.primary + 2, secondary: 1, tertiary: 1 })
    } else if (accent.compare(latest.letter, letter) !== 0) {
      Object.assign(latest, { secondary: latest.secondary + 1, tertiary: 1 })
    } else if (variant.compare(latest.letter, letter) !== 0) latest.tertiary += 2
    latest.letter = letter
    const code = letter.charCodeAt(0)
    weights.primary[code] = latest.primary
    weights.secondary[code] = latest.secondary
    weights.tertiary[code] = latest.tertiary
  }
  return weights
})

/** Primary weights beyond the derived ones: of other scripts, and of Chinese characters, which come last. */
const OTHERS = 0xfff0
const HAN = 0xfff1

const isHan = /\p{Script=Han}/u
const isWord = /[\p{L}\p{N}]/u
const isSymbol = /[\p{S}\p{P}\p{Z}]/u
const isMark = /\p{M}/u

const [ZERO, NINE] = [0x30, 0x39]
const isDigit = (code: number) => code >= ZERO && code <= NINE

/** Significant characters of a text: more than any title has. */
const COUNTING = 600

/** Writes one key after the other. */
class KeyWriter {
  readonly #weights = learn()
  /** A number's primary weight is its length and its digits, with two bytes each. */
  readonly #primaries = new Uint8Array(COUNTING * 8 + 8)
  readonly #secondaries = new Uint8Array(COUNTING * 2 + 2)
  readonly #tertiaries = new Uint8Array(COUNTING * 2 + 2)
  /** Bytes of primary weights, and letters. */
  #bytes = 0
  #letters = 0

  /** @param text in NFC, truncated to the significant characters */
  write(text: string): Buffer {
    this.#bytes = 0
    this.#letters = 0
    for (let at = 0; at < text.length; ) at = this.#add(text, at)
    if (this.#bytes === 0) return Buffer.alloc(0)
    const key = Buffer.alloc(this.#bytes + 2 + this.#letters + 1 + this.#letters)
    key.set(this.#primaries.subarray(0, this.#bytes))
    key.set(this.#secondaries.subarray(0, this.#letters), this.#bytes + 2)
    key.set(this.#tertiaries.subarray(0, this.#letters), this.#bytes + 2 + this.#letters + 1)
    return key
  }

  /** Adds the character at an index. @returns the next index */
  #add(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (isDigit(code)) return this.#addNumber(text, at)
    if (code < UNLEARNT && this.#weights.primary[code]) {
      this.#addLearnt(code)
      return at + 1
    }
    const letter = String.fromCodePoint(text.codePointAt(at) as number)
    const several = EXPANSIONS.get(letter)
    if (several === undefined) this.#addOther(letter)
    else this.#addSeveral(several, !WITHOUT_ACCENT.includes(letter))
    return at + letter.length
  }

  #addSeveral(letters: string, isAccented: boolean): void {
    for (let at = 0; at < letters.length; at++) {
      const code = letters.charCodeAt(at)
      this.#addPrimary(this.#weights.primary[code] as number)
      this.#addLetter(
        isAccented && at === 0 ? LAST : (this.#weights.secondary[code] as number),
        (this.#weights.tertiary[code] as number) + 1,
      )
    }
  }

  #addLearnt(code: number): void {
    this.#addPrimary(this.#weights.primary[code] as number)
    this.#addLetter(this.#weights.secondary[code] as number, this.#weights.tertiary[code] as number)
  }

  /** By its value: of two numbers the longer one is greater. */
  #addNumber(text: string, from: number): number {
    let first = from
    while (text.charCodeAt(first) === ZERO && isDigit(text.charCodeAt(first + 1))) first++
    let end = first
    while (isDigit(text.charCodeAt(end))) end++
    this.#addPrimary(this.#weights.primary[ZERO] as number)
    this.#addPrimary(end - first)
    for (let at = first; at < end; at++) this.#addPrimary(text.charCodeAt(at))
    this.#addLetter(1, 1)
    return end
  }

  #addOther(letter: string): void {
    if (isWord.test(letter)) {
      const lower = letter.toLowerCase()
      this.#addPrimary(isHan.test(letter) ? HAN : OTHERS)
      this.#addCode(lower)
      this.#addLetter(1, lower === letter ? 1 : 3)
    } else if (isSymbol.test(letter)) {
      this.#addPrimary((this.#weights.primary[ZERO] as number) - 1)
      this.#addCode(letter)
      this.#addLetter(1, 1)
    } else if (isMark.test(letter)) this.#addLetter(LAST, 1)
  }

  #addPrimary(weight: number): void {
    this.#primaries[this.#bytes++] = weight >> 8
    this.#primaries[this.#bytes++] = weight & 0xff
  }

  #addCode(letter: string): void {
    const code = letter.codePointAt(0) as number
    this.#addPrimary(code >> 16)
    this.#addPrimary(code & 0xffff)
  }

  #addLetter(secondary: number, tertiary: number): void {
    this.#secondaries[this.#letters] = secondary
    this.#tertiaries[this.#letters++] = tertiary
  }
}

const writer = once(() => new KeyWriter())

/** The sort key of a text; empty for a text of ignored characters. */
export const collationKey = (text: string): Buffer =>
  writer().write(text.slice(0, COUNTING).normalize('NFC').slice(0, COUNTING))

/** Significant bytes of a key; the cursor contains them. */
const KEY_BYTES = 2000

/** Makes it available to the statements of a connection. */
export function defineCollation(db: SharedDatabase): void {
  let latest = { text: '', key: null as Buffer | null }
  db.$client.function('collation_key', { deterministic: true }, (value: unknown) => {
    // Another tool may have stored bytes.
    const text = String(value ?? '')
    if (text !== latest.text) {
      const key = collationKey(text)
      latest = { text, key: key.length === 0 ? null : key.subarray(0, KEY_BYTES) }
    }
    return latest.key
  })
}

/** The key of a title or name; empty for an empty one. */
export const nameKey = (column: SQLiteColumn): SQL => sql`collation_key(${column})`
