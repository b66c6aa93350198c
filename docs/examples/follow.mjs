/**
 * Follows a board: a line for each change of its cards, as it is made, until Ctrl+C.
 *
 *   PHASEBOARD_TOKEN=pbt_... node docs/examples/follow.mjs [url] [name of a project]
 */
import { createClient } from 'phaseboard/client'

const [baseUrl = 'http://127.0.0.1:3000', name] = process.argv.slice(2)
const client = createClient({ baseUrl, token: process.env.PHASEBOARD_TOKEN })

// Reads the place in the sequence before the board: a change in between comes twice, and none is missed.
const { last } = await client.get('/api/changes', { query: { after: Number.MAX_SAFE_INTEGER } })
const projects = await client.get('/api/projects', { query: { view: 'summary' } })
const project = projects.find((one) => name === undefined || one.name === name)
if (!project) throw new Error('There is no such project')
const titles = new Map()
for await (const { id, title } of client.pages('/api/projects/{id}/kanban-items', {
  path: { id: project.id },
}))
  titles.set(id, title)
console.log(`following ${project.name}`)

const minor = ['sortOrder', 'claimedUntil', 'updatedAt']
const kinds = ['kanban-item', 'kanban-subtask', 'kanban-comment']
for await (const change of client.changes({ projectId: project.id, kinds, after: last })) {
  const { kind, action, itemId, before, after } = change
  if (kind === 'kanban-item' && after?.title) titles.set(itemId, after.title)
  const fields = action === 'updated' ? Object.keys(after).filter((field) => !minor.includes(field)) : []
  const differences = fields.map((field) => `${field}: ${before[field]} -> ${after[field]}`)
  console.log([titles.get(itemId), kind, action, ...differences].join('  '))
}
