/** The applications of the tests of access, one for each way to identify callers. */
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import type { Test } from 'tap'
import phaseboard from '../../src/app.ts'
import { type App, build, wholeUnlessEvents } from '../helper.ts'
import { PRINCIPALS, type Principal, type Project } from './model.ts'
import { type Ids, memberIdOf, populate } from './world.ts'

/** An application with the world in it. */
export interface World {
  app: App
  ids: Record<Project, Ids>
  principals: readonly Principal[]
}

/** Builds a service inside a host, which names its members by a header. */
async function embedded(t: Test): Promise<App> {
  const host = Fastify()
  t.teardown(() => host.close())
  let inner: FastifyInstance | undefined
  host.register(async (scope) => {
    scope.addHook('onRegister', (instance) => {
      inner ??= instance
    })
    await scope.register(phaseboard, {
      databaseUrl: ':memory:',
      authMode: 'required',
      resolveMember: ({ headers }) => {
        const one = PRINCIPALS.find(({ name, mode }) => mode === 'host' && name === headers['x-member'])
        return one && { id: memberIdOf(one), role: one.role, ...(one.given && { projects: one.given }) }
      },
      listMembers: async () => [
        { id: 'hank', name: 'Hank of the host' },
        { id: 'valda', name: 'Valda Smith' },
      ],
    })
  })
  await host.ready()
  const inject = (async (options: InjectOptions) =>
    wholeUnlessEvents(await host.inject({ ...options, payloadAsStream: true }))) as App['inject']
  return Object.assign(inner as App, { inject })
}

const BUILDERS = {
  here: (t: Test) => build(t, { authMode: 'required' }),
  host: embedded,
  open: (t: Test) => build(t, { authMode: 'open', defaultMemberId: 'm the default member' }),
}

/** Builds an application, and makes the world in it. */
export async function buildWorld(t: Test, mode: Principal['mode']): Promise<World> {
  const app = await BUILDERS[mode ?? 'here'](t)
  const ids = await populate(app, mode)
  return { app, ids, principals: PRINCIPALS.filter((one) => one.mode === mode) }
}

/** Lets every write be answered as usual, and be rolled back instead of committed: the world stays as it is. */
export function rollBackWrites(t: Test, { app }: World): void {
  const { $client: client } = app.db
  const rollback = client.prepare('rollback')
  const statements = Object.getPrototypeOf(rollback)
  const { run } = statements
  t.teardown(() => {
    statements.run = run
  })
  statements.run = function (...values: unknown[]) {
    const isCommit = this.database === client && this.source === 'commit'
    return run.apply(isCommit ? rollback : this, values)
  }
}

/** The path of a request. @param named the ids in it, in order */
export const pathOf = ({ path }: { path: string }, named: readonly string[], query = ''): string => {
  const left = [...named]
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? 'none'))
  return query ? `${filled}?${query}` : filled
}
