/** What mails say: safely, whatever members have written, and with links to the service alone. */
import { createInterface } from 'node:readline'
import t from 'tap'
import { systemClock } from '../../src/clock.ts'
import { type MessageContext, messageOf, SHOWN, testMessage } from '../../src/mail/message.ts'
import type { QueuedNotification } from '../../src/mail/queue.ts'
import { connectionOptions, createSmtpSender } from '../../src/mail/smtp-sender.ts'
import { mailTexts } from '../../src/mail/texts.ts'
import {
  LINK_LIFETIME,
  memberOfToken,
  unsubscribePage,
  unsubscribeToken,
} from '../../src/mail/unsubscribe.ts'
import { domainOf, type Mailbox, parseMailbox } from '../../src/mailbox.ts'
import { oneLine, severalLines } from '../../src/safe-texts.ts'
import type { LANGUAGES } from '../../src/schemas/records.ts'
import { isTimeZone, nextHour } from '../../src/time-zones.ts'
import { listen, manualClock, until } from '../receivers.ts'
import { decodeWords, receiveMail } from '../smtp.ts'

const KEY = Buffer.alloc(32, 7).toString('base64url')
const NOW = Date.parse('2027-01-01T00:00:00.000Z')
const CONTEXT: MessageContext = {
  publicUrl: 'https://board.example/tools',
  key: KEY,
  now: NOW,
  domain: 'board.example',
}
const ADA = {
  name: 'Ada',
  address: 'ada@example.test',
  email: 'each',
  timeZone: 'Europe/Berlin',
  language: 'en',
} as const

const notification = (fields: Partial<QueuedNotification> = {}): QueuedNotification => ({
  id: 'n1',
  memberId: 'ada',
  kind: 'mentioned',
  itemId: 'i',
  projectId: 'p',
  actorId: 'bob',
  actorName: 'Bob',
  seq: 1,
  title: 'Card',
  text: 'Look, @ada',
  count: 1,
  createdAt: '2027-01-01T00:00:00.000Z',
  ...fields,
})

/** Sends a mail to a real server. @returns it as it arrived */
async function arrived(t: Parameters<typeof receiveMail>[0], message: ReturnType<typeof messageOf>) {
  const server = await receiveMail(t)
  const send = createSmtpSender({
    server: server.url,
    from: { name: 'Board', address: 'board@board.example' },
    clock: systemClock,
  })
  const failure = await send(message, new AbortController().signal)
  const [mail] = server.received
  if (failure !== undefined || mail === undefined) throw new Error(failure?.reason ?? 'nothing arrived')
  return mail
}

t.test('a mail has text and HTML, a link to the card, and the headers of an automatic mail', async (t) => {
  const { headers, text, html, to } = await arrived(t, messageOf('ada', ADA, [notification()], CONTEXT))
  t.equal(to, 'ada@example.test')
  t.match(headers, {
    subject: 'Card',
    'in-reply-to': /^<card-[0-9a-f]{32}@board\.example>$/,
    references: headers['in-reply-to'],
    'content-type': /^multipart\/alternative;/,
    'auto-submitted': 'auto-generated',
    'message-id': /^<[0-9a-f]{32}@board\.example>$/,
    'list-unsubscribe': /^<https:\/\/board\.example\/tools\/unsubscribe\/[\w.-]+>$/,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  })
  const [, token = ''] = /\/unsubscribe\/([^>]+)>/.exec(headers['list-unsubscribe'] ?? '') ?? []
  t.equal(memberOfToken(KEY, token, NOW), 'ada')
  t.match(
    text,
    /^Card\nYou were mentioned by Bob\n> Look, @ada\nhttps:\/\/board\.example\/tools\/projects\/p\/items\/i\n/,
  )
  t.match(text, `Unsubscribe: https://board.example/tools/unsubscribe/${token}`)
  t.match(html, '<h2 dir="auto"><a href="https://board.example/tools/projects/p/items/i">Card</a></h2>')
  t.match(html, 'prefers-color-scheme: dark')
  t.match(html, '<meta name="color-scheme" content="light dark">')
  t.notMatch(html, /<script|<img|<link|src=/)
})

