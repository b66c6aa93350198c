import fp from 'fastify-plugin'
import { createHostQuery, ListedNames, SeenPeople } from '../src/access/host-people.ts'
import { PAGE_LIMIT } from '../src/db/pages.ts'
import type { NamedPerson, PeopleQuery } from '../src/members/people.ts'
import type { Config, HostPerson, ListMembers } from '../src/phaseboard.d.ts'
import { HOSTED } from '../src/requests/hosted-people.ts'

/** The options of the people plugin. */
export interface PeopleOptions extends Pick<Config, 'authMode' | 'defaultMemberId'> {
  listMembers?: ListMembers | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The default member of open mode, who has no row. */
    defaultPeople: readonly NamedPerson[]
    /** Stores a person named by the host, asynchronously. */
    seePerson: (person: Partial<HostPerson>) => void
    /**
     * Queries the host for people; undefined if it lists none. It never fails. The service stores people looked up by id, since
     * records refer to them. Of a list, it only updates changed names of stored people.
     */
    peopleOfHost: ((query: PeopleQuery) => Promise<HostPerson[]>) | undefined
  }
}

/** People of the host application: the service stores those that `resolveMember` returns, so that records can show their names. */
export default fp<PeopleOptions>(
  async (app, { authMode, defaultMemberId: id, listMembers }) => {
    app.decorate('defaultPeople', authMode === 'open' ? [{ id, name: id, kind: 'member' }] : [])
    const onError = (err: unknown) => app.log.warn({ err }, 'could not store a person of the host')
    const seen = new SeenPeople(
      (person) => app.perform(app.members.people.see(person), { actorId: null }),
      (id) => app.rules.members.people.isKept(id),
      onError,
    )
    const listed = new ListedNames(
      (person) => app.perform(app.members.people.rename(person), { actorId: null }),
      onError,
    )
    app.decorate('seePerson', (person) => seen.see(person))
    const ask =
      listMembers &&
      createHostQuery(listMembers, (err) => app.log.warn({ err }, 'the host did not list its people'))

    async function ofIds(ids: readonly string[]): Promise<HostPerson[]> {
      if (ask === undefined || ids.length === 0) return []
      const named = await ask({ ids, limit: ids.length })
      const hosted = named.filter(({ id }) => ids.includes(id))
      for (const person of hosted) seen.see(person)
      return hosted
    }

    const peopleOfHost = async ({ ids, q, kind = 'host' }: PeopleQuery): Promise<HostPerson[]> => {
      if (ids !== undefined && ids !== '') return ofIds(app.rules.members.people.toAsk(ids))
      if (ask === undefined || kind !== 'host') return []
      const hosted = await ask({ ...(q && { q }), limit: PAGE_LIMIT })
      for (const person of app.rules.members.people.renamed(hosted)) listed.rename(person)
      return hosted
    }
    app.decorate('peopleOfHost', ask && peopleOfHost)
    app.decorateRequest(HOSTED, undefined)
  },
  { name: 'people', fastify: '5.x', dependencies: ['rules'] },
)
