import type { Options, Requests } from './requests.ts'

/** Records on a page. */
const LIMIT = 200

/**
 * The cursor of the next page. Only that is taken from the `Link`: a proxy may have given the service another path than
 * it knows of, and no answer leads a token elsewhere.
 */
function nextCursor(link: string | null): string | undefined {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?next\b/.exec(link ?? '') ?? []
  return new URLSearchParams(target?.split('?')[1]).get('cursor') ?? undefined
}

/** Reads a list page by page. */
export async function* readPages(
  requests: Requests,
  path: string,
  options: Options = {},
): AsyncGenerator<unknown, void, undefined> {
  let cursor: string | undefined
  do {
    const query = { limit: LIMIT, ...options.query, cursor }
    const { data, headers } = await requests.send('get', path, { ...options, query })
    yield* data as unknown[]
    cursor = nextCursor(headers.get('link'))
  } while (cursor !== undefined)
}
