/** `?expand=people`: adds the names of people to a response with their ids. */
import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { callerOf } from '../access/identity.ts'
import { etagOf } from '../etags.ts'
import type { MaybePromise, Snapshot } from '../reading/snapshots.ts'
import { othersAmong } from './hosted-people.ts'
import { PartedBody } from './parted-body.ts'
import { sendSnapshot } from './respond.ts'

/** Bytes from which on a record is not copied: copying some megabytes takes milliseconds. */
const LARGE = 1024 * 1024

/** The query parameter. */
export const ExpandQuery = Type.Object({
  expand: Type.Optional(
    Type.Unsafe<'people'>({
      type: 'string',
      enum: ['people'],
      description:
        '`people`: the response has `people`, an object with the names of the people in the record, by id. Unknown and forgotten people are omitted. A batch ignores it',
    }),
  ),
})

/** Whether a request asks for names. */
export const expandsPeople = ({ expand }: { expand?: string }): boolean => expand === 'people'

/** Appends fields to a record. @param body the record as JSON, an object @param fields JSON, by name */
export function withFields(body: Buffer, fields: Readonly<Record<string, string>>): Buffer | PartedBody {
  const added = Object.entries(fields).map(([name, json]) => `,"${name}":${json}`)
  const parts = [body.subarray(0, -1), Buffer.from(`${added.join('')}}`)] as const
  return body.length > LARGE ? new PartedBody(parts) : Buffer.concat(parts)
}

/**
 * Sends a record with the names of people. Its ETag differs from that of the record alone, and changes with the names.
 * @param record the project or item as JSON, an object
 */
export async function sendWithPeople(
  app: FastifyInstance,
  reply: FastifyReply,
  id: string,
  record: MaybePromise<Snapshot>,
): Promise<void> {
  const { body, etag } = await record
  const caller = callerOf(reply.request)
  const ids = await app.read(app.members.people.namedIn(id), caller)
  const others = await othersAmong(app, ids)
  const names = await app.read(app.members.people.names(ids, others), caller)
  await sendSnapshot(reply, { body: withFields(body, { people: names }), etag: etagOf(etag + names) })
  // Fastify treats the end of a handler as the end of its response, which may still be in progress.
  await reply
}
