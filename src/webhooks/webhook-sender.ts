/** Sends a message by Standard Webhooks (https://www.standardwebhooks.com): one signed POST, and its response. */
import { createHmac } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { Clock } from '../clock.ts'
import { version } from '../package-files.ts'
import { createHostLookup, type HostLookup, type Seeker, WAITED } from './host-lookup.ts'
import { guardedLookup, hasRefusedAddress, REFUSED_ADDRESS } from './webhook-urls.ts'

/** Timeout of a delivery, in milliseconds: connecting, sending, and the whole response. */
const TIMEOUT = 10_000

const TOO_LATE = `no complete answer within ${TIMEOUT / 1000} seconds`

/** Stored bytes of a response's body. */
const KEPT = 1024

/** Milliseconds after which an unused connection is closed. */
const IDLE = 30_000

/** A message to deliver. */
export interface Message {
  /** The same for each attempt, so that receivers recognise repetitions. */
  id: string
  url: string
  /** The signing secrets: the current one, and after a rotation the previous one; none for a chat, which verifies nothing. */
  secrets: readonly string[]
  /** JSON in UTF-8. */
  body: Buffer
}

/** The result of an attempt. */
export interface Attempt {
  /** The response's status; null without a response. */
  status: number | null
  /** Why it failed; null for a 2xx. */
  error: string | null
  /** The beginning of the response's body. */
  response: string
  /** Duration in milliseconds. */
  duration: number
}

/** Delivers a message. It never rejects; an abort is a failure. */
export type Send = (message: Message, signal: AbortSignal) => Promise<Attempt>

/** A sender of messages, and its connections. */
export interface Sender {
  send: Send
  /** Closes all connections. */
  close: () => void
}

/**
 * Runs a piece of work, of some milliseconds at most: at once or, if this turn of the event loop has no time left, in one of the next.
 * @param who the key: keys take turns
 */
export type InTurn = <T>(who: string, work: () => T) => T | Promise<T>

/** The dependencies of the sender. */
export interface SenderOptions {
  clock: Clock
  inTurn: InTurn
  /** Whether private addresses are allowed. */
  allowsPrivate: boolean
  /** The lookup of host names. */
  lookup?: HostLookup
}

/** The signature of a message with a secret: `whsec_` and the key in Base64. */
function signatureOf(secret: string, { id, body }: Message, time: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')}`
}

/** The reason of a failure status; null for a success. */
function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `${status}: redirects are not followed` : `the answer was ${status}`
}

/** The stored parts of a response. */
type Answer = Pick<Attempt, 'status' | 'response'>

/** Reads the beginning of a body; for a longer one it closes the connection. */
function readAnswer(response: http.IncomingMessage, done: (answer: Answer) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  const finish = () => {
    const text = Buffer.concat(chunks).subarray(0, KEPT).toString()
    done({ status: response.statusCode ?? null, response: text })
  }
  response.on('data', (chunk: Buffer) => {
    if (size > KEPT) return
    chunks.push(chunk)
    size += chunk.length
    if (size <= KEPT) return
    finish()
    response.destroy()
  })
  response.on('end', finish)
}

/** A safe description of a connection's error: its code, if any. Never the URL, which may contain a secret. */
const describe = (error: NodeJS.ErrnoException): string => error.code ?? error.message

/**
 * Creates a sender. It reuses connections, follows no redirects, and ignores proxy settings of the
 * environment.
 */
export function createSender({
  clock,
  inTurn,
  allowsPrivate,
  lookup = createHostLookup(),
}: SenderOptions): Sender {
  const options = { keepAlive: true, timeout: IDLE }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }

  function post(url: URL, headers: http.OutgoingHttpHeaders, body: Buffer, seeker: Seeker) {
    const { signal } = seeker
    return new Promise<Answer>((resolve, reject) => {
      const isHttps = url.protocol === 'https:'
      const { request } = isHttps ? https : http
      const agent = agents[isHttps ? 'https:' : 'http:']
      const outgoing = request(url, {
        method: 'POST',
        headers,
        agent,
        signal,
        lookup: guardedLookup(lookup, allowsPrivate, seeker),
      })
      const hasEnded = () => reject(new Error('the connection ended before the answer did'))
      outgoing.on('response', (response) => {
        outgoing.off('close', hasEnded)
        response.on('error', reject).on('close', hasEnded)
        readAnswer(response, resolve)
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The receiver closed the idle connection at that moment, so the request never reached it.
        const wasStale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        if (!wasStale || signal.aborted) return reject(error)
        outgoing.off('close', hasEnded)
        post(url, headers, body, seeker).then(resolve, reject)
      })
      // Something else than a response, such as a protocol switch, ends without either event.
      outgoing.on('close', hasEnded)
      outgoing.end(body)
    })
  }

  async function answerTo(message: Message, seeker: Seeker): Promise<Answer> {
    const { id, body, secrets } = message
    const url = new URL(message.url)
    if (!allowsPrivate && hasRefusedAddress(url)) throw new Error(REFUSED_ADDRESS)
    // A change goes to many receivers at once, and each signature reads all of its bytes.
    return await inTurn(id, () => {
      const time = String(Math.floor(clock.now() / 1000))
      const headers = {
        'content-type': 'application/json',
        'content-length': body.byteLength,
        'user-agent': `Phaseboard/${version}`,
        ...(secrets.length > 0 && {
          'webhook-id': id,
          'webhook-timestamp': time,
          'webhook-signature': secrets.map((secret) => signatureOf(secret, message, time)).join(' '),
        }),
      }
      return post(url, headers, body, seeker)
    })
  }

  async function send(message: Message, signal: AbortSignal): Promise<Attempt> {
    const started = clock.elapsed()
    const took = () => Math.round(clock.elapsed() - started)
    const ending = new AbortController()
    const stop = () => ending.abort(new Error('the service stopped'))
    const seeker: Seeker = { signal: ending.signal, isWaiting: () => false }
    const giveUp = () => ending.abort(new Error(seeker.isWaiting() ? WAITED : TOO_LATE))
    const stopTimer = clock.after(TIMEOUT, giveUp)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      const { status, response } = await answerTo(message, seeker)
      return { status, error: problemOf(Number(status)), response, duration: took() }
    } catch (error) {
      const cause = ending.signal.aborted ? ending.signal.reason : error
      return { status: null, error: describe(cause), response: '', duration: took() }
    } finally {
      stopTimer()
      signal.removeEventListener('abort', stop)
    }
  }

  return {
    send,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