t.test('nothing that members write becomes a header, markup, or another direction', async (t) => {
  const evil = 'Hi\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>\u202etxt.exe\u2066 "&\'\u0000'
  const name = 'Ada\r\nCc: eve@evil.example, "<eve@evil.example>'
  const { headers, text, html, raw } = await arrived(
    t,
    messageOf(
      'ada',
      { ...ADA, name },
      [notification({ title: evil, text: evil, actorName: evil, itemId: 'i"><b>', projectId: 'p"><i>' })],
      CONTEXT,
    ),
  )
  t.strictSame(Object.keys(headers).toSorted(), [
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'in-reply-to',
    'list-unsubscribe',
    'list-unsubscribe-post',
    'message-id',
    'mime-version',
    'references',
    'subject',
    'to',
    'x-auto-response-suppress',
  ])
  t.match(
    decodeWords(headers.subject ?? ''),
    /^Hi Bcc: eve@evil\.example <script>alert\(1\)<\/script>txt\.exe "&'/,
  )
  t.match(headers.to, /<ada@example\.test>$/)
  t.notMatch(decodeWords(raw), /[\u202a-\u202e\u2066-\u2069]/)
  t.notMatch(`${text}${html}`, /[\u202a-\u202e\u2066-\u2069\0]/)
  t.notMatch(html, /<script|<b>|<i>/)
  t.match(html, '&lt;script&gt;alert(1)&lt;/script&gt;txt.exe &quot;&amp;&#39;')
  t.match(html, 'href="https://board.example/tools/projects/p%22%3E%3Ci%3E/items/i%22%3E%3Cb%3E"')
})

