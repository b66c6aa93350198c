/**
 * The contents of mails, as text and as HTML. Text by members appears as plain text in both. All links point to the service itself.
 */
import { createHash } from 'node:crypto'
import { escapeHtml } from '../plain-page.ts'
import type { MailRecipient, QueuedNotification } from './queue.ts'
import { oneLine, severalLines } from './texts.ts'
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

/** The sentence for a kind of notification; `by` is empty or names the actor. */
const HAPPENED: Readonly<Record<QueuedNotification['kind'], (by: string) => string>> = {
  assigned: (by) => `Assigned to you${by}`,
  mentioned: (by) => `You were mentioned${by}`,
  commented: (by) => `New comment${by}`,
  moved: (by) => `Moved${by}`,
  due: () => 'Due',
  unblocked: () => 'Is no longer blocked',
  'lease-lapsed': () => 'The lease of its claim has ended',
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

function entryOf(one: QueuedNotification, publicUrl: string | undefined): Entry {
  const { kind, title, text, count, actorName } = one
  const by = actorName === null ? '' : ` by ${oneLine(actorName, 100)}`
  const named = oneLine(title) || (count > 1 ? 'Several projects' : '(untitled)')
  const happened = count > 1 ? `${HAPPENED[kind](by)}: ${count} cards` : HAPPENED[kind](by)
  const isDate = kind === 'due' && /^\d{4}-\d\d-\d\dT/.test(text)
  return {
    title: named,
    happened,
    text: severalLines(isDate ? text.slice(0, 10) : text),
    url: urlOf(one, publicUrl),
  }
}

function subjectOf(entries: readonly Entry[], total: number): string {
  const [first] = entries
  if (total === 1 && first !== undefined) return oneLine(`${first.title}: ${first.happened}`)
  return `${total} notifications`
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

function htmlOf(title: string, articles: string, footer: string): string {
  return `<!doctype html>
<html lang="en" dir="ltr">
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
  { name, address, email }: Pick<MailRecipient, 'name' | 'address' | 'email'>,
  notifications: readonly QueuedNotification[],
  { publicUrl, key, now, domain }: MessageContext,
): Message {
  const entries = notifications.slice(0, SHOWN).map((one) => entryOf(one, publicUrl))
  const more = notifications.length - entries.length
  const subject = subjectOf(entries, notifications.length)
  const unsubscribeUrl = publicUrl && `${publicUrl}${unsubscribePath(unsubscribeToken(key, memberId, now))}`
  const rest = more > 0 ? [`And ${more} more.`] : []
  const why =
    email === 'daily'
      ? 'You get this mail once a day because you have chosen that.'
      : 'You get this mail because you have chosen one for each notification.'
  const identity = createHash('sha256')
  for (const { id } of notifications) identity.update(`${id}\n`)
  const links = [
    ...(publicUrl === undefined ? [] : [['Open Phaseboard', `${publicUrl}/`] as const]),
    ...(unsubscribeUrl === undefined ? [] : [['Unsubscribe', unsubscribeUrl] as const]),
  ]
  const footerHtml = [
    ...[...rest, why].map((line) => `<p>${escapeHtml(line)}</p>`),
    ...(links.length > 0 ? [`<p>${links.map(([label, url]) => linked(label, url)).join(' · ')}</p>`] : []),
  ].join('\n')
  return {
    to: { name: oneLine(name, 100), address },
    subject,
    text: textOf(entries, [...rest, why, ...links.map(([label, url]) => `${label}: ${url}`)]),
    html: htmlOf(subject, entries.map(articleOf).join('\n'), footerHtml),
    messageId: `<${identity.digest('hex').slice(0, 32)}@${domain}>`,
    headers: { ...AUTOMATIC, ...unsubscribeHeaders(unsubscribeUrl) },
  }
}

/** A test mail. */
export function testMessage(
  to: Message['to'],
  id: string,
  publicUrl: string | undefined,
  domain: string,
): Message {
  const subject = 'Test of e-mail'
  const line = 'This is a test: e-mail of Phaseboard arrives at this address.'
  return {
    to: { name: oneLine(to.name, 100), address: to.address },
    subject,
    text: `${[line, publicUrl && `${publicUrl}/`].filter(Boolean).join('\n\n')}\n`,
    html: htmlOf(
      subject,
      `<p>${line}</p>`,
      publicUrl === undefined ? '' : `<p>${linked('Open Phaseboard', `${publicUrl}/`)}</p>`,
    ),
    messageId: `<test-${id}@${domain}>`,
    headers: AUTOMATIC,
  }
}
