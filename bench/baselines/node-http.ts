/** Baseline: node:http sends recorded bytes. Nothing on Node can be faster, so all results are relative to it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HEALTH_PATH } from '../api.ts'
import { readAnswers } from './ready-answers.ts'

const answers = readAnswers(process.env.ANSWERS).set(HEALTH_PATH, Buffer.from('{"status":"ok"}'))

const server = createServer((request, response) => {
  const body = answers.get(request.url ?? '')
  if (!body) {
    response.writeHead(404).end()
  } else if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304).end()
  } else {
    const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }
    if (request.method === 'PATCH')
      request.resume().once('end', () => response.writeHead(200, head).end(body))
    else response.writeHead(200, head).end(body)
  }
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
