/** Webhooks to chats: receivers that check messages as the tools document them. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { CHAT_FORMATS, CHAT_TOOLS, type ChatFormat } from '../../src/webhooks/chat-formats.ts'
import { chatTexts } from '../../src/webhooks/chat-texts.ts'
import { build, created, createItem, createProject, send, signInAs, writeIn } from '../helper.ts'
import { type Received, receive } from '../receivers.ts'
import { steady } from '../rounds.ts'

const URL = 'https://board.example'
const WHO = 'The admin'

/** What each tool documents of a message; its text, as it reads it. */
const TEXT: Readonly<Record<ChatFormat, (body: Record<string, never>) => string>> = {
  slack: (body) => need(body.text),
  mattermost: (body) => need(body.text),
  discord: (body) => {
    const content = need(body.content)
    if (content.length > 2000) throw new Error('50035: Must be 2000 or fewer in length.')
    return content
  },
  teams: ({ type, attachments }: { type?: string; attachments?: Attachment[] }) => {
    const [card, ...others] = attachments ?? []
    if (type !== 'message' || card === undefined || others.length > 0) throw new Error('no message')
    if (card.contentType !== 'application/vnd.microsoft.card.adaptive') throw new Error('no card')
    if (card.content.type !== 'AdaptiveCard' || card.content.version !== '1.4') throw new Error('no card')
    return card.content.body.map(({ type, text }) => (type === 'TextBlock' ? need(text) : '')).join('\n')
  },
}

interface Attachment {
  contentType: string
  content: {
    type: string
    version: string
    body: { type: string; text: string }[]
    actions?: { url: string }[]
  }
}

function need(text: unknown): string {
  if (typeof text !== 'string' || text === '') throw new Error('no_text')
  return text
}

/** A chat tool's receiver: it refuses what the tool would. */
const chat = (t: Test, format: ChatFormat) =>
  receive(t, (response, { body }) => {
    try {
      TEXT[format](body)
      response.writeHead(200).end('ok')
    } catch (error) {
      response.writeHead(400).end(String(error))
    }
  })

const textsOf = (format: ChatFormat, received: readonly Received[]) =>
  received.map(({ body }) => TEXT[format](body))

async function withChat(t: Test, format: ChatFormat, fields: object = {}, options: object = {}) {
  const app = await build(t, { webhookAllowPrivate: true, publicUrl: URL, ...options })
  const { headers } = signInAs(app, 'admin', { id: 'ada' })
  const receiver = await chat(t, format)
  const project = await createProject(app, { name: 'Website' }, headers)
  const hook = await created(app, '/api/webhooks', { url: receiver.url, format, ...fields }, headers)
  return { app, headers, receiver, project, hook }
}

t.test('each tool is told what happens to cards, who did it, and where the card is', async (t) => {
  const linked: Record<ChatFormat, string> = {
    slack: `<${URL}/WEB-1|WEB-1 Flyer &lt;new&gt; *bold*>`,
    mattermost: `[WEB\\-1 Flyer \\<new\\> \\*bold\\*](${URL}/WEB-1)`,
    discord: `[WEB\\-1 Flyer \\<new\\> \\*bold\\*](<${URL}/WEB-1>)`,
    teams: `[WEB\\-1 Flyer \\<new\\> \\*bold\\*](${URL}/WEB-1)`,
  }
  for (const format of CHAT_FORMATS) {
    const { app, headers, receiver, project } = await withChat(t, format)
    const item = await createItem(app, project.id, { title: 'Flyer <new> *bold*' }, headers)
    const path = `/api/kanban-items/${item.id}`
    await send(app, 'PATCH', path, { column: 'Review', assigneeId: 'ada' }, headers)
    await send(app, 'PATCH', path, { dueDate: '2027-03-01' }, headers)
    await send(app, 'PATCH', path, { title: 'Flyer <new> *bold*', description: 'Said to nobody' }, headers)
    await send(app, 'POST', `${path}/comments`, { content: 'Ask\n@channel' }, headers)
    await send(app, 'PATCH', path, { column: 'Done', dueDate: null }, headers)
    await receiver.got(5)
    const card = linked[format]
    const texts = textsOf(format, receiver.received)
    const date = format === 'slack' ? '2027-03-01' : '2027\\-03\\-01'
    t.strictSame(
      texts.filter((_, index) => index !== 3),
      [
        `${WHO} created ${card} in To Do`,
        `${WHO} moved ${card} from To Do to Review\n${WHO} assigned ${card} to ${WHO}`,
        `${WHO} set the due date of ${card} to ${date}`,
        `${WHO} finished ${card} (Done)\n${WHO} removed the due date of ${card}`,
      ],
    )
    t.match(texts[3], `${WHO} commented on ${card}`)
    const at = format === 'slack' ? '@' : '@\u200b'
    t.ok(texts[3]?.includes(`Ask ${at}channel`), 'in one line, and nobody is called')
    const [first] = receiver.received
    t.notOk(
      Object.keys(first?.headers ?? {}).some((name) => name.startsWith('webhook-')),
      'nothing is signed',
    )
    t.equal(first?.headers['content-type'], 'application/json')
    if (format === 'discord') t.strictSame(first?.body.allowed_mentions, { parse: [] })
    if (format === 'teams') t.equal(first?.body.attachments[0].content.actions[0].url, `${URL}/WEB-1`)
  }
})

