/** Fits names to the service's rules: visible, short enough, and unique if required. */
import { fold } from '../../folding.ts'
import { LIMITS } from '../../schemas/common.ts'
import type { SourceBoard, SourceColumn, SourceLabel } from '../sources/source-board.ts'
import { TooLarge } from '../sources/source-limits.ts'

/** Invisible text: white space, control characters, zero-width and other invisible ones. */
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Whether a text is empty or invisible. */
export const isBlank = (text: string): boolean => BLANK.test(text)

/** A visible name: the name itself, or `(untitled)`. */
export const readableName = (name: string): string => (isBlank(name) ? '(untitled)' : name)

/** What a label's name is compared by: names that differ only in how they are written are one. */
export const nameFold = (name: string): string => fold(name.trim())

/** A text of at most `limit` characters (code points, as the API counts them), cut ones ending with an ellipsis. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  // Only the relevant beginning is examined: a file may have megabytes instead of a name.
  const characters = [...text.slice(0, 2 * limit + 2)]
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
}

/**
 * Most columns and labels of one board: a page shows all of them, and making names unique
 * compares them.
 */
export const NAMED_LIMITS = { columns: 1000, labels: 10_000 }

/** @throws TooLarge */
function refuseMany({ length }: readonly unknown[], what: keyof typeof NAMED_LIMITS): void {
  const most = NAMED_LIMITS[what]
  if (length > most) throw new TooLarge(`it has ${length} ${what}, and a board may have ${most}`)
}

/**
 * Makes names unique within the limit: the first keeps its name, the others become `Name (2)`,
 * `Name (3)`, ... Names are compared after shortening.
 * @param keyOf what names are compared by
 */
function distinctNames<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  limit: number,
  keyOf = (name: string) => name,
): Map<T, string> {
  const wanted = things.map((thing) => ({ thing, name: shorten(nameOf(thing), limit) }))
  const taken = new Set(wanted.map(({ name }) => keyOf(name)))
  const counts = new Map<string, number>()
  const distinct = (name: string): string => {
    const key = keyOf(name)
    let count = counts.get(key) ?? 0
    let shown: string
    do {
      count += 1
      const suffix = ` (${count})`
      shown = count === 1 ? name : shorten(name, limit - suffix.length) + suffix
    } while (count > 1 && taken.has(keyOf(shown)))
    counts.set(key, count)
    taken.add(keyOf(shown))
    return shown
  }
  return new Map(wanted.map(({ thing, name }) => [thing, distinct(name)]))
}

/** The names of a board's columns, including one for cards without a column, with the key undefined. */
export type ColumnNames = ReadonlyMap<SourceColumn | undefined, string>

/** Names the columns of a board, in order; open ones first. @throws TooLarge */
export function nameColumns({
  columns,
  cards,
  nameOfNoColumn = 'No column',
}: Pick<SourceBoard, 'columns' | 'nameOfNoColumn'> & {
  cards: readonly { column: SourceColumn | undefined }[]
}): ColumnNames {
  refuseMany(columns, 'columns')
  const isOneMissing = cards.some(({ column }) => column === undefined)
  const all = [...columns, ...(isOneMissing ? [undefined] : [])]
  const isClosed = (column: SourceColumn | undefined) => column?.isClosed === true
  const names = distinctNames(
    [...all.filter((column) => !isClosed(column)), ...all.filter(isClosed)],
    (column) => (column ? readableName(column.name) : nameOfNoColumn),
    LIMITS.term,
  )
  return new Map(all.map((column) => [column, names.get(column) as string]))
}

/** Names the labels of a board. @throws TooLarge */
export function nameLabels({ labels }: Pick<SourceBoard, 'labels'>): ReadonlyMap<SourceLabel, string> {
  refuseMany(labels, 'labels')
  return distinctNames(labels, ({ name }) => readableName(name), LIMITS.label, nameFold)
}
