/** Common steps of board tests: creating a project with cards, and finding elements like a user. */
import { isDeepStrictEqual } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import type { KanbanItem } from '../../src/client/api.d.ts'
import type { Client } from '../../src/client/types.d.ts'
import { lookUntil } from './until.ts'

/** The number of writes in one request. */
const MOST = 200

/** The titles of cards by the names of their columns. */
export type Cards = Readonly<Record<string, readonly string[]>>

/** A project with cards, created through the API. */
export interface Made {
  id: string
  /** The path of its board. */
  path: string
  /** The cards by title. */
  cards: ReadonlyMap<string, string>
}

/** Creates a project with cards. Missing columns are added at its end. */
export async function projectWith(api: Client, cards: Cards, name = 'Website relaunch'): Promise<Made> {
  const { id } = await api.post('/api/projects', { body: { name } })
  const requests = Object.entries(cards).flatMap(([column, titles]) =>
    titles.map((title) => ({
      method: 'POST' as const,
      path: `/api/projects/${id}/kanban-items`,
      body: { title, column },
    })),
  )
  const ids = new Map<string, string>()
  for (let at = 0; at < requests.length; at += MOST) {
    const { results } = await api.post('/api/batch', { body: { requests: requests.slice(at, at + MOST) } })
    for (const { body } of results) {
      const { id: made, title } = body as KanbanItem
      ids.set(title, made)
    }
  }
  return { id, path: `/projects/${id}`, cards: ids }
}

export const column = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

export const card = (page: Page, title: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name: title, exact: true }) })

/** The link of a card, whose name is the title. */
export const link = (page: Page, title: string): Locator =>
  page.getByRole('link', { name: title, exact: true })

/** The shown titles of a column, in order. */
export const titlesIn = (page: Page, name: string): Promise<string[]> =>
  column(page, name).getByRole('heading', { level: 3 }).allInnerTexts()

/** The titles of a column in the service. */
export async function savedIn(api: Client, id: string, name: string): Promise<string[]> {
  const items = await api.get('/api/projects/{id}/kanban-items', { path: { id }, query: { column: name } })
  return items.map(({ title }) => title)
}

const same = (titles: string[]) => (others: string[]) => isDeepStrictEqual(others, titles)

/** Waits until a column shows these titles in this order. @returns the last shown titles */
export async function untilShown(page: Page, name: string, titles: string[]): Promise<string[]> {
  return lookUntil(() => titlesIn(page, name), same(titles))
}

/** Waits until the service has these titles in a column. @returns its last titles */
export async function untilSaved(api: Client, id: string, name: string, titles: string[]): Promise<string[]> {
  return lookUntil(() => savedIn(api, id, name), same(titles))
}

/** Waits until the focus is on the link of a card. */
export async function untilFocused(page: Page, title: string): Promise<void> {
  await page.waitForFunction((name) => document.activeElement?.textContent === name, title)
}

/** Waits until a live region announces something. A newer announcement replaces one after a second. */
export const untilSaid = (page: Page, text: string): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
