/** Common steps of tests of the card's dialog, by roles and names. */
import type { Locator, Page } from 'playwright-core'
import type { KanbanItem } from '../../src/client/api.d.ts'
import type { Board } from './browser.ts'

/** A project with a card. */
interface CardPlace {
  projectId: string
  item: KanbanItem
  /** The path of the card's dialog. */
  path: string
}

/** Makes a project with a card. */
export async function makeCard(
  { api }: Pick<Board, 'api'>,
  body: { title: string; description?: string },
): Promise<CardPlace> {
  const { id: projectId } = await api.post('/api/projects', { body: { name: 'Website relaunch' } })
  const item = await api.post('/api/projects/{id}/kanban-items', { path: { id: projectId }, body })
  return { projectId, item, path: `/projects/${projectId}/items/${item.id}` }
}

/** The dialog of a card. */
export const dialogOf = (page: Page, title?: string): Locator =>
  page.getByRole('dialog', title === undefined ? {} : { name: title, exact: true })

/** A section of the dialog by its heading. */
export const partOf = (page: Page, name: string): Locator =>
  dialogOf(page).getByRole('region', { name, exact: true })

/** The texts of the history, newest first, without times. */
export async function historyLines(page: Page): Promise<string[]> {
  const entries = partOf(page, 'History').getByRole('listitem')
  await entries.first().waitFor()
  return entries.evaluateAll((all) =>
    all.map((entry) => {
      const time = entry.querySelector('time')?.textContent ?? ''
      return (entry.firstElementChild?.textContent ?? '').replace(time, '').trim()
    }),
  )
}
