/** A client of the stream of changes that works like a browser's EventSource: it reads events, and resumes after the last one. */
import { type Agent, get, type IncomingMessage } from 'node:http'

export interface StreamEvent {
  type: string
  id: string
  data: string
}

/** Parses a stream by the WHATWG rules. */
class EventParser {
  lastEventId: string | undefined
  comments = 0
  #rest = ''
  readonly #dispatch: (event: StreamEvent) => void

  constructor(dispatch: (event: StreamEvent) => void) {
    this.#dispatch = dispatch
  }

  /** Parses the received data. */
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
  /** Resolves when it has ended, on either side. */
  ended: Promise<void>
  close: () => void
}

/**
 * Connects to a stream.
 * @param lastEventId the event to resume after
 * @returns the connection, once the response has started
 * @throws if there is no response, or it is not a stream
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
