/** The serialised response of a project, in parts, so that a change of one item need not serialise the others again. */
import { type TProperties, Type } from '@sinclair/typebox'
import type { ProjectFrame } from '../projects/projects.ts'
import { ref } from '../schemas/common.ts'
import { type KanbanItem, KanbanItemSchema, type Project, ProjectSchema } from '../schemas/records.ts'
import { createSerializer } from '../schemas/serialization.ts'

/** The position of an item in a project's text, in bytes, and its sort key. */
interface Place {
  id: string
  sortOrder: number
  start: number
  end: number
}

/** The positions of the parts of a project that a share link omits, in bytes. */
interface Marks {
  /** The project's own metadata, from the beginning of the text. */
  metadataStart: number
  metadataEnd: number
  /** The transcripts, from the end of the last item: up to the next relation. */
  transcriptsLength: number
}

/** A project's response as JSON in UTF-8, with the positions of its items, in order. */
export interface ProjectText {
  body: Buffer
  marks: Marks
  /** The bytes before the first item, and those up to the end of the last. */
  itemsStart: number
  itemsEnd: number
  places: Place[]
}

/** A project's text without its bytes, in a form that is cheap to structured-clone to another thread. */
export interface PackedText {
  marks: Marks
  itemsStart: number
  itemsEnd: number
  ids: string[]
  /** For each item: sortOrder, start and end. */
  numbers: Float64Array
}

/** Packs a project's text for another thread. @returns the input of {@link unpack}, without the body */
export function pack({ marks, itemsStart, itemsEnd, places }: Omit<ProjectText, 'body'>): PackedText {
  const numbers = new Float64Array(places.length * 3)
  for (const [index, { sortOrder, start, end }] of places.entries())
    numbers.set([sortOrder, start, end], index * 3)
  return { marks, itemsStart, itemsEnd, ids: places.map(({ id }) => id), numbers }
}

/** Restores a project's text from its bytes and the result of {@link pack}. */
export function unpack({ marks, itemsStart, itemsEnd, ids, numbers }: PackedText, body: Buffer): ProjectText {
  const places = ids.map((id, index) => ({
    id,
    sortOrder: numbers[index * 3] as number,
    start: numbers[index * 3 + 1] as number,
    end: numbers[index * 3 + 2] as number,
  }))
  return { body, marks, itemsStart, itemsEnd, places }
}

/** An item's text to join into a project's: bytes of the old project's buffer or its own. */
interface ItemText extends Place {
  source: Buffer
}

/** The order of items: by sortOrder, then by the bytes of their ids, as in the database. */
const isBefore = (a: ItemText, b: ItemText) =>
  a.sortOrder === b.sortOrder
    ? Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)) < 0
    : a.sortOrder < b.sortOrder

/** Collects the bytes of a text in order. @returns the bytes */
type Sink = (text: string | Buffer) => Buffer

/** Inserts an item into a sorted list, by binary search. */
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

/** What surrounds the items of a project: the bytes before the first, and those after the last. */
interface Surroundings {
  head: Buffer
  tail: Buffer
  marks: Marks
}

function join({ head, tail, marks }: Surroundings, items: ItemText[]): ProjectText {
  const commas = Math.max(0, items.length - 1)
  const size = items.reduce((sum, { start, end }) => sum + end - start, head.length + commas + tail.length)
  const body = Buffer.allocUnsafeSlow(size)
  let at = head.copy(body)
  // Neighbours in the old text are copied as one run, with the commas between them.
  let run: { source: Buffer; start: number; end: number } | undefined
  const copyRun = () => {
    if (run) at += run.source.copy(body, at, run.start, run.end)
  }
  const places = items.map(({ id, sortOrder, source, start, end }) => {
    if (run?.source === source && run.end + 1 === start) {
      run.end = end
    } else {
      copyRun()
      if (run) body[at++] = COMMA
      run = { source, start, end }
    }
    const placed = at + start - run.start
    return { id, sortOrder, start: placed, end: placed + end - start }
  })
  copyRun()
  tail.copy(body, at)
  return { body, marks, itemsStart: head.length, itemsEnd: at, places }
}

