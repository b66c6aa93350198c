import t from 'tap'
import { refusalOf } from '../../src/agents/refusals.ts'
import type { Service } from '../../src/agents/service.ts'
import { itemWritten } from '../../src/agents/tools/writing.ts'
import { ApiError, invalidField } from '../../src/errors.ts'

const BOARD = [{ name: 'To Do' }, { name: 'Done' }]

/** A service that answers reads with an item or with columns. */
const serviceOf = (item: object, columns: object[] = BOARD) =>
  ({
    read: async (path: string) => [{ status: 200, body: path.endsWith('/kanban-columns') ? columns : item }],
  }) as unknown as Service

t.test('an unknown column is refused with the names of the existing ones', async (t) => {
  const unknown = invalidField('column', 'must be a column of the project')
  const refusal = (args: Record<string, unknown>, service = serviceOf({ projectId: 'p' })) =>
    refusalOf(unknown, args, service, false)
  t.match(await refusal({ projectId: 'p' }), { status: 400, columns: ['To Do', 'Done'] })
  t.match(await refusal({ itemId: 'i' }), { columns: ['To Do', 'Done'] }, 'of the project of its item')
  t.notMatch(await refusal({}), { columns: Array }, 'none without a project')
  const broken = { read: () => Promise.reject(new Error('not found')) } as unknown as Service
  t.notMatch(await refusal({ projectId: 'p' }, broken), { columns: Array }, 'none that cannot be read')
})

t.test('a refusal says what to do next, also of an unusual status', async (t) => {
  const refusal = (await refusalOf(new ApiError(418, 'I am a teapot'), {}, serviceOf({}), false)) as object
  t.match(refusal, { status: 418, error: 'I am a teapot' })
})

t.test('a write whose responses are too large to show says so instead', async (t) => {
  const written = await itemWritten({ answers: [], isReplay: false, unread: 5_000_000 }, serviceOf({}))
  t.notMatch(written, { item: Object })
  t.match(JSON.stringify(written), /too large/)
})
