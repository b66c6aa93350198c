/** The text of a project's response, in parts, so that a change of one item need not write the others anew. */
import { type TProperties, Type } from '@sinclair/typebox'
import { ref } from './schemas/common.ts'
import {
  type KanbanItem,
  KanbanItemSchema,
  namedSchemas,
  type Project,
  ProjectSchema,
} from './schemas/records.ts'
import { createSerializer } from './serialization.ts'

/** Where an item stands in a project's text, in bytes, and among its siblings. */
interface Place {
  id: string
  sortOrder: number
  start: number
  end: number
}

/** A project's response as JSON in UTF-8, with the places of its items, in order. */
export interface ProjectText {
  body: Buffer
  /** The bytes before the first item, and those up to the end of the last. */
  itemsStart: number
  itemsEnd: number
  places: Place[]
}

/** An item's text on its way into a project's: bytes of a buffer, that of the old project or its own. */
interface ItemText extends Place {
  source: Buffer
}

/** The order of items: by sortOrder, then by the bytes of their ids, as the database has it. */
const isBefore = (a: ItemText, b: ItemText) =>
  a.sortOrder === b.sortOrder
    ? Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)) < 0
    : a.sortOrder < b.sortOrder

/** Puts an item in its place among items in order. */
function insert(item: ItemText, siblings: ItemText[]): void {
  let low = 0
  let high = siblings.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(siblings[middle] as ItemText, item)) low = middle + 1
    else high = middle
  }
  siblings.splice(low, 0, item)
}

const COMMA = ','.charCodeAt(0)

function join(head: Buffer, items: ItemText[], tail: Buffer): ProjectText {
  const commas = Math.max(0, items.length - 1)
  const size = items.reduce((sum, { start, end }) => sum + end - start, head.length + commas + tail.length)
  const body = Buffer.allocUnsafeSlow(size)
  let at = head.copy(body)
  const places = items.map(({ id, sortOrder, source, start, end }, index) => {
    if (index > 0) body[at++] = COMMA
    const place = { id, sortOrder, start: at, end: at + end - start }
    at += source.copy(body, at, start, end)
    return place
  })
  tail.copy(body, at)
  return { body, itemsStart: head.length, itemsEnd: at, places }
}

const fields = Object.entries(ProjectSchema.properties as TProperties)
const itemsAt = fields.findIndex(([name]) => name === 'kanbanItems')
const serializerOf = (some: typeof fields) =>
  createSerializer(Type.Object(Object.fromEntries(some)), namedSchemas) as (project: object) => string

/**
 * Makes what writes projects, by the schema of their records and in its order.
 * @returns `write`, for a whole project, and `replace`, for some items of one that is written already
 */
export function createProjectWriter() {
  const beforeItems = serializerOf(fields.slice(0, itemsAt))
  const afterItems = serializerOf(fields.slice(itemsAt + 1))
  const serializeItem = createSerializer(ref(KanbanItemSchema), namedSchemas)
  function toText(item: KanbanItem): ItemText {
    const source = Buffer.from(serializeItem(item))
    return { id: item.id, sortOrder: item.sortOrder, source, start: 0, end: source.length }
  }

  return {
    /** Writes a whole project. */
    write: (project: Project): ProjectText =>
      join(
        Buffer.from(`${beforeItems(project).slice(0, -1)},"kanbanItems":[`),
        project.kanbanItems.map(toText),
        Buffer.from(`],${afterItems(project).slice(1)}`),
      ),

    /**
     * Writes a project of which only items have changed.
     * @param old the project as it was
     * @param changed the ids of items that are no longer what they were
     * @param items those of them that are the project's now
     */
    replace(old: ProjectText, changed: ReadonlySet<string>, items: KanbanItem[]): ProjectText {
      const { body, itemsStart, itemsEnd, places } = old
      const texts: ItemText[] = []
      for (const { id, sortOrder, start, end } of places) {
        if (!changed.has(id)) texts.push({ id, sortOrder, start, end, source: body })
      }
      for (const item of items) insert(toText(item), texts)
      return join(body.subarray(0, itemsStart), texts, body.subarray(itemsEnd))
    },
  }
}
