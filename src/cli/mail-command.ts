/** The command `mail test`. */
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config.ts'
import { newId } from '../db/ids.ts'
import { StartupError } from '../errors.ts'
import { testMessage } from '../mail/message.ts'
import { createSmtpSender } from '../mail/smtp-sender.ts'
import { domainOf, isMailAddress, parseMailbox } from '../mailbox.ts'
import { complain, FAILED, say, USAGE } from './terminal.ts'

/**
 * Sends a test mail with the settings of the environment.
 * @throws StartupError without a mail server
 */
export async function sendTestMail(address: string): Promise<void> {
  if (!isMailAddress(address)) {
    complain(`no address: ${address}`)
    process.exitCode = USAGE
    return
  }
  const { smtpUrl: server, mailFrom, publicUrl } = loadConfig(process.env)
  const from = parseMailbox(mailFrom ?? '')
  if (server === undefined || from === undefined) {
    throw new StartupError('SMTP_URL and MAIL_FROM are not set: the service sends no e-mail')
  }
  const send = createSmtpSender({ server, from, clock: systemClock })
  const domain = domainOf(from)
  const message = testMessage({ name: '', address }, newId(), publicUrl, domain)
  const failure = await send(message, new AbortController().signal)
  if (failure === undefined) {
    say(`the mail server has accepted a test mail to ${address}`)
    return
  }
  complain(`the test mail was not sent: ${failure.reason}`)
  process.exitCode = FAILED
}
