/**
 * The contents of mails, as text and as HTML. Text by members appears as plain text in both. All links point to the service itself.
 */
import { createHash } from 'node:crypto'
import { escapeHtml } from '../plain-page.ts'
import { oneLine, severalLines } from '../safe-texts.ts'
import { LANGUAGES, type Language } from '../schemas/records.ts'
import { isDay, parseTimestamp } from '../time.ts'
import { timeZoneOf } from '../time-zones.ts'
import type { MailRecipient, QueuedNotification } from './queue.ts'
import { languageOf, type MailTexts, mailTexts } from './texts.ts'
import { unsubscribePath, unsubscribeToken } from './unsubscribe.ts'

/** Notifications that a mail lists; of further ones it shows only the number. */
export const SHOWN = 50

/** A mail, but its sender. */
export interface Message {
  to: { name: string; address: string }
  subject: string
  text: string
  html: string
  /** Identifies its contents, so that mail programs recognise a repetition. */
  messageId: string
  headers: Record<string, string>
}

/** The properties of the service that mails contain. */
export interface MessageContext {
  /** Where people reach the service, without a trailing slash; undefined if unknown: then mails have no links. */
  publicUrl: string | undefined
  /** The key that signs unsubscribe links. */
  key: string
  /** Milliseconds since 1970. */
  now: number
  /** The domain of message ids. */
  domain: string
}

/** A notification as a mail shows it. */
interface Entry {
  title: string
  happened: string
  text: string
  url: string | undefined
}

const segment = (id: string): string => encodeURIComponent(id)

function urlOf({ itemId, projectId }: QueuedNotification, publicUrl: string | undefined): string | undefined {
  // A dot segment would lead elsewhere.
  if (
    publicUrl === undefined ||
    projectId === null ||
    [projectId, itemId].some((id) => /^\.{0,2}$/.test(id ?? '-'))
  ) {
    return publicUrl && `${publicUrl}/`
  }
  const project = `${publicUrl}/projects/${segment(projectId)}`
  return itemId === null ? project : `${project}/items/${segment(itemId)}`
}

/** A due date as people read it: a day, or an instant by the clocks of a time zone. A text that is no date stays as it is. */
function dueOf(text: string, timeZone: string, { locale }: MailTexts): string {
  const date = parseTimestamp(text)
  if (date === undefined) return text
  const day = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const
  const format = isDay(date)
    ? { ...day, timeZone: 'UTC' }
    : { ...day, ...time, timeZone: timeZoneOf(timeZone) }
  return new Intl.DateTimeFormat(locale, format).format(new Date(date))
}

function entryOf(
  one: QueuedNotification,
  publicUrl: string | undefined,
  timeZone: string,
  texts: MailTexts,
): Entry {
  const { kind, title, text, count, actorName } = one
  const named = oneLine(title) || (count > 1 ? texts.severalProjects : texts.untitled)
  const happened = texts.happened[kind](actorName === null ? null : oneLine(actorName, 100))
  return {
    title: named,
    happened: count > 1 ? texts.toCards(happened, count) : happened,
    text: severalLines(kind === 'due' ? dueOf(text, timeZone, texts) : text),
    url: urlOf(one, publicUrl),
  }
}

/** The card that all notifications are about, if there is one. */
function cardOf(notifications: readonly QueuedNotification[]): string | undefined {
  const [id, ...others] = new Set(notifications.map(({ itemId }) => itemId))
  return others.length === 0 ? (id ?? undefined) : undefined
}

/**
 * @param newest of the notifications
 * @param isThread whether the mail belongs to the thread of a card: some programs need the same subject for that
 */
function subjectOf({ title, happened }: Entry, total: number, isThread: boolean, texts: MailTexts): string {
  if (isThread) return oneLine(title)
  return total === 1 ? oneLine(`${title}: ${happened}`) : texts.notifications(total)
}

/** Puts mails of one card into one thread (RFC 5322, section 3.6.4). Its root is never sent: any mail may be a member's first. */
function threadOf(card: string | undefined, domain: string): Record<string, string> {
  if (card === undefined) return {}
  const root = `<card-${idOf([card])}@${domain}>`
  return { 'In-Reply-To': root, References: root }
}

