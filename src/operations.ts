/**
 * What may be too much for the event loop, by name, so that the worker thread can do it instead: the same rules, on a
 * connection of its own. Each is whole, its answer included; long answers are bytes, which cost nothing to hand over.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { prepareActivityLog } from './activity.ts'
import type { Actor } from './audit-log.ts'
import { type ChildTable, prepareChildList } from './children.ts'
import type { SharedDatabase } from './db/client.ts'
import {
  kanbanColumns,
  kanbanComments,
  kanbanLabels,
  kanbanSubtasks,
  metrics,
  objectives,
  transcriptSummaries,
} from './db/schema.ts'
import { type Meeting, prepareIngest } from './ingest.ts'
import { type KanbanColumnInput, prepareKanbanColumns } from './kanban-columns.ts'
import {
  type Destination,
  type KanbanItemInput,
  prepareKanbanItemChanges,
  type Written,
} from './kanban-item-changes.ts'
import { type ItemFilter, type ItemPage, prepareKanbanItemLists } from './kanban-item-lists.ts'
import { prepareKanbanItems } from './kanban-items.ts'
import { type KanbanLabelInput, prepareKanbanLabels } from './kanban-labels.ts'
import { prepareKanbanSubtasks } from './kanban-subtasks.ts'
import type { Measurement } from './metrics.ts'
import type { Place } from './ordering.ts'
import { type PageQuery, readPage } from './pages.ts'
import { preparePersonalIdeas } from './personal-ideas.ts'
import { createProjectWriter, type PackedText, pack } from './project-text.ts'
import {
  type ProjectFilter,
  preparePagedProjects,
  prepareProjectChanges,
  prepareProjects,
} from './projects.ts'
import { ref } from './schemas/common.ts'
import {
  type CurrentMember,
  IngestedTranscriptSchema,
  KanbanActivitySchema,
  KanbanColumnSchema,
  KanbanCommentSchema,
  type KanbanItem,
  KanbanItemSchema,
  KanbanLabelSchema,
  KanbanSubtaskSchema,
  MetricSchema,
  namedSchemas,
  ObjectiveSchema,
  PersonalIdeaSchema,
  type SearchResult,
  TeamAssignmentSchema,
  TeamSchema,
  TranscriptSummarySchema,
} from './schemas/records.ts'
import { prepareSearch } from './search.ts'
import { createSerializer } from './serialization.ts'
import { assemble, etagOf } from './snapshots.ts'
import { prepareTeamAssignments, type Team } from './team-assignments.ts'
import { prepareTeams } from './teams.ts'

/** JSON in UTF-8, ready to be sent. */
export type JsonBytes = Uint8Array

/** Makes what writes values as JSON in UTF-8. */
function createWriter<T extends TSchema>(schema: T): (value: Static<T>) => JsonBytes {
  const serialize = createSerializer(schema, namedSchemas)
  return (value) => Buffer.from(serialize(value))
}

/** A list of projects as it is sent, and where in it each project stands. */
export interface PackedList {
  body: Uint8Array
  etag: string
  next: string | undefined
  texts: (PackedText & { id: string; etag: string; start: number; end: number })[]
}

/** The items of a list as they are sent, and the cursor of the next page where there is one. */
export interface SentItems {
  body: JsonBytes
  next: string | undefined
}

/** Records of which all that belong to one project or item can be listed. */
export type ListedThing =
  | 'Kanban column'
  | 'Kanban comment'
  | 'Kanban label'
  | 'Kanban subtask'
  | 'Metric'
  | 'Objective'
  | 'Transcript summary'

/**
 * Prepares what reads whole projects, for the worker thread alone: the event loop has its own snapshots of them. Each runs
 * in a transaction.
 */
