/** A service full of hostile text, and checks that it has no effect. */
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client/types.d.ts'

/** Markup that would run scripts and send requests to another host if it were rendered as HTML. */
export const HTML = '<img src=x onerror=alert(1)><b onclick=alert(1)>bold</b>'
const SCRIPT = 'javascript:alert(1)'
/** Turns the direction to right-to-left, unless it is isolated. */
const OVERRIDE = '\u202Egnp.exe\u2067'

/** Hostile text of a given length: markup, a script URL, direction overrides, and an endless word. */
export const hostile = (length: number): string =>
  `${HTML}${SCRIPT}${OVERRIDE}`.padEnd(length, 'w').slice(0, length)

/** The ids of the hostile records. */
interface Hostile {
  projectId: string
  itemId: string
  /** The name of the project, and of the signed-in member. */
  name: string
  /** The title of its card. */
  title: string
}

/** Fills a service with hostile text in every name and text, of the maximum length or 10,000 characters. */
export async function makeHostile(api: Client): Promise<Hostile> {
  const [name, title, term, text] = [hostile(200), hostile(500), hostile(100), hostile(10_000)]
  const [admin] = await api.get('/api/members')
  const memberId = admin?.id ?? ''
  await api.patch('/api/members/{id}', { path: { id: memberId }, body: { name } })
  await api.post('/api/members', { body: { name, email: 'mal@example.test', password: 'correct horse' } })
  const team = await api.post('/api/teams', {
    body: { name: hostile(100), description: text, memberIds: [memberId] },
  })
  const { id: projectId } = await api.post('/api/projects', {
    body: {
      name,
      description: text,
      nextStep: text,
      phaseConfig: [{ name: term }, { name: 'Done' }],
      phase: term,
      leadId: memberId,
      teamId: team.id,
    },
  })
  const path = { id: projectId }
  const column = await api.post('/api/projects/{id}/kanban-columns', {
    path,
    body: { name: term, color: `red;background:url(https://evil.example/)` },
  })
  // The last column is for completed cards.
  await api.post('/api/projects/{id}/kanban-columns', { path, body: { name: 'Shipped' } })
  const label = await api.post('/api/projects/{id}/kanban-labels', {
    path,
    body: { name: hostile(50), color: SCRIPT },
  })
  const add = (body: { title: string; column?: string; description?: string; assigneeId?: string }) =>
    api.post('/api/projects/{id}/kanban-items', { path, body })
  const item = await add({ title, column: column.name, description: text, assigneeId: memberId })
  const itemPath = { id: item.id }
  await api.put('/api/kanban-items/{id}/labels/{labelId}', { path: { ...itemPath, labelId: label.id } })
  await api.post('/api/kanban-items/{id}/comments', { path: itemPath, body: { content: text } })
  await api.post('/api/kanban-items/{id}/subtasks', { path: itemPath, body: { title } })
  const done = await add({ title })
  for (const to of ['In Progress', 'Done']) {
    await api.post('/api/kanban-items/{id}/move', { path: { id: done.id }, body: { column: to } })
  }
  const deleted = await add({ title })
  await api.delete('/api/kanban-items/{id}', { path: { id: deleted.id } })
  await api.post('/api/projects/{id}/objectives', { path, body: { title, description: text } })
  await api.post('/api/projects/{id}/metrics', { path, body: { name, value: 1, unit: term } })
  await api.post('/api/ingest/transcript', {
    body: { projectId, title, date: '2026-01-01', summary: text, participants: [name], actionItems: [title] },
  })
  await api.post('/api/personal-ideas', { body: { title, description: text } })
  await api.post('/api/webhooks', {
    body: { url: `https://receiver.example/${'w'.repeat(1000)}`, projectId },
  })
  return { projectId, itemId: item.id, name, title }
}

/** The elements created by hostile text. There must be none. */
export const madeOf = (page: Page): Promise<number> =>
  page
    .locator(
      ':is(b, img, script:not([src*=assets])), [onclick], [onerror], [href^="javascript:"], [style*="url("]',
    )
    .count()
