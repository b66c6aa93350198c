import t from 'tap'
import { columnNamed, createCards, everything, readTokenOf } from '../boards.ts'
import {
  type App,
  authenticationRequired,
  build,
  createProject,
  holds,
  type Row,
  readOnly,
  signInAs,
} from '../helper.ts'

const readToken = { error: 'Forbidden: read-only token' }
const worthless = { cookie: 'phaseboard_session=worthless' }

/** A board with a card and an empty column. */
async function board(app: App, headers?: Record<string, string>) {
  const { id: projectId } = await createProject(app, {}, headers)
  const { a } = await createCards(app, projectId, 'a', {}, headers)
  const { id: columnId } = await columnNamed(app, projectId, 'Done', headers)
  return { projectId: projectId as string, itemId: String(a), columnId }
}

type Board = Awaited<ReturnType<typeof board>>

/** A request for each endpoint that changes a board, and the response if it is permitted. The last one deletes the column. */
const changes = ({ projectId, itemId, columnId }: Board) =>
  [
    ['POST', `/api/kanban-items/${itemId}/move`, { position: 'top' }, 200, {}],
    ['PATCH', '/api/kanban-items', { ids: [itemId], update: { isNew: true } }, 200, [{}]],
    [
      'POST',
      `/api/projects/${projectId}/kanban-items/reorder`,
      { items: [{ id: itemId, column: 'Review', sortOrder: 5 }] },
      200,
      [{}],
    ],
    ['POST', `/api/projects/${projectId}/kanban-columns`, { name: 'Parked' }, 201, {}],
    [
      'POST',
      `/api/projects/${projectId}/kanban-columns/reorder`,
      { items: [{ id: columnId, sortOrder: -1 }] },
      200,
      [{}],
    ],
    ['PATCH', `/api/kanban-columns/${columnId}`, { color: 'red' }, 200, {}],
    ['DELETE', `/api/kanban-columns/${columnId}`, undefined, 200, {}],
  ] as const

/** The same with ids that match nothing, and bodies that are not JSON or have the wrong shape. */
const nonsense = changes({ projectId: 'none', itemId: 'none', columnId: 'none' }).flatMap(([method, url]) =>
  ['{oops', '[]', undefined].map((body) => [method, url, body] as const),
)

/** The responses of the endpoints that read columns. */
const reads = ({ projectId, columnId }: Board) =>
  [
    ['GET', `/api/projects/${projectId}/kanban-columns`, [{}, {}, {}, {}]],
    ['GET', `/api/kanban-columns/${columnId}`, {}],
  ] as const

/** Rows in which the caller with these headers may read and change the board. */
const looks = (own: Board, headers: Record<string, string> | undefined) =>
  reads(own).map(([method, url, answer]): Row => [method, url, undefined, headers, 200, answer])
const acts = (own: Board, headers: Record<string, string> | undefined) =>
  changes(own).map(([method, url, body, status, answer]): Row => [method, url, body, headers, status, answer])

/** Rows in which the caller with these headers is always refused. */
const refused = (
  own: Board,
  headers: Record<string, string> | undefined,
  status: number,
  error: object,
): Row[] =>
  [...changes(own), ...nonsense].map(
    ([method, url, body]): Row => [method, url, body, headers, status, error],
  )

t.test('in required mode members change a board; viewers and read tokens only read it', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const member = signInAs(app, 'member')
  const viewer = signInAs(app, 'viewer')
  const admin = signInAs(app, 'admin')
  const own = await board(app, member.headers)
  const before = everything(app)
  await holds(t, app, [
    ...refused(own, undefined, 401, authenticationRequired),
    ...refused(own, worthless, 401, authenticationRequired),
    ...refused(own, viewer.headers, 403, readOnly),
    ...refused(own, readTokenOf(app, member.id), 403, readToken),
    ...refused(own, readTokenOf(app, admin.id), 403, readToken),
  ])
  t.strictSame(everything(app), before, 'nothing has changed')
  await holds(t, app, [
    ...reads(own).flatMap(([method, url]): Row[] => [
      [method, url, 401, authenticationRequired],
      [method, url, undefined, worthless, 401, authenticationRequired],
    ]),
    ...looks(own, viewer.headers),
    ...looks(own, readTokenOf(app, viewer.id)),
    ...acts(own, member.headers),
    ...acts(await board(app, admin.headers), admin.headers),
  ])
})

t.test('in open mode no credential is needed, but an invalid one is refused', async (t) => {
  const app = await build(t)
  const { id } = signInAs(app, 'admin')
  const refusing = await board(app)
  const before = everything(app)
  await holds(t, app, [
    ...refused(refusing, worthless, 401, authenticationRequired),
    ...refused(refusing, readTokenOf(app, id), 403, readToken),
  ])
  t.strictSame(everything(app), before)
  for (const headers of [undefined, signInAs(app, 'viewer').headers, signInAs(app, 'member').headers]) {
    const own = await board(app)
    await holds(t, app, [...looks(own, headers), ...acts(own, headers)])
  }
})
