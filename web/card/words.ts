/** Words for the values of a card's fields. What is not listed shows as it is. */
import { texts } from '../texts.ts'

/** The listed priorities, from low to high. */
export const PRIORITIES: readonly string[] = Object.keys(texts.board.priorities)

export const priorityName = (priority: string): string => texts.board.priorities[priority] ?? priority

export const sourceName = (source: string): string => texts.card.sources[source] ?? source
