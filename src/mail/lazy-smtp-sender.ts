/** The sender of mails, loaded with the first one: most services send none. */
import { memoizeAsync } from '../once.ts'
import type { SendMail, SmtpOptions } from './smtp-sender.ts'

/** Creates a sender whose module is loaded with its first mail. */
export function createLazySmtpSender(options: SmtpOptions): SendMail {
  const sender = memoizeAsync(async () => {
    const { createSmtpSender } = await import('./smtp-sender.ts')
    return createSmtpSender(options)
  })
  return async (message, signal) => (await sender())(message, signal)
}
