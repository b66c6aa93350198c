/** Texts for the values of a card's fields. A value without one is shown as it is. */
import { texts } from '../texts.ts'

/** The known priorities, from low to high. */
export const PRIORITIES: readonly string[] = Object.keys(texts.board.priorities)

export const priorityName = (priority: string): string => texts.board.priorities[priority] ?? priority

export const sourceName = (source: string): string => texts.card.sources[source] ?? source
