const canDecode = (text: string) => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * Makes a request target decodable, so that an id may be any string: a path segment with malformed percent-encoding is
 * taken literally.
 * @param url the request target, path and query
 * @returns the same target, with the percent signs of malformed segments encoded
 */
export function repairUrl(url: string): string {
  const [path = '', ...query] = url.split('?')
  if (canDecode(path)) return url
  const repaired = path
    .split('/')
    .map((segment) => (canDecode(segment) ? segment : segment.replaceAll('%', '%25')))
    .join('/')
  return [repaired, ...query].join('?')
}

/** The target for routing a request. */
export const rewriteUrl = ({ url = '/' }: { url?: string | undefined }): string =>
  url.includes('%') ? repairUrl(url) : url
