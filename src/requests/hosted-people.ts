/** People whom the host application names for a request, beside those that the service keeps. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PeopleQuery } from '../members/people.ts'
import type { HostPerson } from '../phaseboard.d.ts'
import { PERSON_LIMIT } from '../schemas/common.ts'

/** The decorator of requests with the people whom the host has named for them. */
export const HOSTED = Symbol('phaseboard.hosted')

/** Asks the host whom a request is about to read: a host that lists nobody is not asked. It never fails. */
export async function askHost(
  { peopleOfHost }: FastifyInstance,
  request: FastifyRequest,
  query: PeopleQuery,
): Promise<void> {
  if (peopleOfHost) request.setDecorator(HOSTED, await peopleOfHost(query))
}

/** Whom the host names of those whom a record names: of the first of them, and whoever is not known here. It never fails. */
export const hostedAmong = async (
  { peopleOfHost }: FastifyInstance,
  ids: readonly string[],
): Promise<HostPerson[]> => (await peopleOfHost?.({ ids: ids.slice(0, PERSON_LIMIT) })) ?? []

/** Whom the host has named; nobody in a batch, which has no time to ask. */
export const hostedOf = (request: FastifyRequest): HostPerson[] | undefined =>
  request.getDecorator<HostPerson[] | undefined>(HOSTED)
