/** Baseline: node:http writes recorded bytes to all listeners. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** The chunk size if there are many bytes. */
const PART = 65_536

const listeners = new Set<ServerResponse>()
let many = Buffer.alloc(0)

/** Splits bytes into chunks. */
function* parts(bytes: Buffer) {
  for (let begin = 0; begin < bytes.length; begin += PART) yield bytes.subarray(begin, begin + PART)
}

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (request.url === '/many') {
      pipeline(Readable.from(parts(many)), response, () => undefined)
      return
    }
    response.write(':\n\n')
    listeners.add(response)
    response.on('close', () => listeners.delete(response))
    return
  }
  const bytes = await buffer(request)
  if (request.url === '/many') many = bytes
  else for (const listener of listeners) listener.write(bytes)
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
