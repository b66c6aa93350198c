/**
 * Unsubscribe links (RFC 8058): a signed token with the id of a member, valid for 90 days. It can only
 * stop the member's mail, and needs no session, because mail programs use it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { escapeHtml, plainPage } from '../plain-page.ts'
import type { Language } from '../schemas/records.ts'
import { mailTexts } from './texts.ts'

/** Validity of a link, in milliseconds. */
export const LINK_LIFETIME = 90 * 24 * 60 * 60 * 1000

const SECOND = 1000

const signatureOf = (key: string, content: string): Buffer =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(`unsubscribe ${content}`).digest()

/**
 * The token of a member.
 * @param key of the service: see `MailState`
 * @param now milliseconds since 1970
 */
export function unsubscribeToken(key: string, memberId: string, now: number): string {
  const expires = Math.floor((now + LINK_LIFETIME) / SECOND)
  const content = `${Buffer.from(memberId).toString('base64url')}.${expires.toString(36)}`
  return `${content}.${signatureOf(key, content).toString('base64url')}`
}

/** The member of a token; undefined if it is forged, of another service, or has expired. */
export function memberOfToken(key: string | undefined, token: string, now: number): string | undefined {
  const [, content = '', id = '', expires = '', signature = ''] =
    /^(([\w-]+)\.([0-9a-z]{1,12}))\.([\w-]{43})$/.exec(token) ?? []
  if (key === undefined || content === '') return undefined
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(key, content)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  if (Number.parseInt(expires, 36) * SECOND <= now) return undefined
  return Buffer.from(id, 'base64url').toString()
}

/** The path of a link, below the root of the service. */
export const unsubscribePath = (token: string): string => `/unsubscribe/${token}`

/** The page of a link: its form posts to its own address. @param isDone whether the member has unsubscribed */
export function unsubscribePage(language: Language, isDone: boolean): string {
  const { page, unsubscribe } = mailTexts(language)
  const form = isDone ? '' : `<form method="post"><button>${escapeHtml(unsubscribe)}</button></form>`
  return plainPage(page.title, isDone ? page.done : page.question, form, language)
}
