/** Builds URLs from paths of the API and their parameters. */

/** Path and query parameters, as in options. */
export interface Parameters {
  path?: Readonly<Record<string, string | number>>
  query?: Readonly<Record<string, unknown>>
}

/**
 * One segment of a path.
 * @throws TypeError for a value that would change the path: it may come from an untrusted source, and browsers and Node resolve
 * `..` in any encoding
 */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (text === '' || text === '.' || text === '..') throw new TypeError(`path.${name}: '${text}' is no id`)
  return encodeURIComponent(text)
}

/** A path with its parameters. @throws TypeError for an invalid value */
const fillPath = (template: string, path: Parameters['path']): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, path?.[name]))

/** A query with its `?`: several values repeat the name, undefined ones are omitted. */
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

/** The path and query of a request. @throws TypeError for an invalid path parameter */
export const targetOf = (template: string, { path, query }: Parameters): string =>
  fillPath(template, path) + queryText(query)

/**
 * The base of all URLs, without a trailing slash.
 * @throws TypeError for an invalid URL, or a path outside a browser
 */
export function baseOf(baseUrl: string): string {
  const page = (globalThis as { location?: { href: string } }).location?.href
  if (!URL.canParse(baseUrl, page)) {
    throw new TypeError(`baseUrl '${baseUrl}' is not a URL; a path works only in a browser`)
  }
  return baseUrl.replace(/(?<!\/)\/+$/, '')
}
