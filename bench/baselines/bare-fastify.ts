/** Baseline: Fastify with default options sends recorded bytes. It shows the cost of the framework. */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { HEALTH_PATH, itemPath, LIST_PATH, projectPath } from '../api.ts'
import { readAnswers } from './ready-answers.ts'

const answers = readAnswers(process.env.ANSWERS).set(HEALTH_PATH, Buffer.from('{"status":"ok"}'))

function answer(request: FastifyRequest, reply: FastifyReply) {
  const body = answers.get(request.url)
  if (!body) return reply.code(404).send()
  if (request.headers['if-none-match'] !== undefined) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(body)
}

const app = Fastify()
app.get(HEALTH_PATH, answer)
app.get(LIST_PATH, answer)
app.get(projectPath(':id'), answer)
app.patch(itemPath(':id'), answer)
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })}`)
