/** Server-Sent Events from a response. */
import { createParser, type EventSourceMessage, type ParseError } from 'eventsource-parser'

/** Longest event, in characters: far more than a change of the largest records has. */
const MAX_EVENT = 64 * 1024 * 1024

/** An event, or undefined for a comment or a position: a heartbeat. */
export interface Heard {
  /** The received events, perhaps none. */
  events: EventSourceMessage[]
  /** The id of the last of them, or a position sent by the service; undefined for none. */
  id: string | undefined
}

/**
 * Reads a body on demand: at most one piece of it is in memory.
 * @param awaiting is called before each wait for the next piece, and returns a function to call after it
 * @returns the events of each piece
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  awaiting: () => () => void,
): AsyncGenerator<Heard, void, undefined> {
  let heard: Heard = { events: [], id: undefined }
  let failure: ParseError | undefined
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => heard.events.push(event),
    onId: (id) => {
      heard.id = id
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') failure = error
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const awaited = awaiting()
    const { done, value } = await reader.read().finally(awaited)
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
    if (failure) throw failure
    yield heard
    heard = { events: [], id: undefined }
  }
}
