/** A client of the stream of changes, as a browser's EventSource is: it reads events, and resumes where it was. */
import { type Agent, get, type IncomingMessage } from 'node:http'

/** An event. */
export interface StreamEvent {
  type: string
  id: string
  data: string
}

/** What is read from a stream, by the rules of WHATWG. */
export class EventParser {
  lastEventId: string | undefined
  comments = 0
  #rest = ''
  readonly #dispatch: (event: StreamEvent) => void

  constructor(dispatch: (event: StreamEvent) => void) {
    this.#dispatch = dispatch
  }

  /** Reads what has come. */
  read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    for (const block of blocks) this.#block(block)
  }

  #block(block: string): void {
    let [type, data] = ['message', '']
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
      if (field === '') this.comments++
      else if (field === 'id') this.lastEventId = value
      else if (field === 'event') type = value
      else if (field === 'data') data += value
    }
    if (data !== '') this.#dispatch({ type, data, id: this.lastEventId ?? '' })
  }
}

/** One connection to a stream. */
export interface Connection {
  response: IncomingMessage
  parser: EventParser
  /** Resolves when it has ended, whoever ended it. */
  ended: Promise<void>
  close: () => void
}

/**
 * Connects to a stream.
 * @param lastEventId where to go on
 * @returns the connection, when the answer has begun
 * @throws where it does not begin, or is none of a stream
 */
export function connectStream(
  url: string,
  dispatch: (event: StreamEvent) => void,
  { headers = {}, lastEventId, agent }: { headers?: object; lastEventId?: string; agent?: Agent } = {},
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const request = get(url, {
      ...(agent && { agent }),
      headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      if (response.statusCode !== 200) {
        request.destroy()
        reject(new Error(`the stream is answered with ${response.statusCode}`))
        return
      }
      const parser = new EventParser(dispatch)
      response.setEncoding('utf8').on('data', (text) => parser.read(text))
      response.on('error', () => undefined)
      const ended = new Promise<void>((end) => {
        response.on('close', end)
      })
      resolve({ response, parser, ended, close: () => request.destroy() })
    })
  })
}
