/** Records in tool results: small, with long texts truncated. */
import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../schemas/common.ts'
import type { KanbanItem } from '../schemas/records.ts'
import { type Names, named, namesOf } from './names.ts'
import type { Service } from './service.ts'

/** An item in a list. It is part of most results, so its schema has no descriptions. */
export const CardSchema = Type.Object({
  id: Type.String(),
  number: Nullable(Type.Number()),
  projectId: Type.String(),
  title: Type.String(),
  column: Type.String(),
  priority: Type.String(),
  assigneeId: Nullable(Type.String()),
  assignee: Type.Optional(Type.String()),
  assigneeIds: Type.Optional(Type.Array(Type.String())),
  assignees: Type.Optional(Type.Array(Type.String())),
  dueDate: Nullable(Type.String()),
  labels: Type.Array(Type.String()),
  subtasks: Type.Optional(Type.Object({ done: Type.Integer(), total: Type.Integer() })),
  claimedUntil: Type.Optional(Type.String()),
  dismissed: Type.Optional(Type.Boolean()),
})
export type Card = Static<typeof CardSchema>

/** All assignees of an item, if there are several, with the names that are known. */
export const severalOf = ({ assigneeIds }: KanbanItem, names: Names) =>
  assigneeIds.length > 1 ? { assigneeIds, assignees: assigneeIds.flatMap((id) => names.get(id) ?? []) } : {}

/** An item as shown in lists. */
export function cardOf(item: KanbanItem, names: Names): Card {
  const { id, number, projectId, title, column, priority, assigneeId, dueDate, labels, subtasks } = item
  const done = subtasks.filter(({ completed }) => completed).length
  return {
    id,
    number,
    projectId,
    title,
    column,
    priority,
    assigneeId,
    ...named('assignee', assigneeId, names),
    ...severalOf(item, names),
    dueDate,
    labels: labels.map(({ name }) => name),
    ...(subtasks.length > 0 && { subtasks: { done, total: subtasks.length } }),
    ...(item.claimedUntil && { claimedUntil: item.claimedUntil }),
    ...(item.dismissed && { dismissed: true }),
  }
}

/** Items as shown in a list. */
export async function cardsOf(items: readonly KanbanItem[], service: Service): Promise<Card[]> {
  const names = await namesOf(
    service,
    items.flatMap(({ assigneeIds }) => assigneeIds),
  )
  return items.map((item) => cardOf(item, names))
}

/** Truncates texts, and collects notes about it. */
export class Cutter {
  readonly notes: string[] = []
  readonly #limit: number
  readonly #howToReadOn: string

  /**
   * @param limit characters of a text
   * @param howToReadOn how an agent can read the whole text
   */
  constructor(limit: number, howToReadOn: string) {
    this.#limit = limit
    this.#howToReadOn = howToReadOn
  }

  /** A text, or its beginning. @param name its name in the note */
  text(name: string, text: string): string {
    if (text.length <= this.#limit) return text
    this.notes.push(
      `${name} was cut: ${this.#limit} of ${text.length} characters are shown; ${this.#howToReadOn}`,
    )
    // Does not split a surrogate pair.
    return text.slice(0, this.#limit).toWellFormed()
  }

  /** The notes as a field; none if nothing was truncated. */
  field(): { notes?: string[] } {
    return this.notes.length > 0 ? { notes: this.notes } : {}
  }
}

/** The notes of a result. */
export const Notes = Type.Optional(
  Type.Array(Type.String(), { description: 'Omitted parts, and how to read them' }),
)
