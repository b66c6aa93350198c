/** Metadata of a project or an item for values without a field in Phaseboard. */
import type { JsonObject } from '../../json.ts'
import { JSON_TEXT_LIMIT } from '../../schemas/common.ts'
import type { SourceLink } from '../sources/source-board.ts'
import { shorten } from './names.ts'

/** Bytes reserved for the names of omitted fields: twenty of at most fifty characters. */
const ROOM_FOR_OMITTED = 8192

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/**
 * Another tool's data without a field in Phaseboard, as metadata. It stays within the limit for clients, so that a client
 * can read an item and write it back: the largest fields are omitted, and named in `omitted`.
 * @param format its key
 * @param links of the card, in whatever tool: under `links`
 */
export function toMetadata(
  format: string,
  rest: JsonObject,
  links: readonly SourceLink[] = [],
): Record<string, JsonObject> {
  const whole = { [format]: rest, ...(links.length > 0 && { links }) } as Record<string, JsonObject>
  if (bytes(whole) <= JSON_TEXT_LIMIT) return whole
  if (links.length > 0) return toMetadata(format, { ...rest, links })
  const fields = Object.entries(rest).map(([name, value]) => ({ name, size: bytes({ [name]: value }) }))
  let room = JSON_TEXT_LIMIT - ROOM_FOR_OMITTED
  const omitted: string[] = []
  const kept: [string, unknown][] = []
  for (const { name, size } of fields.toSorted((a, b) => a.size - b.size)) {
    room -= size
    if (room >= 0) kept.push([name, rest[name]])
    else omitted.push(shorten(name, 50))
  }
  return { [format]: { ...Object.fromEntries(kept), omitted: omitted.slice(0, 20) } }
}

/** Adds fields under a format to metadata, if it stays within the limit. */
export function addIfItFits(
  metadata: Record<string, JsonObject>,
  format: string,
  fields: JsonObject,
): Record<string, JsonObject> {
  const more = { ...metadata, [format]: { ...metadata[format], ...fields } }
  return bytes(more) <= JSON_TEXT_LIMIT ? more : metadata
}

/** Whether {@link toMetadata} omitted fields. */
export const isTrimmed = (metadata: Record<string, JsonObject>): boolean =>
  Object.values(metadata).some((rest) => 'omitted' in rest)
