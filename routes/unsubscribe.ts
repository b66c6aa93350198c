import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, clientAt } from '../src/access/addresses.ts'
import { createLinkLimit } from '../src/access/mail-limits.ts'
import { notFound } from '../src/errors.ts'
import { memberOfToken, unsubscribePage } from '../src/mail/unsubscribe.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import type { Routes } from '../src/requests/route-types.ts'

const Params = Type.Object({ token: Type.String() })

/**
 * Unsubscribe links of mails. A GET changes nothing, because mail programs and scanners open links. The button of the page, or
 * one click in a mail program (RFC 8058), sends a POST, with a form whose contents do not matter.
 */
const unsubscribeRoutes: Routes = async (app) => {
  const limit = createLinkLimit()
  const config = {
    access: 'public',
    failure: 'Failed to unsubscribe',
    isSentAlone: true,
    hasSecretAddress: true,
  } as const
  const schema = { hide: true, params: Params }

  /** The member of a link. @throws ApiError 404 for an invalid link, 429 */
  function memberOf(request: FastifyRequest, token: string): string {
    limit.count(clientAt(addressOf(request)))
    const { mail, members } = app.rules
    const memberId = memberOfToken(mail.state.key(), token, Date.now())
    if (memberId === undefined || members.find(memberId)?.id !== memberId) throw notFound('Link')
    return memberId
  }

  const sendPage = (reply: FastifyReply, memberId: string, isDone: boolean) => {
    const { language } = app.rules.mail.preferences.get(memberId, true)
    return reply.type('text/html; charset=utf-8').send(unsubscribePage(language, isDone))
  }

  app.get('/unsubscribe/:token', {
    config,
    schema,
    handler: async (request, reply) => {
      const memberId = memberOf(request, request.params.token)
      // With `no-referrer` browsers would omit the origin, by which the service recognises its own form.
      reply.header('referrer-policy', 'same-origin')
      return sendPage(reply, memberId, false)
    },
  })

  app.post('/unsubscribe/:token', {
    config: { ...config, ignoresBody: true },
    schema,
    handler: async (request, reply) => {
      const memberId = memberOf(request, request.params.token)
      await app.perform(app.mail.preferences.unsubscribe(memberId), BY_SERVICE)
      return sendPage(reply, memberId, true)
    },
  })
}

export default unsubscribeRoutes
