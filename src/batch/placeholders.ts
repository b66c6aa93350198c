/** Placeholders in the requests of a batch: `{{name.field}}` is replaced by a field of an earlier result. */
import { ApiError, invalidField } from '../errors.ts'
import { isObjectOrArray, parseJson } from '../json.ts'

/** The pattern of result names. */
export const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_-]{0,49}$'

/** The name, and the dotted path of the field: names and indices. */
const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_-]{0,49})\.([^{}]+)\}\}/g
const ONLY_PLACEHOLDER = new RegExp(`^(?:${PLACEHOLDER.source})$`)

/** Largest result that placeholders may reference, in characters of JSON: parsing a larger one would take too long. */
const RESULT_LIMIT = 1024 * 1024

/** Deepest nesting of a body: more than any field may have. */
const DEPTH_LIMIT = 200

type Field = string | number | boolean | null | object

/** The named results of a batch so far, and their substitution in requests. */
export class NamedResults {
  readonly #texts = new Map<string, string>()
  readonly #values = new Map<string, unknown>()
  readonly #limit: number
  /** Characters that the current request may still substitute. */
  #left = 0

  /** @param limit characters that the placeholders of one request may be replaced by: the limit of a body */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Adds a named result. @param text its body, as JSON */
  set(name: string, text: string): void {
    this.#texts.set(name, text)
  }

  /**
   * A path with its placeholders replaced by percent-encoded values.
   * @throws ApiError 400, 413
   */
  intoPath(path: string): string {
    this.#left = this.#limit
    return this.#intoText(path, 'path', (text) => encodeURIComponent(text.toWellFormed()))
  }

  /**
   * A body with the placeholders in its strings replaced; the body itself if it has none.
   * @throws ApiError 400, 413
   */
  intoBody(body: object): object {
    this.#left = this.#limit
    return this.#intoObject(body, DEPTH_LIMIT)
  }

  /** @param field the name of the field for errors; by default that of each */
  #intoObject(object: object, levels: number, field?: string): object {
    const replaced: [string, unknown][] = []
    // An object may have a hundred thousand fields, whose entries take four times as long.
    for (const name of Object.keys(object)) {
      const value: unknown = Reflect.get(object, name)
      const put = this.#into(value, field ?? name, levels)
      if (put !== value) replaced.push([name, put])
    }
    return replaced.length === 0 ? object : { ...object, ...Object.fromEntries(replaced) }
  }

  #into(value: unknown, field: string, levels: number): unknown {
    if (typeof value === 'string') return value.includes('{{') ? this.#intoString(value, field) : value
    if (!isObjectOrArray(value)) return value
    if (levels === 0) throw invalidField(field, `must NOT be nested deeper than ${DEPTH_LIMIT} levels`)
    if (!Array.isArray(value)) return this.#intoObject(value, levels - 1, field)
    const values = value.map((one) => this.#into(one, field, levels - 1))
    return values.every((one, index) => one === value[index]) ? value : values
  }

  /** A string that is only a placeholder gets the value with its type. */
  #intoString(text: string, field: string): unknown {
    const [placeholder, name = '', path = ''] = ONLY_PLACEHOLDER.exec(text) ?? []
    if (placeholder === undefined) return this.#intoText(text, field, (part) => part)
    const value = this.#fieldOf(placeholder, name, path, field)
    if (typeof value === 'string') return this.#take(value)
    // A copy, since validation changes values in place; parsed like any body.
    return parseJson(this.#take(JSON.stringify(value)))
  }

  #intoText(text: string, field: string, encode: (text: string) => string): string {
    return text.replaceAll(PLACEHOLDER, (placeholder, name: string, path: string) => {
      const value = this.#fieldOf(placeholder, name, path, field)
      if (typeof value === 'object') throw invalidField(field, `${placeholder} is no text or number`)
      return this.#take(encode(String(value)))
    })
  }

  #take(text: string): string {
    this.#left -= text.length
    if (this.#left < 0) throw new ApiError(413, 'Payload Too Large')
    return text
  }

  #fieldOf(placeholder: string, name: string, path: string, field: string): Field {
    let value = this.#resultOf(placeholder, name, field)
    for (const key of path.split('.')) {
      const isOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      // `length` of an array is not a field.
      if (!isOwn || (Array.isArray(value) && key === 'length')) {
        throw invalidField(field, `${placeholder} is no field of that result`)
      }
      value = (value as Record<string, unknown>)[key]
    }
    return value as Field
  }

  #resultOf(placeholder: string, name: string, field: string): unknown {
    const text = this.#texts.get(name)
    if (text === undefined) throw invalidField(field, `${placeholder} is of no earlier result`)
    if (text.length > RESULT_LIMIT) throw invalidField(field, `${placeholder} is of too large a result`)
    if (!this.#values.has(name)) this.#values.set(name, JSON.parse(text))
    return this.#values.get(name)
  }
}
