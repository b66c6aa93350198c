/** Shared helpers of board tests: seeding and inspecting boards. */
import { newId } from '../src/db/ids.ts'
import { apiTokens } from '../src/db/schema.ts'
import { hashToken, newToken } from '../src/members/secrets.ts'
import type { KanbanColumn, KanbanItem } from '../src/schemas/records.ts'
import { type App, age, build, createItem, createProject, LONG_AGO, send } from './helper.ts'
import { TABLES_OF_A_PROJECT } from './kinds.ts'

/** The credential headers. */
type Headers = Record<string, string>

/** The columns that every new project gets. */
export const DEFAULT_COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

/** Creates a project with a card for each letter in its first column, backdated. */
export async function boardOn(app: App, titles: string) {
  const project = await createProject(app)
  const ids = await createCards(app, project.id, titles)
  return { project, projectId: project.id as string, ids }
}

/** An application with such a project. */
export async function boardWith(t: Parameters<typeof build>[0], titles: string) {
  const app = await build(t)
  return { app, ...(await boardOn(app, titles)) }
}

/** Creates one card for each letter, at the end of its column. @returns the ids by title */
export async function createCards(
  app: App,
  projectId: string,
  titles: string,
  fields: object = {},
  headers?: Headers,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const title of titles) {
    const { id } = await createItem(app, projectId, { title, ...fields }, headers)
    age(app, 'kanban_items', id)
    ids[title] = id
  }
  return ids
}

/** Backdates the last change of every item, so that a new one is noticeable. */
export const ageItems = (app: App) =>
  app.db.$client.prepare('update kanban_items set updated_at = ?').run(LONG_AGO)

/** Sets the `sortOrder` of items like another tool: in this order, or all equal. */
export function placeBehindItsBack(
  app: App,
  ids: Record<string, string>,
  places: number | readonly number[],
): void {
  const update = app.db.$client.prepare('update kanban_items set sort_order = ? where id = ?')
  for (const [index, id] of Object.values(ids).entries()) {
    update.run(typeof places === 'number' ? places : places[index], id)
  }
}

/** The items of a project from its own response. */
export const itemsOf = async (app: App, projectId: string): Promise<KanbanItem[]> =>
  (await send(app, 'GET', `/api/projects/${projectId}`)).body.kanbanItems

/** The titles in a column, from top to bottom. */
export const titlesIn = async (app: App, projectId: string, column = 'To Do'): Promise<string> =>
  (await itemsOf(app, projectId))
    .filter((item) => item.column === column)
    .map(({ title }) => title)
    .join('')

/** The columns of a project, from left to right. */
export const columnsOf = async (app: App, projectId: string, headers?: Headers): Promise<KanbanColumn[]> =>
  (await send(app, 'GET', `/api/projects/${projectId}/kanban-columns`, undefined, headers)).body

/** The names of the columns of a project, from left to right. */
export const columnNames = async (app: App, projectId: string): Promise<string[]> =>
  (await columnsOf(app, projectId)).map(({ name }) => name)

export async function columnNamed(
  app: App,
  projectId: string,
  name: string,
  headers?: Headers,
): Promise<KanbanColumn> {
  const column = (await columnsOf(app, projectId, headers)).find((one) => one.name === name)
  if (!column) throw new Error(`there is no column ${name}`)
  return column
}

/** Sets the WIP limit of a column. */
export async function limit(
  app: App,
  projectId: string,
  name: string,
  wipLimit: number,
  wipPolicy: 'warn' | 'block' = 'block',
): Promise<void> {
  const { id } = await columnNamed(app, projectId, name)
  const { status } = await send(app, 'PATCH', `/api/kanban-columns/${id}`, { wipLimit, wipPolicy })
  if (status !== 200) throw new Error(`the column was not limited: ${status}`)
}

/** The activity of an item, oldest first: type, from, to and actor. */
export const activityOf = (app: App, itemId: string): string[][] =>
  app.db.$client
    .prepare(
      `select type, metadata ->> 'from', metadata ->> 'to', actor_id from kanban_activity where item_id = ? order by id`,
    )
    .raw()
    .all(itemId) as string[][]

/** All stored rows of projects and their children, to check that nothing has changed. */
export const everything = (app: App): Record<string, unknown[]> =>
  Object.fromEntries(
    ['projects', ...TABLES_OF_A_PROJECT].map((table) => [
      table,
      app.db.$client.prepare(`select * from ${table} order by rowid`).raw().all(),
    ]),
  )

/** Creates a read-only API token. @returns its headers */
export function readTokenOf(app: App, memberId: string): Headers {
  const token = `pbt_${newToken()}`
  app.db
    .insert(apiTokens)
    .values({ id: newId(), memberId, name: 'CI', scope: 'read', tokenHash: hashToken(token) })
    .run()
  return { authorization: `Bearer ${token}` }
}
