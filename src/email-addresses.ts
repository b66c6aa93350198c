/** Email addresses in texts from elsewhere. All of this is linear in the text. */

/** Characters on which no address goes on. */
const ENDS: ReadonlySet<string> = new Set(' \t\r\n\u00a0<>()[]{},;:|')

/** Punctuation around an address that does not belong to it. */
const AROUND: ReadonlySet<string> = new Set('"\'`.!?*_')

/** An address in a text: its place, and the place of its `@`. */
interface Place {
  begin: number
  at: number
  end: number
}

function* placesIn(text: string): Generator<Place> {
  let from = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', from)) {
    let begin = at
    while (begin > from && !ENDS.has(text[begin - 1] as string)) begin--
    let end = at + 1
    // Several with no space in between count as one.
    while (end < text.length && !ENDS.has(text[end] as string)) end++
    from = end
    while (begin < at && AROUND.has(text[begin] as string)) begin++
    while (end > at + 1 && AROUND.has(text[end - 1] as string)) end--
    if (begin < at && end > at + 1) yield { begin, at, end }
  }
}

/** The addresses in a text, in lower case: equal for equal addresses. */
export const addressesIn = (text: string): string[] =>
  [...placesIn(text)].map(({ begin, end }) => text.slice(begin, end).toLowerCase())

/** Whether a text contains an address, or something like one. */
export const holdsAddress = (text: string): boolean => !placesIn(text).next().done

/**
 * A text in which each address is replaced by its part before the `@`.
 * @param isMeant which addresses, in lower case; all by default
 */
export function withoutAddresses(text: string, isMeant: (address: string) => boolean = () => true): string {
  const parts: string[] = []
  let from = 0
  for (const { begin, at, end } of placesIn(text)) {
    if (!isMeant(text.slice(begin, end).toLowerCase())) continue
    parts.push(text.slice(from, at))
    from = end
  }
  return from === 0 ? text : [...parts, text.slice(from)].join('')
}

/** A name followed by an address, as in mail programs. */
const NAME_AND_ADDRESS = /^([^<>]*)<([^<>]*)>\s*$/

/** What to call somebody by a text: `Ann Smith` for `Ann Smith <ann@acme.example>`, `ann` for `ann@acme.example`. */
export function nameIn(text: string): string {
  const [, name = '', address = ''] = NAME_AND_ADDRESS.exec(text) ?? []
  if (!holdsAddress(address)) return withoutAddresses(text)
  return withoutAddresses(name.trim() || address)
}

/** The same value with {@link withoutAddresses} in every text, and in the names of fields. */
export function withoutAddressesIn<T>(value: T, isMeant: (address: string) => boolean): T
export function withoutAddressesIn(value: unknown, isMeant: (address: string) => boolean): unknown {
  if (typeof value === 'string') return withoutAddresses(value, isMeant)
  if (Array.isArray(value)) return value.map((one) => withoutAddressesIn(one, isMeant))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]) => [
    withoutAddresses(name, isMeant),
    withoutAddressesIn(one, isMeant),
  ])
  return Object.fromEntries(entries)
}

/** Names of fields and columns in which other tools name people. */
const OF_PEOPLE =
  /assign|owner|reporter|creator|created ?by|updated ?by|author|responsible|watcher|participant|members?$|users?$|bearbeiter|ersteller|autor|melder|verantwortlich|zugewiesen/i

/** The addresses in a value, and in the names of its fields. */
function* addressesWithin(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* addressesIn(value)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      if (!Array.isArray(value)) yield* addressesIn(name)
      yield* addressesWithin(one)
    }
  }
}

/** The addresses in the fields that name people of a record of another tool. */
export function* addressesOfPeople(record: object): Generator<string> {
  for (const [name, value] of Object.entries(record)) if (OF_PEOPLE.test(name)) yield* addressesWithin(value)
}