export function prepareProjectReads(db: SharedDatabase) {
  const projects = prepareProjects(db)
  const placesOf = preparePagedProjects(db)
  const projectWriter = createProjectWriter()

  function listOf(ids: string[], next?: string): PackedList {
    const found = new Map(projects.getAll(ids).map((project) => [project.id, projectWriter.write(project)]))
    const texts = ids.flatMap((id) => {
      const text = found.get(id)
      return text ? [{ id, text, body: text.body, etag: etagOf(text.body) }] : []
    })
    const { body, etag } = assemble(texts)
    // The list begins with a bracket, and one character stands between two projects.
    let start = 1
    const packed = texts.map(({ id, text, etag }) => {
      const end = start + text.body.length
      const one = { ...pack(text), id, etag, start, end }
      start = end + 1
      return one
    })
    return { body, etag, next, texts: packed }
  }

  return {
    /** The text of a project; undefined when there is none. */
    projectText(id: string): (PackedText & { body: Uint8Array; etag: string }) | undefined {
      const [project] = projects.getAll([id])
      if (!project) return undefined
      const text = projectWriter.write(project)
      return { ...pack(text), body: text.body, etag: etagOf(text.body) }
    },

    projectList: (filter: ProjectFilter) => listOf(projects.idsOf(filter)),

    projectPage(filter: ProjectFilter, query: PageQuery) {
      const { ids, next } = readPage(placesOf(filter), query)
      return listOf(ids, next)
    },
  }
}

/** Prepares what only reads. Each runs in a transaction. */
export function prepareReads(db: SharedDatabase) {
  const lists = prepareKanbanItemLists(db)
  const search = prepareSearch(db)
  const writeItems = createWriter(Type.Array(ref(KanbanItemSchema)))
  const activityOf = prepareActivityLog(db)
  const ideas = preparePersonalIdeas(db)
  const teams = prepareTeams(db)
  const writeActivity = createWriter(Type.Array(ref(KanbanActivitySchema)))
  const writeIdeas = createWriter(Type.Array(ref(PersonalIdeaSchema)))
  const writeTeams = createWriter(Type.Array(ref(TeamSchema)))

  function childList<Row extends TSchema>(table: ChildTable, record: Row): (parentId: string) => JsonBytes {
    const list = prepareChildList(db, table)
    const toBytes = createWriter(Type.Array(ref(record)))
    return (parentId) => toBytes(list(parentId) as Static<Row>[])
  }
  const childLists: Record<ListedThing, (parentId: string) => JsonBytes> = {
    'Kanban column': childList(kanbanColumns, KanbanColumnSchema),
    'Kanban comment': childList(kanbanComments, KanbanCommentSchema),
    'Kanban label': childList(kanbanLabels, KanbanLabelSchema),
    'Kanban subtask': childList(kanbanSubtasks, KanbanSubtaskSchema),
    Metric: childList(metrics, MetricSchema),
    Objective: childList(objectives, ObjectiveSchema),
    'Transcript summary': childList(transcriptSummaries, TranscriptSummarySchema),
  }

  const sent = ({ items, next }: ItemPage): SentItems => ({ body: writeItems(items), next })

  return {
    /** @throws ApiError 404 when there is no such project */
    itemsOfProject: (projectId: string, filter: Omit<ItemFilter, 'projectId'> & PageQuery) =>
      sent(lists.ofProject(projectId, filter)),

    itemsOfAll: (filter: ItemFilter & PageQuery) => sent(lists.ofAll(filter)),

    /** The records of one kind that belong to a project or an item. @throws ApiError 404 when there is no such parent */
    listChildren: (thing: ListedThing, parentId: string): JsonBytes => childLists[thing](parentId),

    /** @throws ApiError 404 when there is no such item */
    activityOf: (itemId: string) => writeActivity(activityOf(itemId)),

    ideasOf: (owners: string[]) => writeIdeas(ideas.ofOwners(owners)),

    teams: () => writeTeams(teams.list()),

    search: (text: string, memberId: string, limit: number): SearchResult[] => search(text, memberId, limit),
  }
}