/** A hash of texts, for message ids. */
function idOf(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text}\n`)
  return hash.digest('hex').slice(0, 32)
}

/** A quotation of a member's text, so that it does not look like the service's own words. */
const quoted = (text: string): string => (text === '' ? '' : text.replaceAll(/^/gm, '> '))

function textOf(entries: readonly Entry[], footer: readonly string[]): string {
  const parts = entries.map(({ title, happened, text, url }) =>
    [title, happened, quoted(text), url].filter(Boolean).join('\n'),
  )
  return `${[...parts, ['-- ', ...footer].join('\n')].join('\n\n')}\n`
}

/** Colours by the reader's scheme, each with a contrast of more than 7:1. Programs without `<style>` show their own. */
const STYLE = `:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif; background: #ffffff; color: #1c1c1e; }
main { max-width: 600px; margin: 0 auto; }
article { border-bottom: 1px solid #c7c7cc; padding: 12px 0; }
h2 { margin: 0; font-size: 17px; line-height: 1.4; }
p { margin: 4px 0 0; }
.text { white-space: pre-line; }
footer { padding-top: 16px; font-size: 14px; color: #48484a; }
a { color: #0a3d91; }
@media (prefers-color-scheme: dark) {
  body { background: #1c1c1e; color: #f2f2f7; }
  article { border-color: #48484a; }
  footer { color: #d1d1d6; }
  a { color: #a8c7ff; }
}`

const linked = (html: string, url: string | undefined): string =>
  url === undefined ? html : `<a href="${escapeHtml(url)}">${html}</a>`

/** `dir="auto"`: a title in Arabic or Hebrew runs from the right, whatever is around it. */
function articleOf({ title, happened, text, url }: Entry): string {
  const shownText = text && `\n<p class="text" dir="auto">${escapeHtml(text)}</p>`
  return `<article>
<h2 dir="auto">${linked(escapeHtml(title), url)}</h2>
<p dir="auto">${escapeHtml(happened)}</p>${shownText}
</article>`
}

function htmlOf(language: Language, title: string, articles: string, footer: string): string {
  return `<!doctype html>
<html lang="${language}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<main>
${articles}
<footer>
${footer}
</footer>
</main>
</body>
</html>
`
}

/** The header fields that let mail programs unsubscribe (RFC 2369, RFC 8058; one click needs HTTPS). */
function unsubscribeHeaders(url: string | undefined): Record<string, string> {
  if (url === undefined) return {}
  const isSecure = url.startsWith('https:')
  return {
    'List-Unsubscribe': `<${url}>`,
    ...(isSecure && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  }
}

/** Prevents automatic replies (RFC 3834). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** The mail with a member's notifications. @param notifications at least one, the oldest first */
export function messageOf(
  memberId: string,
  recipient: Pick<MailRecipient, 'name' | 'address' | 'email' | 'timeZone' | 'language'>,
  notifications: readonly QueuedNotification[],
  { publicUrl, key, now, domain }: MessageContext,
): Message {
  const { name, address, email, timeZone } = recipient
  const language = languageOf(recipient.language)
  const texts = mailTexts(language)
  const entries = notifications.slice(0, SHOWN).map((one) => entryOf(one, publicUrl, timeZone, texts))
  const more = notifications.length - entries.length
  const card = cardOf(notifications)
  const newest = entryOf(notifications.at(-1) as QueuedNotification, publicUrl, timeZone, texts)
  const subject = subjectOf(newest, notifications.length, card !== undefined, texts)
  const unsubscribeUrl = publicUrl && `${publicUrl}${unsubscribePath(unsubscribeToken(key, memberId, now))}`
  const rest = more > 0 ? [texts.more(more)] : []
  const why = texts.why[email]
  const links = [
    ...(publicUrl === undefined ? [] : [[texts.open, `${publicUrl}/`] as const]),
    ...(unsubscribeUrl === undefined ? [] : [[texts.unsubscribe, unsubscribeUrl] as const]),
  ]
  const footerHtml = [
    ...[...rest, why].map((line) => `<p>${escapeHtml(line)}</p>`),
    ...(links.length > 0 ? [`<p>${links.map(([label, url]) => linked(label, url)).join(' · ')}</p>`] : []),
  ].join('\n')
  return {
    to: { name: oneLine(name, 100), address },
    subject,
    text: textOf(entries, [...rest, why, ...links.map(([label, url]) => `${label}: ${url}`)]),
    html: htmlOf(language, subject, entries.map(articleOf).join('\n'), footerHtml),
    messageId: `<${idOf(notifications.map(({ id }) => id))}@${domain}>`,
    headers: { ...AUTOMATIC, ...threadOf(card, domain), ...unsubscribeHeaders(unsubscribeUrl) },
  }
}

/** A test mail. */
export function testMessage(
  to: Message['to'],
  id: string,
  publicUrl: string | undefined,
  domain: string,
  language: Language = LANGUAGES[0],
): Message {
  const {
    open,
    test: { subject, text: line },
  } = mailTexts(language)
  return {
    to: { name: oneLine(to.name, 100), address: to.address },
    subject,
    text: `${[line, publicUrl && `${publicUrl}/`].filter(Boolean).join('\n\n')}\n`,
    html: htmlOf(
      language,
      subject,
      `<p>${line}</p>`,
      publicUrl === undefined ? '' : `<p>${linked(open, `${publicUrl}/`)}</p>`,
    ),
    messageId: `<test-${id}@${domain}>`,
    headers: AUTOMATIC,
  }
}