t.test('a chat is told only what it asked for, in its language', async (t) => {
  const { app, headers, receiver, project } = await withChat(t, 'slack', {
    events: ['finished', 'commented'],
    language: 'de',
  })
  const item = await createItem(app, project.id, { title: 'Flyer' }, headers)
  const path = `/api/kanban-items/${item.id}`
  await send(app, 'PATCH', path, { column: 'Review' }, headers)
  await send(app, 'PATCH', path, { column: 'Done' }, headers)
  await send(app, 'PATCH', path, { column: 'Review' }, headers)
  await send(app, 'POST', `${path}/comments`, { content: 'Noch nicht' }, headers)
  await receiver.got(2)
  const card = `<${URL}/WEB-1|WEB-1 Flyer>`
  t.strictSame(textsOf('slack', receiver.received), [
    `${WHO} hat ${card} abgeschlossen (Done)`,
    `${WHO} hat ${card} kommentiert\n> Noch nicht`,
  ])
})

t.test('a write of many cards is one message', async (t) => {
  const { app, headers, receiver, project } = await withChat(t, 'mattermost')
  const requests = Array.from({ length: 30 }, (_, index) => ({
    method: 'POST',
    path: `/api/projects/${project.id}/kanban-items`,
    body: { title: `Card ${index}` },
  }))
  t.equal((await send(app, 'POST', '/api/batch', { requests }, headers)).status, 200)
  await createItem(app, project.id, { title: 'Last' }, headers)
  await receiver.got(2)
  const [many, one] = textsOf('mattermost', receiver.received)
  t.equal(many, `${WHO} changed 30 cards`)
  t.match(one, 'Last')
})

t.test('a message without PUBLIC_URL has no link, and a card that is gone no message', async (t) => {
  const { app, headers, receiver, project } = await withChat(
    t,
    'teams',
    { active: false },
    { publicUrl: undefined },
  )
  const gone = await createItem(app, project.id, { title: 'Gone' }, headers)
  await send(app, 'DELETE', `/api/kanban-items/${gone.id}`, undefined, headers)
  await createItem(app, project.id, { title: ''.padEnd(300, 'x') }, headers)
  const [hook] = (await send(app, 'GET', '/api/webhooks', undefined, headers)).body
  await send(app, 'PATCH', `/api/webhooks/${hook.id}`, { active: true }, headers)
  await receiver.got(1)
  const [text] = textsOf('teams', receiver.received)
  t.equal(text, `${WHO} created WEB\\-2 ${'x'.repeat(199)}… in To Do`)
  t.equal(receiver.received[0]?.body.attachments[0].content.actions, undefined)
})

t.test('a title cannot turn the text around it', async (t) => {
  const { app, headers, receiver, project } = await withChat(t, 'slack', {}, { publicUrl: undefined })
  await createItem(app, project.id, { title: '\u202etxet\u0007 Flyer\u2066' }, headers)
  await receiver.got(1)
  t.strictSame(textsOf('slack', receiver.received), [`${WHO} created WEB-1 txet Flyer in To Do`])
})