/** Records that clients put in another order. */
export type ReorderedThing = 'projects' | 'kanbanColumns' | 'kanbanSubtasks' | 'personalIdeas'

/** Prepares what changes something. Each runs in a write. */
export function prepareWrites(db: SharedDatabase) {
  const projects = prepareProjects(db)
  const projectChanges = prepareProjectChanges(db)
  const items = prepareKanbanItems(db)
  const itemChanges = prepareKanbanItemChanges(db)
  const columns = prepareKanbanColumns(db)
  const labels = prepareKanbanLabels(db)
  const subtasks = prepareKanbanSubtasks(db)
  const ideas = preparePersonalIdeas(db)
  const assignments = prepareTeamAssignments(db)
  const ingest = prepareIngest(db)
  const writeItems = createWriter(Type.Array(ref(KanbanItemSchema)))
  const writeMetrics = createWriter(Type.Array(ref(MetricSchema)))
  const writeAssignments = createWriter(Type.Array(ref(TeamAssignmentSchema)))
  const writeTranscript = createWriter(ref(IngestedTranscriptSchema))

  const withWarnings = (item: KanbanItem, { warnings }: Written) =>
    warnings.length > 0 ? { ...item, warnings } : item
  const answer = (written: Written) => withWarnings(items.get(written.id), written)
  function answerAll(written: Written[]): JsonBytes {
    const all = items.getMany(written.map(({ id }) => id))
    return writeItems(all.map((item, index) => withWarnings(item, written[index] as Written)))
  }

  const ordered = {
    projects: { reorder: projectChanges.reorder, get: projects.place },
    kanbanColumns: columns,
    kanbanSubtasks: subtasks,
    personalIdeas: ideas,
  }

  return {
    deleteProject: (id: string, by: Actor) => projectChanges.delete(id, by),

    createItem: (projectId: string, input: KanbanItemInput & { title: string }) =>
      answer(itemChanges.create(projectId, input)),
    updateItem: (id: string, input: KanbanItemInput, actorId: string) =>
      answer(itemChanges.update(id, input, actorId)),
    moveItem: (id: string, destination: Destination, actorId: string) =>
      answer(itemChanges.move(id, destination, actorId)),
    updateItems: (ids: string[], input: KanbanItemInput, actorId: string) =>
      answerAll(itemChanges.updateMany(ids, input, actorId)),
    reorderItems: (projectId: string, wanted: (Place & { column: string })[], actorId: string) =>
      answerAll(itemChanges.reorder(projectId, wanted, actorId)),
    deleteItem: (id: string) => itemChanges.delete(id),

    updateColumn(id: string, input: KanbanColumnInput) {
      columns.update(id, input)
      return columns.get(id)
    },
    deleteColumn: (id: string, member: CurrentMember, moveTo: string | undefined) =>
      columns.delete(id, member, moveTo),

    updateLabel(id: string, input: KanbanLabelInput) {
      labels.update(id, input)
      return labels.get(id)
    },
    deleteLabel: (id: string) => labels.delete(id),

    /** @returns what the answer has of each, in the order of the request */
    reorder(things: ReorderedThing, places: Place[], parentId: string, member: CurrentMember): object[] {
      const { reorder, get } = ordered[things]
      reorder(places, parentId, member)
      return places.map(({ id }) => get(id, member))
    },

    replaceAssignments(projectId: string, team: Team) {
      assignments.replace(projectId, team)
      return writeAssignments(assignments.list(projectId))
    },

    ingestTranscript: (projectId: string, meeting: Meeting) =>
      writeTranscript(ingest.transcript(projectId, meeting)),
    ingestMetrics: (projectId: string, measurements: readonly Measurement[]) =>
      writeMetrics(ingest.metrics(projectId, measurements)),
  }
}

type Reads = ReturnType<typeof prepareReads> & ReturnType<typeof prepareProjectReads>
type Writes = ReturnType<typeof prepareWrites>

/** The operations, by name. */
export type Operations = Reads & Writes
