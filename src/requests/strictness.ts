/** Strict handling, requested by the header `Prefer: handling=strict` (RFC 7240, section 4.4). */
import type { FastifyReply, FastifyRequest } from 'fastify'

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (isQuoted && character === '\\') index++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...parts, text.slice(start)]
}

const unquote = (word: string): string =>
  word.length > 1 && word.startsWith('"') && word.endsWith('"')
    ? word.slice(1, -1).replaceAll(/\\(.)/gs, '$1')
    : word

/** A preference without its parameters. */
const PREFERENCE = /^[ \t]*([^ \t=]+)[ \t]*(?:=(.*))?$/s

/**
 * Whether the values of a request's `Prefer` headers, joined by commas, request strict handling. The first of several preferences
 * with one name applies; malformed ones are ignored.
 */
export function prefersStrict(header: string): boolean {
  for (const preference of splitOutsideQuotes(header, ',')) {
    const [, name, value = ''] = PREFERENCE.exec(splitOutsideQuotes(preference, ';')[0] ?? '') ?? []
    // RFC 5234: literals of a grammar are case-insensitive.
    if (name?.toLowerCase() === 'handling') return unquote(value.trim()).toLowerCase() === 'strict'
  }
  return false
}

/** Whether to handle a request strictly. */
export function isStrict({ raw: { headers } }: FastifyRequest): boolean {
  const { prefer } = headers
  return prefer !== undefined && prefersStrict(String(prefer))
}

/** Says so in every response, errors too. */
export function confirmStrictness(request: FastifyRequest, reply: FastifyReply): void {
  if (isStrict(request)) reply.header('preference-applied', 'handling=strict')
}
