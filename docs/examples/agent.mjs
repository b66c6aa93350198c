/**
 * A minimal agent without a model: it claims the cards of a board one after the other, ticks off their subtasks, and finishes them.
 *
 *   PHASEBOARD_TOKEN=pbt_... node docs/examples/agent.mjs [url] [project id]
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [url = 'http://127.0.0.1:3000', projectId] = process.argv.slice(2)
const token = process.env.PHASEBOARD_TOKEN
const headers = token ? { authorization: `Bearer ${token}` } : {}
const client = new Client({ name: 'example-agent', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))

async function call(name, args) {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: args })
  if (isError) throw new Error(`${name}: ${content[0].text}`)
  return structuredContent
}

const project = projectId ?? (await call('list_projects', { limit: 1 })).projects[0].id
for (;;) {
  const { item } = await call('claim', { projectId: project, leaseSeconds: 60 })
  if (item === null) break
  console.log(`claimed   ${item.title}, for a minute`)
  for (const { id, title, completed } of item.subtasks) {
    if (!completed) await call('tick_subtask', { subtaskId: id })
    console.log(`ticked    ${title}`)
  }
  const done = await call('finish', { itemId: item.id, comment: 'Done, and checked twice.' })
  console.log(`finished  ${item.title}: ${done.item.column}`)
}
console.log('nothing left to claim')
await client.close()
