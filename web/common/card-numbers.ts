/** The numbers of cards, with the key of their project: `WEB-12`. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { href, paths } from '../router.ts'
import type { ProjectStore } from './project-store.ts'

/** The number of a card; undefined until the service has given it one. */
export function numberOf(
  { project }: ProjectStore,
  { number }: Pick<KanbanItem, 'number'>,
): string | undefined {
  return project?.key && number !== null ? `${project.key}-${number}` : undefined
}

/** The address of a card to pass on: with its number, if it has one. */
export function addressToShare(store: ProjectStore, id: string): string {
  const item = store.items.peek(id)
  const number = item && numberOf(store, item)
  return href(number === undefined ? paths.card(store.id, id) : paths.number(number))
}

/** The places of a rendered text that look like numbers of cards. */
const placesIn = (nodes: ParentNode) => nodes.querySelectorAll<HTMLElement>('[data-number]')

/** Whether a rendered text has what looks like numbers of cards. */
export const hasNumbers = (nodes: ParentNode): boolean => placesIn(nodes).length > 0

/** Makes them links. @param keys of the projects that the user sees: `UTF-8` is no card */
export function linkNumbers(nodes: ParentNode, keys: ReadonlySet<string>): void {
  for (const place of placesIn(nodes)) {
    const { number = '' } = place.dataset
    if (place.closest('a') !== null || !keys.has(number.split('-')[0] ?? '')) continue
    const link = document.createElement('a')
    link.href = href(paths.number(number))
    link.textContent = number
    place.replaceWith(link)
  }
}
