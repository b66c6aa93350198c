/**
 * Converts rows to lines of JSON and back without loss: SQLite's type, all digits of a
 * number, each byte of a text. Other tools write the file too, so every value that SQLite can store has a form here.
 */
import { isUtf8 } from 'node:buffer'
import type { ArchiveField } from './archive-tables.ts'

/** A value as SQLite stores it. Text that is not valid UTF-8 is in `text`, byte for byte. */
export type StoredValue = null | bigint | number | string | Uint8Array | { text: Buffer }

/** JSON objects for values that JSON cannot represent. */
const MARKED = /^\{"(blob|text)":"((?:[0-9A-F]{2})*)"\}$/
const MAY_BE_MARKED = /^\{"(?:blob|text)":/

/** A real number: always with a point or an exponent, to distinguish it from an integer. JSON has no infinity, but numbers out of range. */
function realText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '9e999' : '-9e999'
  const text = String(value)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

/** Whether text is a JSON object or array on one line, which can be embedded unchanged. */
function isPlainJson(text: string): boolean {
  if (!/^[[{]/.test(text) || /[\n\r]/.test(text) || MAY_BE_MARKED.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export function toJson(value: StoredValue, { type }: Pick<ArchiveField, 'type'>): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') {
    return type === 'flag' && (value === 0n || value === 1n) ? String(value === 1n) : String(value)
  }
  if (typeof value === 'number') return realText(value)
  if (typeof value === 'string') return type === 'json' && isPlainJson(value) ? value : JSON.stringify(value)
  const [mark, bytes] = value instanceof Uint8Array ? ['blob', value] : ['text', value.text]
  return `{"${mark}":"${Buffer.from(bytes).toString('hex').toUpperCase()}"}`
}

/** A row as a line. */
export const toLine = (values: readonly StoredValue[], fields: readonly ArchiveField[]): string =>
  `{${fields.map((field, index) => `${JSON.stringify(field.name)}:${toJson(values[index] ?? null, field)}`).join()}}\n`

/** The end of a string that begins at an index of a line. */
function endOfString(line: string, from: number): number {
  for (let at = line.indexOf('"', from + 1); at !== -1; at = line.indexOf('"', at + 1)) {
    let backslashes = 0
    while (line[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
  return line.length
}

const NESTING: Record<string, number> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/** The end of the value that begins at an index of a line. */
function endOfValue(line: string, from: number): number {
  let depth = 0
  for (let at = from; at < line.length; ) {
    const character = line[at] as string
    if (character === '"') at = endOfString(line, at)
    else {
      if (depth === 0 && (character === ',' || character === '}')) return at
      depth += NESTING[character] ?? 0
      at++
    }
    if (depth === 0 && NESTING[character] === -1) return at
  }
  return line.length
}

const [SMALLEST, LARGEST] = [-(2n ** 63n), 2n ** 63n - 1n]

/** The number in a text. @throws SyntaxError if it is invalid, or no SQLite integer */
function numberOf(text: string): bigint | number {
  if (!/^-?\d+$/.test(text)) return Number(JSON.parse(text))
  const integer = BigInt(text)
  if (integer < SMALLEST || integer > LARGEST) throw new SyntaxError('an integer is too large')
  return integer
}

/** Longest embedded JSON, in characters: parsed it takes many times as much memory. */
export const PLAIN_LIMIT = 4 * 1024 * 1024

/** The value of JSON. @throws SyntaxError for JSON that no export writes there; RangeError if it is too long */
function fromJson(json: string, { name, type }: ArchiveField): StoredValue {
  const first = json[0]
  if (json === 'null') return null
  if (json === 'true' || json === 'false') {
    if (type === 'flag') return json === 'true' ? 1n : 0n
  } else if (first === '"') {
    const text = JSON.parse(json) as string
    if (text.isWellFormed()) return text
  } else if (first === '{' || first === '[') {
    const [, mark, digits = ''] = MARKED.exec(json) ?? []
    if (mark !== undefined) {
      const bytes = Buffer.from(digits, 'hex')
      return mark === 'blob' ? bytes : { text: bytes }
    }
    if (json.length > PLAIN_LIMIT)
      throw new RangeError(`${name} must not have more than ${PLAIN_LIMIT} bytes`)
    if (type === 'json' && isPlainJson(json)) return json
  } else if (first !== undefined) return numberOf(json)
  throw new SyntaxError(`${name} has an invalid value`)
}

/**
 * Reads a line of {@link toLine}: exactly these fields, in this order, without spaces.
 * @returns the values, by field
 * @throws SyntaxError for any other; RangeError for one that is too large
 */
export function fromLine(bytes: Buffer, fields: readonly ArchiveField[]): StoredValue[] {
  if (!isUtf8(bytes)) throw new SyntaxError('it is not UTF-8')
  const line = bytes.toString()
  let at = 0
  const values = fields.map((field, index) => {
    const head = `${index === 0 ? '{' : ','}${JSON.stringify(field.name)}:`
    if (!line.startsWith(head, at)) throw new SyntaxError(`${field.name} is missing or out of order`)
    const from = at + head.length
    at = endOfValue(line, from)
    return fromJson(line.slice(from, at), field)
  })
  if (line.slice(at) !== '}') throw new SyntaxError('it goes on after its last field')
  return values
}
