/** A request for a hidden record does the same work as one for an unknown record: their times tell nothing, either. */
import t from 'tap'
import { documentedOperations } from '../documented.ts'
import { watch } from '../executions.ts'
import { type Call, OF_PROJECTS } from './calls.ts'
import type { Principal } from './model.ts'
import { headersOf, type Ids, UNKNOWN } from './world.ts'
import { buildWorld, pathOf, rollBackWrites } from './world-apps.ts'

const CALLERS = ['a member of nothing', 'a guest of nothing', 'a token for one project']

t.test('a hidden record costs the same statements as an unknown one', async (t) => {
  const world = await buildWorld(t, undefined)
  rollBackWrites(t, world)
  // Where it writes at the same time, one commit serves both, and its statements are not those of the request.
  await world.app.notificationConsumer.stop()
  const executions = watch(t, world.app.db.$client, { isOwn: true })
  // That a change is there is no secret: every number up to the latest is that of a change.
  const operations = (await documentedOperations(world.app)).filter(
    ({ operationId }) => operationId in OF_PROJECTS && operationId !== 'undoChange',
  )
  const unknown = { ...UNKNOWN, seq: '8888888' }
  for (const name of CALLERS) {
    const principal = world.principals.find((one) => one.name === name) as Principal
    const differences: string[] = []
    for (const operation of operations) {
      const call = OF_PROJECTS[operation.operationId] as Call
      const statementsFor = async (ids: Ids) => {
        executions.log.length = 0
        const body = call.body?.(ids)
        await world.app.inject({
          method: operation.method as 'GET',
          url: pathOf(
            operation,
            call.path.map((kind) => ids[kind] as string),
            call.query,
          ),
          headers: headersOf(principal),
          ...(body && { payload: body }),
        })
        return [...executions.log]
      }
      // The first request prepares statements, and enters the scope.
      await statementsFor(unknown)
      const [one, other] = [await statementsFor(unknown), await statementsFor(world.ids.vault)]
      if (JSON.stringify(one) !== JSON.stringify(other)) {
        const more = other.filter((statement) => !one.includes(statement))
        const less = one.filter((statement) => !other.includes(statement))
        differences.push(
          `${operation.operationId}: ${one.length} and ${other.length}: +${more.join(' +')} -${less.join(' -')}`,
        )
      }
    }
    t.strictSame(differences, [], name)
  }
})
