/**
 * Folds texts for comparison: NFKD without diacritics, full case folding, and the base of letters with a stroke or hook, as Lucene's
 * `ASCIIFoldingFilter`. `Straße`, `STRASSE` and `strasse` are one, and so are `Łódź` and `lodz`. The service and its page share this file.
 */

/** Letters whose base Unicode's decompositions do not tell, by that base: those of the table of Lucene that languages write. */
const BASES: Readonly<Record<string, string>> = {
  a: 'əⱥ',
  ae: 'æ',
  b: 'ƀɓƃ',
  c: 'ƈȼɕ',
  d: 'ðđɖɗƌȡ',
  e: 'ǝɛɇ',
  f: 'ƒ',
  g: 'ɠǥɡ',
  h: 'ħɦⱨ',
  i: 'ɩɨ',
  j: 'ȷɉʝ',
  k: 'ƙⱪ',
  l: 'łƚɫɬɭⱡ',
  m: 'ɱ',
  n: 'ŋɲƞɳ',
  o: 'øɔɵ',
  oe: 'œ',
  ou: 'ȣ',
  p: 'ƥᵽ',
  q: 'ĸɋʠ',
  r: 'ɍɼɽɾ',
  s: 'ȿʂ',
  t: 'ŧƫƭʈⱦ',
  th: 'þ',
  u: 'ʉ',
  v: 'ʋⱱ',
  w: 'ƿⱳ',
  y: 'ƴɏ',
  z: 'ƶȝȥɀⱬ',
}

const baseOf = new Map(
  Object.entries(BASES).flatMap(([base, letters]) => [...letters].map((one) => [one, base])),
)
const WITH_BASE = new RegExp(`[${[...baseOf.keys()].join('')}]`, 'g')

/**
 * What is left out: diacritics, points and vowel signs that are written or not, and characters that no one sees. Signs that make another
 * letter or syllable (Indic, Thai, the voicing marks of kana) stay, and so does the iota subscript, whose capital is a letter.
 */
const LEFT_OUT = new RegExp(
  `[${[
    // Latin, Greek, Cyrillic, and symbols
    '\\u0300-\\u0344\\u0346-\\u036f\\u0483-\\u0487\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f',
    // Hebrew
    '\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7',
    // Arabic
    '\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670',
    // Soft hyphen, joiners, variation selectors
    '\\u00ad\\u200c\\u200d\\u2060\\ufe00-\\ufe0f\\ufeff',
  ].join('')}]`,
  'g',
)

/** The voicing marks of kana, which belong to the character before them. */
const VOICED = /[\u3099\u309a]/

/** Folds one character with its marks. */
function foldOne(character: string): string {
  const plain = character.normalize('NFKD').replace(LEFT_OUT, '')
  // Twice: the capital of `ß` is `SS`, but the small letter of `ẞ` is `ß`.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  const base = folded
    .normalize('NFKD')
    .replace(LEFT_OUT, '')
    .replace(WITH_BASE, (letter) => baseOf.get(letter) as string)
  return VOICED.test(base) ? base.normalize('NFC') : base
}

/** The foldings of characters outside ASCII, which are few in most texts. */
const known = new Map<string, string>()
const MOST_KNOWN = 20_000

function foldCharacter(character: string): string {
  let folded = known.get(character)
  if (folded === undefined) {
    folded = foldOne(character)
    if (known.size >= MOST_KNOWN) known.clear()
    // A character may have marks without end.
    if (character.length <= 8) known.set(character, folded)
  }
  return folded
}

/** What belongs to the character before it: marks, invisible characters, and the voicing marks of half-width kana. */
const MARKS = '\\p{M}\\u00ad\\u200c\\u200d\\u2060\\ufeff\\uff9e\\uff9f'

/** A character with its marks, or marks alone. */
export const CHARACTER = new RegExp(`[^${MARKS}][${MARKS}]*|[${MARKS}]+`, 'gu')

/** Those that are not ASCII alone: most texts have few. */
const NOT_ASCII = new RegExp(`[^${MARKS}]?[${MARKS}]+|[^\\0-\\x7f]`, 'gu')

/** The folded text: equal for texts that differ only in how they are written; a part of a text folds to a part of it. */
export const fold = (text: string): string => text.replace(NOT_ASCII, foldCharacter).toLowerCase()

/** A character of a script without spaces between words: each is found by itself. */
export const WITHOUT_SPACES =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u