t.test('a test message says that it is one', async (t) => {
  for (const format of CHAT_FORMATS) {
    const { app, headers, hook, receiver } = await withChat(t, format)
    const { body } = await send(app, 'POST', `/api/webhooks/${hook.id}/test`, {}, headers)
    t.match(body, { status: 200, error: null })
    t.match(textsOf(format, receiver.received)[0], /This is a test of the webhook/)
  }
})

t.test('no text of a person is formatting, a link or a mention', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<!@>|*_`[]()\\#&:ab ') }), (text) => {
      t.notMatch(CHAT_TOOLS.slack.escaped(text), /[<>]/)
      for (const format of ['mattermost', 'discord', 'teams'] as const) {
        const escaped = CHAT_TOOLS[format].escaped(text)
        t.notMatch(escaped.replaceAll(/\\./g, ''), /[*_`[\]()#<>|]/, format)
        t.notMatch(escaped, /@[^\u200b]/, format)
      }
    }),
    steady,
  )
  t.end()
})

t.test('every event is said in every language', async (t) => {
  const { app, headers, receiver, project } = await withChat(t, 'slack', { language: 'de' })
  const shop = await createProject(app, { name: 'Shop' }, headers)
  const item = await createItem(app, project.id, { title: 'Flyer' }, headers)
  const path = `/api/kanban-items/${item.id}`
  const link = (number: string, title = 'Flyer') => `<${URL}/${number}|${number} ${title}>`
  await send(app, 'PATCH', path, { column: 'Review', assigneeId: 'ada' }, headers)
  await send(app, 'PATCH', path, { dueDate: '2027-03-01T09:30:00Z', assigneeId: null }, headers)
  await send(app, 'PATCH', path, { dueDate: null }, headers)
  const { body: comment } = await send(app, 'POST', `${path}/comments`, { content: 'x'.repeat(600) }, headers)
  await send(app, 'PATCH', `/api/kanban-comments/${comment.id}`, { content: 'Said to nobody' }, headers)
  await send(app, 'POST', `${path}/move`, { projectId: shop.id }, headers)
  await receiver.got(6)
  const texts = textsOf('slack', receiver.received)
  // What a message says of the card is as it was when it was sent.
  const said = texts.map((text) => text.replaceAll(/(?:WEB|SHO)-1/g, 'N'))
  const card = link('N')
  t.strictSame(said.slice(0, 4), [
    `${WHO} hat ${card} in To Do angelegt`,
    `${WHO} hat ${card} von To Do nach Review verschoben\n${WHO} hat ${card} ${WHO} zugewiesen`,
    `${WHO} hat ${card} auf den 2027-03-01 09:30 UTC terminiert`,
    `${WHO} hat die Fälligkeit von ${card} entfernt`,
  ])
  t.equal(said[4], `${WHO} hat ${card} kommentiert\n> ${'x'.repeat(499)}…`)
  t.equal(said[5], `${WHO} hat ${card} in das Projekt Shop verschoben`)
  for (const language of ['en', 'de']) {
    const { several, finished, movedHere, test } = chatTexts(language)
    t.notSame(several('A', undefined), several('A', 7))
    t.match([several('A', 7), finished('A', 'C', 'Done'), movedHere('A', 'C', 'P')], [/7/, /C.*Done/, /C.*P/])
    t.ok(test)
  }
  t.equal(chatTexts('toString'), chatTexts('en'), 'another program may have stored any language')
})

t.test(
  'what another program writes is said of somebody, and a card without a number by its title',
  async (t) => {
    const { app, receiver, project, headers } = await withChat(t, 'mattermost')
    await writeIn(app, () => {
      app.db.$client.exec(
        `insert into kanban_items (id, project_id, title, assignee_id) values ('x', '${project.id}', ' ', 'unknown')`,
      )
    })
    await receiver.got(1)
    t.equal(
      textsOf('mattermost', receiver.received)[0],
      `Somebody created [\\(untitled\\)](${URL}/projects/${project.id}/items/x) in To Do`,
    )
    await send(app, 'PATCH', '/api/kanban-items/x', { title: 'Named', assigneeId: 'nobody here' }, headers)
    await receiver.got(2)
    t.match(textsOf('mattermost', receiver.received)[1], / assigned .* to Somebody$/)
  },
)
