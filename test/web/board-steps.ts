/** What tests of the board do again and again: a project with cards, and finding things on it as a person would. */
import { isDeepStrictEqual } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import type { KanbanItem } from '../../src/client/api.d.ts'
import type { Client } from '../../src/client/types.d.ts'
import { lookUntil } from './until.ts'

/** How many writes go into one request. */
const MOST = 200

/** The titles of cards by the names of their columns. */
export type Cards = Readonly<Record<string, readonly string[]>>

/** A project with cards, made by its API. */
export interface Made {
  id: string
  /** The address of its board. */
  path: string
  /** The cards by their titles. */
  cards: ReadonlyMap<string, string>
}

/** Makes a project with cards. Columns that a new project has not are made at its end. */
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

/** A column, by its name. */
export const column = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

/** A card, by its title. */
export const card = (page: Page, title: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name: title, exact: true }) })

/** The link of a card, which is named by its title. */
export const link = (page: Page, title: string): Locator =>
  page.getByRole('link', { name: title, exact: true })

/** The titles that a column shows, in order. */
export const titlesIn = (page: Page, name: string): Promise<string[]> =>
  column(page, name).getByRole('heading', { level: 3 }).allInnerTexts()

/** The titles of a column as the service has them. */
export async function savedIn(api: Client, id: string, name: string): Promise<string[]> {
  const items = await api.get('/api/projects/{id}/kanban-items', { path: { id }, query: { column: name } })
  return items.map(({ title }) => title)
}

const same = (titles: string[]) => (others: string[]) => isDeepStrictEqual(others, titles)

/** Waits until a column shows these titles in this order. @returns what it shows then, or at last */
export async function untilShown(page: Page, name: string, titles: string[]): Promise<string[]> {
  return lookUntil(() => titlesIn(page, name), same(titles))
}

/** Waits until the service has these titles in a column. @returns what it has then, or at last */
export async function untilSaved(api: Client, id: string, name: string, titles: string[]): Promise<string[]> {
  return lookUntil(() => savedIn(api, id, name), same(titles))
}

/** Waits until the focus is on the link of a card. */
export async function untilFocused(page: Page, title: string): Promise<void> {
  await page.waitForFunction((name) => document.activeElement?.textContent === name, title)
}

/** Waits until something is said to screen readers. What is said after a second by something newer never is. */
export const untilSaid = (page: Page, text: string): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
