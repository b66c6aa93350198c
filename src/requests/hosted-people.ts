/** People whom the host application lists for a request, besides stored ones. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { NamedPerson, PeopleQuery } from '../members/people.ts'
import type { HostPerson } from '../phaseboard.d.ts'
import { PERSON_LIMIT } from '../schemas/common.ts'

/** Request decorator with the people from the host. */
export const HOSTED = Symbol('phaseboard.hosted')

/** Queries the host for the people that a request will read, if the host lists people. It never fails. */
export async function askHost(
  { peopleOfHost }: FastifyInstance,
  request: FastifyRequest,
  query: PeopleQuery,
): Promise<void> {
  if (peopleOfHost) request.setDecorator(HOSTED, await peopleOfHost(query))
}

/** Queries for the people of one record, at most, and the milliseconds after which no further one begins. */
const MAX_QUERIES = 10
const MAX_TIME = 1000

/** The people of a record, from the host, in several queries if there are many. It never fails. */
export async function hostedAmong(
  { peopleOfHost }: FastifyInstance,
  ids: readonly string[],
): Promise<HostPerson[]> {
  const hosted: HostPerson[] = []
  if (peopleOfHost === undefined) return hosted
  const end = Date.now() + MAX_TIME
  for (let from = 0; from < ids.length && from < MAX_QUERIES * PERSON_LIMIT; from += PERSON_LIMIT) {
    if (Date.now() > end) break
    hosted.push(...(await peopleOfHost({ ids: ids.slice(from, from + PERSON_LIMIT) })))
  }
  return hosted
}

/** The same with the default member: the people without a row in a record. It never fails. */
export const othersAmong = async (app: FastifyInstance, ids: readonly string[]): Promise<NamedPerson[]> => [
  ...(await hostedAmong(app, ids)),
  ...app.defaultPeople,
]

/** The people without a row for a request: those from the host, except in a batch, and the default member. */
export const othersOf = ({ defaultPeople }: FastifyInstance, request: FastifyRequest): NamedPerson[] => [
  ...(request.getDecorator<HostPerson[] | undefined>(HOSTED) ?? []),
  ...defaultPeople,
]
