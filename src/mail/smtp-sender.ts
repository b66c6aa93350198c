/** Sends mails by SMTP (RFC 5321), each over a separate connection. */
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import type { Clock } from '../clock.ts'
import { isLoopback } from '../config.ts'
import { isMailAddress, type Mailbox } from '../mailbox.ts'
import { oneLine } from '../safe-texts.ts'
import type { Message } from './message.ts'

/** Milliseconds: of each step, and of a whole mail. */
const STEP_TIME = 15_000
const TIMEOUT = 60_000

/**
 * The reason why a mail was not sent.
 * - `later`: temporarily refused, or refused by a policy, which may change
 * - `unreachable`: the server is unusable, so other mails need not be tried now
 * - `refused`: the address is permanently refused
 * - `rejected`: this mail is permanently refused
 */
type FailureKind = 'later' | 'unreachable' | 'refused' | 'rejected'

/** Why a mail was not sent. */
export interface MailFailure {
  kind: FailureKind
  reason: string
}

/** Sends a mail. It never rejects. @returns undefined if the server has accepted it; an abort is a failure */
export type SendMail = (message: Message, signal: AbortSignal) => Promise<MailFailure | undefined>

/** The dependencies of the sender. */
export interface SmtpOptions {
  /** The server, as in `SMTP_URL`. */
  server: string
  from: Mailbox
  clock: Clock
}

/** An error of nodemailer. */
interface SmtpError extends Error {
  code?: string
  command?: string
  response?: string
  responseCode?: number
}

/** Enhanced status codes (RFC 3463) of an address that does not exist, or is no longer used. */
const OF_ADDRESS = /\b5\.(1\.(1|2|3|6|10)|2\.1)\b/
/** Those of policies, such as a refusal to relay: the operator can do something about them. */
const OF_POLICY = /\b5\.7\.\d/

const NOT_ASCII = /\P{ASCII}/u

/** The failure of a local part with other characters than ASCII, if the server does not accept these. */
const NEEDS_UTF8: MailFailure = {
  kind: 'refused',
  reason: 'the mail server accepts only ASCII characters before the @ (it has no SMTPUTF8)',
}

function kindOf({ code, command, response = '', responseCode = 0 }: SmtpError): FailureKind {
  const isForGood = responseCode >= 500
  if (code === 'EENVELOPE' && command === 'RCPT TO') {
    return isForGood && !OF_POLICY.test(response) ? 'refused' : 'later'
  }
  if (command !== 'DATA' || responseCode === 0) return 'unreachable'
  if (!isForGood) return 'later'
  return OF_ADDRESS.test(response) ? 'refused' : 'rejected'
}

/** The server's response, or the connection's error. Neither contains the password, which is only sent encoded. */
const reasonOf = ({ response, message, code }: SmtpError): string =>
  oneLine(response || message || code || 'unknown', 500)

/** The options of a connection. A password is only sent over TLS, or to this machine. */
export function connectionOptions(
  server: string,
): SMTPConnectionOptions & { auth?: { user: string; pass: string } } {
  const { protocol, hostname, port, username, password } = new URL(server)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const auth = username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host,
    port: Number(port) || (secure ? 465 : 25),
    secure,
    requireTLS: !secure && auth !== false && !isLoopback(host),
    connectionTimeout: STEP_TIME,
    greetingTimeout: STEP_TIME,
    socketTimeout: STEP_TIME,
    dnsTimeout: STEP_TIME,
    socketCloseTimeout: 1000,
    ...(auth && { auth }),
  }
}

/** The bytes of a mail, and the addresses for the server: domains are in ASCII, unless an address needs SMTPUTF8 (RFC 6531) anyway. */
async function compose(message: Message, from: Mailbox) {
  const { to, subject, text, html, messageId, headers } = message
  const mail = new MailComposer({
    from,
    to,
    subject,
    text,
    html,
    messageId,
    headers,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  return { raw: await mail.build(), envelope: mail.getEnvelope() }
}

export function createSmtpSender({ server, from, clock }: SmtpOptions): SendMail {
  const { auth, ...options } = connectionOptions(server)

  /** One mail, from connecting to the server's last response. @returns why the address cannot be tried */
  async function deliver(connection: SMTPConnection, message: Message): Promise<MailFailure | undefined> {
    const step = <Result>(run: (done: (error?: Error | null, result?: Result) => void) => void) =>
      new Promise<void>((resolve, reject) => run((error) => (error ? reject(error) : resolve())))
    const { raw, envelope } = await compose(message, from)
    await step((done) => connection.connect(done))
    // The last response is that to EHLO, with the server's extensions.
    const takesUtf8 = /[ -]SMTPUTF8\b/i.test(String(connection.lastServerResponse))
    if (!takesUtf8 && envelope.to.some((address) => NOT_ASCII.test(address))) {
      connection.quit()
      return NEEDS_UTF8
    }
    if (auth) await step((done) => connection.login({ ...auth }, done))
    await step((done) => connection.send({ ...envelope, size: raw.length }, raw, done))
    connection.quit()
    return undefined
  }

  return async (message, signal) => {
    if (!isMailAddress(message.to.address)) {
      return { kind: 'refused', reason: 'mail cannot be sent to such an address' }
    }
    const connection = new SMTPConnection(options)
    let stop = (_reason: string): void => undefined
    const ended = new Promise<never>((_resolve, reject) => {
      stop = (reason) => reject(new Error(reason))
      connection.on('error', reject)
      connection.on('end', () => reject(new Error('the connection ended before the mail was accepted')))
    })
    const onAbort = () => stop('the service stopped')
    const stopTimer = clock.after(TIMEOUT, () => stop(`not accepted within ${TIMEOUT / 1000} seconds`))
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    try {
      return await Promise.race([deliver(connection, message), ended])
    } catch (error) {
      connection.close()
      return { kind: kindOf(error as SmtpError), reason: reasonOf(error as SmtpError) }
    } finally {
      stopTimer()
      signal.removeEventListener('abort', onAbort)
      ended.catch(() => undefined)
    }
  }
}
