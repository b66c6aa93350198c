import fp from 'fastify-plugin'
import { principalOf } from '../src/access/caller.ts'
import { systemClock } from '../src/clock.ts'
import type { Config } from '../src/config.ts'
import { databasePath } from '../src/db/client.ts'
import { newId } from '../src/db/ids.ts'
import { lockOfWork } from '../src/db/process-lock.ts'
import { StartupError } from '../src/errors.ts'
import { repeat } from '../src/http/repeated.ts'
import { Courier, type CourierWrites } from '../src/mail/courier.ts'
import { createLazySmtpSender } from '../src/mail/lazy-smtp-sender.ts'
import { type MessageContext, messageOf, testMessage } from '../src/mail/message.ts'
import { createHostOutlet, createMailOutlet, type Outlet } from '../src/mail/outlets.ts'
import type { MailFailure } from '../src/mail/smtp-sender.ts'
import { domainOf, type Mailbox, parseMailbox } from '../src/mailbox.ts'
import type { OnNotification } from '../src/phaseboard.d.ts'
import type { Call } from '../src/requests/calls.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import type { Language } from '../src/schemas/records.ts'

/** The options of the mail plugin. */
interface MailOptions extends Pick<Config, 'databaseUrl' | 'smtpUrl' | 'mailFrom' | 'publicUrl'> {
  onNotification?: OnNotification | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends notifications by mail or to the host; undefined without a mail server or `onNotification`. */
    courier: Courier | undefined
    /** Sends a test mail; undefined without a mail server. @returns why it was not sent */
    sendTestMail: ((to: Mailbox, language: Language) => Promise<MailFailure | undefined>) | undefined
  }
}

const HOUR = 60 * 60 * 1000

/** Milliseconds after which nobody sends a queued notification any more: it waits a day at most for a daily mail, and that is tried for another one. */
const ABANDONED = 3 * 24 * HOUR

/**
 * Sends notifications by e-mail or to the host, from when the service is ready until it stops. Of several services on one file, the one with the lock works on
 * the queue, whatever the others are configured for.
 */
export default fp<MailOptions>(
  async (app, { databaseUrl, smtpUrl, mailFrom, publicUrl, onNotification }) => {
    if (smtpUrl !== undefined && onNotification !== undefined) {
      throw new StartupError('onNotification replaces mail: it cannot be used together with smtpUrl')
    }
    const { queue, state } = app.rules.mail
    const clock = systemClock
    const written = async <Result>(call: Call<Result>): Promise<Result> =>
      (await app.perform(call, BY_SERVICE)).value

    app.decorate('courier', undefined)
    app.decorate('sendTestMail', undefined)
    const lock = lockOfWork(databasePath(databaseUrl), 'mail')
    const fillFor = async (isForHost: boolean) => {
      if (state.isForHost() !== isForHost) await written(app.mail.state.setForHost(isForHost))
    }

    if (smtpUrl === undefined && onNotification === undefined) {
      // Otherwise the queue would grow without end. A service that sends it may be about to start.
      repeat(app, HOUR, async (closing) => {
        const before = clock.now() - ABANDONED
        try {
          if (!queue.hasOlder(before) || !lock.take()) return
          await fillFor(false)
          while (!closing.aborted && (await written(app.mail.queue.dropOlder(before))));
        } catch (err) {
          app.log.warn({ err }, 'could not remove the queued notifications')
        } finally {
          lock.release()
        }
      })
      return
    }

    const writes: CourierWrites = {
      schedule: (mails) => written(app.mail.queue.schedule(mails)),
      remove: (memberId, ids, isSent) => written(app.mail.remove(memberId, ids, isSent)),
      drop: (memberId) => written(app.mail.queue.drop(memberId)),
      failed: ({ memberId, attempts }, reason, now) =>
        written(app.mail.queue.failed(memberId, attempts, reason, now)),
      giveUp: (memberId, ids, reason) => written(app.mail.giveUp(memberId, ids, reason)),
      stop: (memberId, address, reason) => written(app.mail.preferences.stop(memberId, address, reason)),
    }

    function createMail(server: string): Outlet {
      const from = parseMailbox(mailFrom ?? '') as Mailbox
      const domain = domainOf(from)
      const send = createLazySmtpSender({ server, from, clock })
      const closing = new AbortController()
      app.addHook('preClose', async () => closing.abort())
      app.sendTestMail = (to, language) =>
        send(testMessage(to, newId(), publicUrl, domain, language), closing.signal)
      app.addHook('onReady', async () => {
        if (state.key() === undefined) await written(app.mail.state.makeKey())
        if (publicUrl === undefined) {
          app.log.warn('PUBLIC_URL is not set: mails have no links to cards and no unsubscribe link')
        }
      })
      const context = (): MessageContext => ({
        publicUrl,
        key: state.key() as string,
        now: clock.now(),
        domain,
      })
      return createMailOutlet({
        queue,
        deliverable: ({ memberId, role }, ids) => {
          const member = { id: memberId, role, name: '', email: null }
          const principal = principalOf({ member, via: 'session', scope: 'read' })
          return app.scoped.read(principal, (rules) => rules.mail.queue.deliverable(ids))
        },
        compose: (memberId, recipient, notifications) =>
          messageOf(memberId, recipient, notifications, context()),
        send,
      })
    }

    const createHost = (host: OnNotification): Outlet =>
      createHostOutlet({ queue, deliverable: (ids) => queue.deliverable(ids), onNotification: host, clock })

    const courier = new Courier({
      queue,
      outlet: onNotification ? createHost(onNotification) : createMail(smtpUrl as string),
      writes,
      lock,
      begin: () => fillFor(onNotification !== undefined),
      clock,
      warn: (fields, message) => app.log.warn(fields, message),
    })
    app.courier = courier
    app.addHook('onReady', async () => courier.start())
    app.addHook('preClose', () => courier.stop())
  },
  { name: 'mail', fastify: '5.x', dependencies: ['rules'] },
)
