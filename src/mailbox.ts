/** Mail addresses with or without a name (a small part of RFC 5322, section 3.4). */
import { domainToASCII } from 'node:url'
import { EMAIL_PATTERN, LIMITS } from './schemas/common.ts'

/** An address and the name of its owner; `name` may be empty. */
export interface Mailbox {
  name: string
  address: string
}

/** Characters that separate addresses in a header, or end them: no address may have one unquoted. */
const SPECIAL = /[()<>[\]:;,\\"]/

/** Whether mail can be sent to an address. The service allows more as a member's email, which only identifies the member. */
export const isMailAddress = (text: string): boolean =>
  text.length <= LIMITS.email && EMAIL_PATTERN.test(text) && !SPECIAL.test(text)

/** Reads `address` or `name <address>`; undefined for anything else. */
export function parseMailbox(text: string): Mailbox | undefined {
  // A line break would begin another header.
  if (/\p{Cc}/u.test(text)) return undefined
  const [, name = '', inBrackets] = /^([^<>"]*(?<!\s)|"[^"\\]*")\s*<([^<>]*)>$/.exec(text.trim()) ?? []
  const address = inBrackets ?? text.trim()
  return isMailAddress(address) ? { name: name.replaceAll('"', '').trim(), address } : undefined
}

/** The domain of an address, as mail servers and header fields have it (`xn--...` if it has other characters than ASCII). */
export function domainOf({ address }: Pick<Mailbox, 'address'>): string {
  const domain = address.slice(address.lastIndexOf('@') + 1)
  return domainToASCII(domain) || domain
}