t.test('links lead to the service alone, whatever the ids are', async (t) => {
  for (const [projectId, itemId] of [
    ['//evil.example', 'i'],
    ['..', '..'],
    ['.', 'i'],
    ['https://evil.example', '?next=//evil.example'],
    ['p', '#@evil.example'],
    ['@evil.example', '\\evil.example'],
    [null, null],
    ['p', ''],
  ] as const) {
    const { html, text } = messageOf('ada', ADA, [notification({ projectId, itemId })], CONTEXT)
    const found = [...html.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => new URL(url).href)
    for (const url of [...found, ...(text.match(/https?:\S+/g) ?? [])])
      t.match(url, /^https:\/\/board\.example\/tools\//, `${projectId} ${itemId}`)
  }
})

t.test('without a public address there are no links; without HTTPS no one click', async (t) => {
  const { html, text, headers } = messageOf('ada', ADA, [notification()], {
    ...CONTEXT,
    publicUrl: undefined,
  })
  t.notMatch(`${html}${text}`, /href|https?:/)
  t.strictSame(Object.keys(headers), [
    'Auto-Submitted',
    'X-Auto-Response-Suppress',
    'In-Reply-To',
    'References',
  ])
  const plain = messageOf('ada', ADA, [notification()], { ...CONTEXT, publicUrl: 'http://board.example' })
  t.match(plain.headers, { 'List-Unsubscribe': /^<http:\/\/board\.example\/unsubscribe\// })
  t.notOk('List-Unsubscribe-Post' in plain.headers)
})

t.test('a due date is a day, or an instant in the time zone of the member', async (t) => {
  const quoted = (text: string, member: object = {}) =>
    /\n> (.*)\n/.exec(
      messageOf('ada', { ...ADA, ...member }, [notification({ kind: 'due', text })], CONTEXT).text,
    )?.[1]
  const [day, instant] = ['2027-02-01T00:00:00.000Z', '2027-02-01T23:30:00.000Z']
  t.match(quoted(day), /^Monday,? 1 February 2027$/)
  t.equal(quoted(day, { timeZone: 'Pacific/Honolulu', language: 'de' }), 'Montag, 1. Februar 2027')
  t.match(quoted(instant), /^Tuesday,? 2 February 2027 at 00:30 (CET|GMT\+1)$/)
  t.match(quoted(instant, { language: 'de' }), /^Dienstag, 2. Februar 2027 um 00:30 MEZ$/)
  t.match(quoted(instant, { timeZone: 'Pacific/Honolulu' }), /^Monday,? 1 February 2027 at 13:30 GMT-10$/)
  t.match(quoted(instant, { timeZone: 'Mars/Olympus' }), /^Monday,? 1 February 2027 at 23:30 UTC$/)
  t.equal(quoted('soon'), 'soon', 'as another tool may have stored it')
})

t.test('each kind of notification has its own text', async (t) => {
  const said = (fields: Partial<QueuedNotification>) => messageOf('ada', ADA, [notification(fields)], CONTEXT)
  const happened = (fields: Partial<QueuedNotification>) => said(fields).text.split('\n')[1]
  t.equal(happened({ kind: 'due', text: '2027-02-01T00:00:00.000Z' }), 'Due')
  t.equal(happened({ kind: 'moved', text: 'Done', actorName: null }), 'Moved')
  t.equal(happened({ kind: 'lease-lapsed' }), 'The lease of its claim has ended')
  t.equal(happened({ kind: 'unblocked' }), 'Is no longer blocked')
  t.equal(
    said({ kind: 'moved', itemId: null, title: 'Apollo', count: 12 }).subject,
    'Apollo: Moved by Bob: 12 cards',
  )
  t.equal(
    said({ kind: 'assigned', itemId: null, projectId: null, title: '', count: 12 }).subject,
    'Several projects: Assigned to you by Bob: 12 cards',
  )
  t.equal(said({ title: ' \n' }).subject, '(untitled)')
  t.equal([...said({ title: '木'.repeat(500) }).subject].length, 201)
  const many = messageOf(
    'ada',
    { ...ADA, email: 'daily' },
    Array.from({ length: SHOWN + 2 }, (_, index) => notification({ itemId: `i${index}` })),
    CONTEXT,
  )
  t.equal(many.subject, `${SHOWN + 2} notifications`)
  t.match(many.text, 'And 2 more.')
  t.match(many.html, 'You get this mail once a day')
  t.equal(many.html.split('<article>').length - 1, SHOWN)
})

t.test('mails of one card are one thread, and no other mail belongs to it', async (t) => {
  const mail = (...items: (string | null)[]) => {
    const notifications = items.map((itemId, index) => notification({ id: `${items}${index}`, itemId }))
    const { messageId, headers, subject } = messageOf('ada', ADA, notifications, CONTEXT)
    t.equal(headers['In-Reply-To'], headers.References)
    return { messageId, subject, root: headers.References }
  }
  const [first, second, other] = [mail('i'), mail('i', 'i'), mail('j')]
  t.match(first.root, /^<card-[0-9a-f]{32}@board\.example>$/)
  t.equal(second.root, first.root)
  t.equal(second.subject, first.subject, 'without which some programs begin another thread')
  t.not(other.root, first.root)
  t.equal(new Set([first, second, other].map(({ messageId }) => messageId)).size, 3)
  for (const items of [['i', 'j'], [null], ['i', null]]) t.notOk(mail(...items).root, `${items}`)
})

t.test('a mail is in the language of its member', async (t) => {
  const to = (language: string) => messageOf('ada', { ...ADA, language }, [notification()], CONTEXT)
  const { text, html } = to('de')
  t.match(text, /^Card\nSie wurden von Bob erwähnt\n> Look, @ada\n/)
  t.match(text, 'Abbestellen: https://board.example/tools/unsubscribe/')
  t.match(html, '<html lang="de"')
  t.strictSame(to('tlh'), to('en'), 'another tool has written that')
  t.match(testMessage({ name: '', address: 'ada@example.test' }, 'x', undefined, 'board.example', 'de'), {
    subject: 'Test der E-Mail',
    text: /^Das ist ein Test/,
  })
  t.match(unsubscribePage('de', false), /<html lang="de">.*<button>Abbestellen</s)
  const written = (language: (typeof LANGUAGES)[number]) => {
    const { happened, why, test, page, ...one } = mailTexts(language)
    const told = Object.values(happened).flatMap((say) => [say(null), say('Bob')])
    const others = [one.toCards('x', 2), one.untitled, one.severalProjects, one.notifications(2), one.more(2)]
    return [told, others, one.open, one.unsubscribe, [why, test, page].map((all) => Object.values(all))].flat(
      2,
    )
  }
  const [english, german] = [written('en'), written('de')]
  t.strictSame(
    english.filter((text, index) => text === german[index]),
    [],
  )
})

t.test('long texts are cut between characters', async (t) => {
  t.equal(oneLine('👍'.repeat(300)), `${'👍'.repeat(200)}…`)
  t.equal(severalLines('a\r\nb\n\tc\u2028d'), 'a\nb\n\tc d')
  t.equal(severalLines('x'.repeat(1_000_000)).length, 1001)
})

t.test('a token is valid for its member until it expires; any other token is invalid', async (t) => {
  const token = unsubscribeToken(KEY, 'ada 木/', NOW)
  t.match(token, /^[\w.-]+$/, 'it fits into an address')
  t.equal(memberOfToken(KEY, token, NOW), 'ada 木/')
  t.equal(memberOfToken(KEY, token, NOW + LINK_LIFETIME - 1000), 'ada 木/')
  t.equal(memberOfToken(KEY, token, NOW + LINK_LIFETIME), undefined)
  t.equal(memberOfToken(undefined, token, NOW), undefined)
  t.equal(
    memberOfToken(Buffer.alloc(32, 8).toString('base64url'), token, NOW),
    undefined,
    'of another service',
  )
  const [id, expires, signature = ''] = token.split('.')
  const [otherId] = unsubscribeToken(KEY, 'bob', NOW).split('.')
  for (const forged of [
    `${otherId}.${expires}.${signature}`,
    `${id}.zzzzzz.${signature}`,
    `${id}.${expires}.${signature.slice(1)}`,
    `${id}.${expires}.${signature}A`,
    `${id}.${expires}.`,
    '',
    '..',
    `${token}\n`,
  ])
    t.equal(memberOfToken(KEY, forged, NOW), undefined, forged)
})

t.test('8 in the morning is by the clocks of the time zone, also when they are set', async (t) => {
  const next = (timeZone: string, after: string, hour = 8) =>
    new Date(nextHour(hour, timeZone, Date.parse(after))).toISOString()
  for (const [timeZone, after, expected] of [
    ['UTC', '2027-01-01T07:59:59.999Z', '2027-01-01T08:00:00.000Z'],
    ['UTC', '2027-01-01T08:00:00.000Z', '2027-01-02T08:00:00.000Z'],
    // Clocks are set forward on 28 March, and back on 31 October.
    ['Europe/Berlin', '2027-03-27T06:00:00.000Z', '2027-03-27T07:00:00.000Z'],
    ['Europe/Berlin', '2027-03-27T08:00:00.000Z', '2027-03-28T06:00:00.000Z'],
    ['Europe/Berlin', '2027-10-30T08:00:00.000Z', '2027-10-31T07:00:00.000Z'],
    ['America/New_York', '2027-03-13T14:00:00.000Z', '2027-03-14T12:00:00.000Z'],
    ['Asia/Kolkata', '2027-01-01T00:00:00.000Z', '2027-01-01T02:30:00.000Z'],
    ['Pacific/Kiritimati', '2027-01-01T00:00:00.000Z', '2027-01-01T18:00:00.000Z'],
    ['Pacific/Pago_Pago', '2027-01-01T00:00:00.000Z', '2027-01-01T19:00:00.000Z'],
    ['Australia/Lord_Howe', '2027-04-03T00:00:00.000Z', '2027-04-03T21:30:00.000Z'],
    // There was no 30 December 2011.
    ['Pacific/Apia', '2011-12-29T19:00:00.000Z', '2011-12-30T18:00:00.000Z'],
  ] as const)
    t.equal(next(timeZone, after), expected, `${timeZone} after ${after}`)
  t.equal(next('Europe/Berlin', '2027-03-27T12:00:00.000Z', 2), '2027-03-28T01:00:00.000Z', 'a skipped time')
  t.equal(
    next('Europe/Berlin', '2027-10-30T12:00:00.000Z', 2),
    '2027-10-31T00:00:00.000Z',
    'a time that comes twice',
  )
  for (let day = 0; day < 366; day++) {
    const after = NOW + day * 86_400_000
    const time = nextHour(8, 'America/Santiago', after)
    const shown = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/Santiago',
      timeStyle: 'medium',
    }).format(time)
    if (shown !== '08:00:00' || time <= after || time > after + 26 * 3_600_000)
      t.fail(`${new Date(after).toISOString()}: ${shown}`)
  }
})

t.test('time zones are those of IANA, no offsets', async (t) => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'europe/berlin'])
    t.ok(isTimeZone(name), name)
  for (const name of [
    '',
    '+01:00',
    '-0100',
    'Mars/Olympus',
    'Europe/Berlin\n',
    '__proto__',
    'Europe/Bèrlin',
    '../UTC',
  ])
    t.notOk(isTimeZone(name), name)
})

