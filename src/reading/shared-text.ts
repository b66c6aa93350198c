/**
 * A project as a share link shows it: its serialised response without metadata and transcripts, which programs write and no board shows.
 * The remaining text is copied from the project's text, in small steps: only the positions of the omitted parts are searched for.
 */
import type { TProperties } from '@sinclair/typebox'
import { KanbanItemSchema } from '../schemas/records.ts'
import type { ProjectText } from './project-text.ts'

/** The parts of a project's text that are needed here. */
type Text = Pick<ProjectText, 'body' | 'marks' | 'itemsEnd' | 'places'>

/** Milliseconds of one step. */
const STEP_TIME = 4

/** Examined items, and copied bytes, between two checks of the clock. */
const ITEMS_AT_ONCE = 100
const BYTES_AT_ONCE = 1024 * 1024

const itemFields = Object.keys(KanbanItemSchema.properties as TProperties)

/** The beginning of an item's metadata, and of the next field. In JSON, no text contains an unescaped quotation mark. */
const METADATA = Buffer.from(',"metadata":')
const BEHIND = Buffer.from(`,"${itemFields[itemFields.indexOf('metadata') + 1]}":`)

const EMPTY = Buffer.from('{}')
const NO_TRANSCRIPTS = Buffer.from('],"transcriptSummaries":[],')

/**
 * The position of an item's metadata; undefined if it is empty. Only plain values precede it, so the first occurrence of its name is the field. Only
 * reminders (with fixed fields), labels and subtasks follow the next field, so the last occurrence of that field's name is the field.
 */
function metadataIn(item: Buffer): { start: number; end: number } | undefined {
  const start = item.indexOf(METADATA) + METADATA.length
  const isEmpty = EMPTY.equals(item.subarray(start, start + EMPTY.length))
  return isEmpty ? undefined : { start, end: item.lastIndexOf(BEHIND) }
}

/** The pieces of the shared text, in order; sometimes undefined, to check the clock. */
function* piecesOf({ body, marks, itemsEnd, places }: Text): Generator<Buffer | undefined, undefined> {
  yield body.subarray(0, marks.metadataStart)
  yield EMPTY
  /** The end of the written part. */
  let at = marks.metadataEnd
  for (const [index, place] of places.entries()) {
    if (index % ITEMS_AT_ONCE === 0) yield undefined
    const metadata = metadataIn(body.subarray(place.start, place.end))
    if (metadata === undefined) continue
    yield body.subarray(at, place.start + metadata.start)
    yield EMPTY
    at = place.start + metadata.end
  }
  yield body.subarray(at, itemsEnd)
  yield NO_TRANSCRIPTS
  yield body.subarray(itemsEnd + marks.transcriptsLength)
}

/**
 * Creates the shared text of a project, step by step.
 * @returns each step: undefined, or the text at last
 */
function* making(text: Text): Generator<Buffer | undefined, undefined> {
  const pieces: Buffer[] = []
  let size = 0
  for (const piece of piecesOf(text)) {
    if (piece === undefined) {
      yield undefined
      continue
    }
    pieces.push(piece)
    size += piece.length
  }
  const shared = Buffer.allocUnsafeSlow(size)
  let at = 0
  let unseen = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += BYTES_AT_ONCE) {
      const copied = piece.copy(shared, at, from, Math.min(piece.length, from + BYTES_AT_ONCE))
      at += copied
      unseen += copied
      if (unseen < BYTES_AT_ONCE) continue
      unseen = 0
      yield undefined
    }
  }
  yield shared
}

/**
 * Prepares the shared text of a project.
 * @returns a function that does some milliseconds of the work, and returns the text once it is complete
 */
export function sharedTextOf(text: Text): () => Buffer | undefined {
  const steps = making(text)
  return () => {
    const end = performance.now() + STEP_TIME
    while (performance.now() < end) {
      const { value } = steps.next()
      if (value !== undefined) return value
    }
    return undefined
  }
}
