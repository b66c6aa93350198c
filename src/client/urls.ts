/** From paths of the API and their parameters to URLs. */

/** Path and query parameters, as options have them. */
export interface Parameters {
  path?: Readonly<Record<string, string | number>>
  query?: Readonly<Record<string, unknown>>
}

/**
 * One segment of a path.
 * @throws TypeError for what would make it another path: a value may come from elsewhere, and browsers and Node resolve
 * `..`, however it is written
 */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (text === '' || text === '.' || text === '..') throw new TypeError(`path.${name}: '${text}' is no id`)
  return encodeURIComponent(text)
}

/** A path with its parameters. @throws TypeError for a value that is none */
export const fillPath = (template: string, path: Parameters['path']): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, path?.[name]))

/** A query with its `?`: several values by repeating the name, none for undefined. */
function queryText(query: Parameters['query']): string {
  const text = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) =>
      [value]
        .flat()
        .filter((one) => one !== undefined)
        .map((one): [string, string] => [name, String(one)]),
    ),
  ).toString()
  return text === '' ? '' : `?${text}`
}

/** The path and query of a request. @throws TypeError for a path parameter that is none */
export const targetOf = (template: string, { path, query }: Parameters): string =>
  fillPath(template, path) + queryText(query)

/**
 * The base of all URLs, without a slash at its end.
 * @throws TypeError for what is no URL, or a path outside a browser
 */
export function baseOf(baseUrl: string): string {
  const page = (globalThis as { location?: { href: string } }).location?.href
  if (!URL.canParse(baseUrl, page)) {
    throw new TypeError(`baseUrl '${baseUrl}' is no URL; a path is one only in a browser`)
  }
  return baseUrl.replace(/\/+$/, '')
}