const fields = Object.entries(ProjectSchema.properties as TProperties)
const placeOf = (field: string) => fields.findIndex(([name]) => name === field)
const itemsAt = placeOf('kanbanItems')
const metadataAt = placeOf('metadata')
const METADATA = '"metadata":'

/** Serialises some of a project's fields, without the braces. */
function serializerOf(some: typeof fields): (project: object) => string {
  const serialize = createSerializer(Type.Object(Object.fromEntries(some))) as (project: object) => string
  return (project) => serialize(project).slice(1, -1)
}

/**
 * Creates the serializer of projects, by the schema of their records and in its order.
 * @returns `write`, for a whole project, `writeTo`, for one whose items come in pieces, and `replace`, for changed parts of a
 * serialised one
 */
export function createProjectWriter() {
  const beforeMetadata = serializerOf(fields.slice(0, metadataAt))
  const metadataOf = serializerOf([fields[metadataAt] as (typeof fields)[number]])
  const afterMetadata = serializerOf(fields.slice(metadataAt + 1, itemsAt))
  const transcriptsOf = serializerOf([fields[itemsAt + 1] as (typeof fields)[number]])
  const afterTranscripts = serializerOf(fields.slice(itemsAt + 2))
  const serializeItem = createSerializer(ref(KanbanItemSchema))
  function toText(item: KanbanItem): ItemText {
    const source = Buffer.from(serializeItem(item))
    return { id: item.id, sortOrder: item.sortOrder, source, start: 0, end: source.length }
  }

  function around(frame: ProjectFrame): Surroundings {
    const before = Buffer.from(`{${beforeMetadata(frame)},`)
    const metadata = Buffer.from(metadataOf(frame))
    const between = Buffer.from(`,${afterMetadata(frame)},"kanbanItems":[`)
    const transcripts = Buffer.from(`],${transcriptsOf(frame)},`)
    const after = Buffer.from(`${afterTranscripts(frame)}}`)
    return {
      head: Buffer.concat([before, metadata, between]),
      tail: Buffer.concat([transcripts, after]),
      marks: {
        metadataStart: before.length + METADATA.length,
        metadataEnd: before.length + metadata.length,
        transcriptsLength: transcripts.length,
      },
    }
  }

  return {
    /** Serialises a whole project. */
    write(project: Project): ProjectText {
      return join(around(project), project.kanbanItems.map(toText))
    },

    /**
     * Serialises a whole project, like {@link write}, into another target.
     * @param pieces its items, in order
     */
    writeTo(add: Sink, frame: ProjectFrame, pieces: Iterable<KanbanItem[]>): Omit<ProjectText, 'body'> {
      const { head, tail, marks } = around(frame)
      const places: Place[] = []
      let at = add(head).length
      const itemsStart = at
      for (const items of pieces) {
        const texts = items.map(serializeItem)
        if (places.length > 0) at += add(',').length
        add(texts.join())
        for (const [index, { id, sortOrder }] of items.entries()) {
          if (index > 0) at++
          const start = at
          at += Buffer.byteLength(texts[index] as string)
          places.push({ id, sortOrder, start, end: at })
        }
      }
      add(tail)
      return { marks, itemsStart, itemsEnd: at, places }
    },

    /**
     * Serialises a partly changed project.
     * @param old the project's former text
     * @param changed the ids of changed, added and removed items
     * @param items those of them that the project has now
     * @param frame the project without its items, if that has changed too
     */
    replace(
      old: ProjectText,
      changed: ReadonlySet<string>,
      items: KanbanItem[],
      frame?: ProjectFrame,
    ): ProjectText {
      const { body, marks, itemsStart, itemsEnd, places } = old
      const texts: ItemText[] = []
      for (const { id, sortOrder, start, end } of places) {
        if (!changed.has(id)) texts.push({ id, sortOrder, start, end, source: body })
      }
      for (const item of items) insert(toText(item), texts)
      const surroundings = frame
        ? around(frame)
        : { head: body.subarray(0, itemsStart), tail: body.subarray(itemsEnd), marks }
      return join(surroundings, texts)
    },
  }
}