t.test('a sender is one address, with or without a name', async (t) => {
  t.strictSame(parseMailbox('board@example.test'), { name: '', address: 'board@example.test' })
  t.strictSame(parseMailbox('The Board <board@example.test>'), {
    name: 'The Board',
    address: 'board@example.test',
  })
  t.strictSame(parseMailbox('"Board, Inc." <board@example.test>'), {
    name: 'Board, Inc.',
    address: 'board@example.test',
  })
  for (const text of [
    '',
    'board',
    'a@b, c@d',
    'Board <a@b> <c@d>',
    'a@b\r\nBcc: c@d',
    'Board <a@b',
    '<a@b>c',
    'a b@c',
  ])
    t.equal(parseMailbox(text), undefined, text)
})

t.test('a password is sent encrypted only, but on this machine', async (t) => {
  t.match(connectionOptions('smtp://u:p%40ss@mail.example:587'), {
    host: 'mail.example',
    port: 587,
    secure: false,
    requireTLS: true,
    auth: { user: 'u', pass: 'p@ss' },
  })
  t.match(connectionOptions('smtp://mail.example'), {
    port: 25,
    secure: false,
    requireTLS: false,
    auth: undefined,
  })
  t.match(connectionOptions('smtps://u:p@mail.example'), { port: 465, secure: true, requireTLS: false })
  t.match(connectionOptions('smtp://u:p@[::1]:25'), { host: '::1', requireTLS: false })
})

