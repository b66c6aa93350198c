import type { Options, Requests } from './requests.ts'

/** Records per page. */
const LIMIT = 200

/**
 * The cursor of the next page. Only the cursor of the `Link` is used: a proxy may have changed the path, and no response may
 * direct the token to another host.
 */
function nextCursor(link: string | null): string | undefined {
  const links = [...(link ?? '').matchAll(/<([^<>]*)>([^,<]*)/g)]
  const [, target] = links.find(([, , parameters = '']) => /\brel="?next\b/.test(parameters)) ?? []
  return new URLSearchParams(target?.split('?')[1]).get('cursor') ?? undefined
}

/** The records of a page: a list, or the results of a search. */
const recordsOf = (data: unknown): unknown[] => (Array.isArray(data) ? data : Object(data).results)

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
    yield* recordsOf(data)
    cursor = nextCursor(headers.get('link'))
  } while (cursor !== undefined)
}
