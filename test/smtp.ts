/** Mail servers in this process, which accept, refuse and break off as tests want. */
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import type { Owner } from './process.ts'
import { until } from './receivers.ts'

/** A mail that a server has accepted. */
interface ReceivedMail {
  from: string
  to: string
  /** As it was sent: headers, and the encoded parts. */
  raw: string
  /** The header fields by their lower-case names, unfolded. */
  headers: Record<string, string>
  /** The decoded text and HTML. */
  text: string
  html: string
}

/** What a server does with a mail; by default it accepts it. */
interface Behaviour {
  /** Refuses the address, with this answer. */
  recipient?: string
  /** Refuses the content, with this answer. */
  content?: string
  /** Refuses the sender, with this answer. */
  sender?: string
  /** Ends the connection: before the content, or after it was taken but not answered. */
  ends?: 'before' | 'unanswered'
  /** Waits before it answers. */
  waits?: Promise<unknown>
}

export interface MailServer {
  url: string
  /** Mails whose content has arrived, also if it was refused or never answered. */
  received: ReceivedMail[]
  /** Addresses that were named as recipients, in order. */
  tried: string[]
  /** Connections so far, and most at the same time. */
  connections: { count: number; most: number }
  behave: (address: string) => Behaviour
  /** Waits for a number of received mails. */
  got: (count: number) => Promise<void>
}

const refusal = (answer: string): Error => {
  const [, code = '550', words = ''] = /^(\d+) (.*)$/.exec(answer) ?? []
  return Object.assign(new Error(words), { responseCode: Number(code) })
}

/** Decodes a quoted-printable or base64 part. */
function decode(part: string): string {
  const [head = '', ...rest] = part.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/transfer-encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/transfer-encoding: quoted-printable/i.test(head)) return body
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Decodes the encoded words of a header field (RFC 2047). */
export const decodeWords = (field: string): string =>
  field.replaceAll(/\?=\s+=\?/g, '?==?').replaceAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, encoding, words) =>
    encoding.toUpperCase() === 'B'
      ? Buffer.from(words, 'base64').toString()
      : Buffer.from(
          words
            .replaceAll('_', ' ')
            .replaceAll(/=([0-9A-F]{2})/g, (_: string, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            ),
          'latin1',
        ).toString(),
  )

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const fields = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 2),
    ]),
  )
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '') ?? []
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`)
  const partOf = (type: string) => decode(parts.find((part) => part.includes(`Content-Type: ${type}`)) ?? '')
  const plain = (part: string) => part.replaceAll('\r\n', '\n').trim()
  return { headers, text: plain(partOf('text/plain')), html: plain(partOf('text/html')) }
}

/**
 * Starts a mail server on this machine; it ends with the test.
 * @param tls its certificate and key, and whether it expects TLS from the beginning; otherwise it offers STARTTLS
 */
export async function receiveMail(
  t: Owner,
  behave: MailServer['behave'] = () => ({}),
  auth?: { user: string; pass: string },
  tls?: { cert: string; key: string; secure: boolean },
): Promise<MailServer> {
  const connections = { count: 0, most: 0 }
  const received: ReceivedMail[] = []
  const tried: string[] = []
  let open = 0
  const server = new SMTPServer({
    ...tls,
    disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(auth ? [] : ['AUTH'])],
    authOptional: auth === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      username === auth?.user && password === auth?.pass
        ? done(null, { user: username })
        : done(refusal('535 wrong')),
    onConnect: (_session, done) => {
      connections.count++
      open++
      connections.most = Math.max(connections.most, open)
      done()
    },
    onClose: () => {
      open--
    },
    onRcptTo: async ({ address }, _session, done) => {
      tried.push(address)
      const { recipient, waits } = mails.behave(address)
      await waits
      done(recipient === undefined ? null : refusal(recipient))
    },
    onData: async (stream, { envelope, id }, done) => {
      const to = envelope.rcptTo[0]?.address ?? ''
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const { ends, content } = mails.behave(to)
      const raw = await text(stream).catch(() => undefined)
      // The client has gone.
      if (raw === undefined) return
      if (ends !== 'before') received.push({ from, to, raw, ...parse(raw) })
      if (ends === undefined) {
        done(content === undefined ? null : refusal(content))
        return
      }
      for (const connection of server.connections) {
        if ((connection as unknown as { id: string }).id === id) {
          ;(connection as unknown as { _socket: { destroy: () => void } })._socket.destroy()
        }
      }
    },
    onMailFrom: (_address, _session, done) => {
      const { sender } = mails.behave('')
      done(sender === undefined ? null : refusal(sender))
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve())
  })
  t.teardown(() => {
    for (const connection of server.connections) {
      ;(connection as unknown as { _socket: { destroy: () => void } })._socket.destroy()
    }
    server.close()
  })
  const { port } = server.server.address() as AddressInfo
  const credentials = auth ? `${auth.user}:${encodeURIComponent(auth.pass)}@` : ''
  const mails: MailServer = {
    url: `${tls?.secure ? 'smtps' : 'smtp'}://${credentials}127.0.0.1:${port}`,
    received,
    tried,
    connections,
    behave,
    got: (count) => until(() => received.length >= count),
  }
  return mails
}