t.test(
  'a domain in any script goes to the server in ASCII, and another address only to servers that take it',
  async (t) => {
    const from = parseMailbox('Board <board@böard.example>') as Mailbox
    t.equal(domainOf(from), 'xn--bard-5qa.example')
    t.equal(domainOf({ address: 'ada@a..b' }), 'a..b')
    // The other servers of the tests show domains in Unicode.
    const serving = async (extension: string) => {
      const lines: string[] = []
      const replies: Record<string, string> = {
        EHLO: `250-hello\r\n250 ${extension}`,
        DATA: '354 go on',
        QUIT: '221 bye',
      }
      const url = await listen(t, (socket) => {
        socket.write('220 hello\r\n')
        createInterface({ input: socket }).on('line', (line) => {
          lines.push(line)
          if (/^(EHLO|MAIL|RCPT|DATA|QUIT|\.$)/.test(line))
            socket.write(`${replies[line.slice(0, 4)] ?? '250 ok'}\r\n`)
        })
      })
      const send = createSmtpSender({ server: url.replace('http:', 'smtp:'), from, clock: systemClock })
      const to = (address: string) =>
        send(messageOf('ada', { ...ADA, address }, [notification()], CONTEXT), new AbortController().signal)
      return { lines, to }
    }
    const plain = await serving('8BITMIME')
    t.equal(await plain.to('user@müller.example'), undefined)
    t.ok(plain.lines.includes('MAIL FROM:<board@xn--bard-5qa.example>'))
    t.ok(plain.lines.includes('RCPT TO:<user@xn--mller-kva.example>'))
    t.match(await plain.to('jürgen@example.test'), {
      kind: 'refused',
      reason: 'the mail server accepts only ASCII characters before the @ (it has no SMTPUTF8)',
    })
    t.equal(plain.lines.filter((line) => line.startsWith('RCPT')).length, 1)
    const modern = await serving('SMTPUTF8')
    t.equal(await modern.to('jürgen@example.test'), undefined)
    t.ok(modern.lines.includes('MAIL FROM:<board@xn--bard-5qa.example> SMTPUTF8'))
    t.ok(modern.lines.includes('RCPT TO:<jürgen@example.test>'))
  },
)

t.test('the sender signs in, and an end of the service ends a slow mail', async (t) => {
  const message = messageOf('ada', ADA, [notification()], CONTEXT)
  const from = { name: '', address: 'board@board.example' }
  const auth = { user: 'board', pass: 's3cret/word' }
  const server = await receiveMail(t, () => ({}), auth)
  const never = new AbortController().signal
  const send = createSmtpSender({ server: server.url, from, clock: systemClock })
  t.equal(await send(message, never), undefined)
  const wrong = createSmtpSender({ server: server.url.replace('s3cret', 'secret'), from, clock: systemClock })
  const refused = await wrong(message, never)
  t.match(refused, { kind: 'unreachable', reason: /535/ })
  t.notMatch(refused?.reason, /secret/)
  const nobody = createSmtpSender({ server: 'smtp://127.0.0.1:1', from, clock: systemClock })
  t.match(await nobody(message, never), { kind: 'unreachable', reason: /ECONNREFUSED/ })
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = await receiveMail(t, () => ({ waits: promise }))
  const clock = manualClock()
  const late = createSmtpSender({ server: slow.url, from, clock })(message, never)
  await until(() => slow.tried.length === 1)
  clock.pass(60_000)
  t.match(await late, { kind: 'unreachable', reason: 'not accepted within 60 seconds' })
  const ending = new AbortController()
  const sending = createSmtpSender({ server: slow.url, from, clock: systemClock })(message, ending.signal)
  await until(() => slow.tried.length === 2)
  ending.abort()
  t.match(await sending, { kind: 'unreachable', reason: 'the service stopped' })
  resolve()
  t.match(await send(message, ending.signal), { reason: 'the service stopped' })
  t.equal(server.received.length, 1)
  t.equal(slow.received.length, 0)
})
