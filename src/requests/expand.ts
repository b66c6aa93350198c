/** `?expand=people`: adds the names of people to a response with their ids. */
import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { turnOf } from '../access/identity.ts'
import { etagOf } from '../etags.ts'
import type { Snapshot } from '../reading/snapshots.ts'
import { PERSON_LIMIT } from '../schemas/common.ts'
import { sendSnapshot } from './send.ts'

/** The query parameter. */
export const ExpandQuery = Type.Object({
  expand: Type.Optional(
    Type.String({
      description:
        '`people`: the response has `people`, an object with names by id of all people in it. Unknown and forgotten people are omitted. Ignored in a batch',
      examples: ['people'],
    }),
  ),
})

/** Whether a request wants names. */
export const expandsPeople = ({ expand }: { expand?: string }): boolean => expand === 'people'

/**
 * Sends a record with the names of people. Its ETag differs from that of the record alone, and changes with the names.
 * @param record the record as JSON, an object
 * @param ids of the people in it
 */
export async function sendWithPeople(
  app: FastifyInstance,
  reply: FastifyReply,
  { body, etag }: Snapshot,
  ids: readonly string[],
): Promise<FastifyReply> {
  const hosted = await app.peopleOfHost?.({ ids: ids.slice(0, PERSON_LIMIT) })
  const people = await app.read(app.members.people.named(ids, hosted), turnOf(reply.request))
  const names = JSON.stringify(Object.fromEntries(people.map(({ id, name }) => [id, name])))
  const expanded = Buffer.concat([body.subarray(0, -1), Buffer.from(`,"people":${names}}`)])
  await sendSnapshot(reply, { body: expanded, etag: etagOf(etag + names) })
  return reply
}
