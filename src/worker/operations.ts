/**
 * What may be too much for the event loop, by name, so that the worker thread can do it instead: the same rules, on a
 * connection of its own. Each is whole, its answer included; long answers are bytes, which cost nothing to hand over.
 */

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { SharedDatabase } from '../db/client.ts'
import { type ChildTable, prepareChildList } from '../db/old-children.ts'
import type { Place } from '../db/ordering.ts'
import { metrics, objectives, transcriptSummaries } from '../db/schema.ts'
import type { Actor } from '../members/audit-log.ts'
import { prepareTeamAssignments, type Team } from '../projects/assignments.ts'
import { preparePersonalIdeas } from '../projects/ideas.ts'
import { type Meeting, prepareIngest } from '../projects/ingest.ts'
import type { Measurement } from '../projects/metrics.ts'
import { prepareProjectChanges, prepareProjects } from '../projects/projects.ts'
import type { ProjectReads } from '../reading/packed-projects.ts'
import { prepareSearch } from '../reading/search.ts'
import { ref } from '../schemas/common.ts'
import {
  type CurrentMember,
  IngestedTranscriptSchema,
  MetricSchema,
  ObjectiveSchema,
  PersonalIdeaSchema,
  type SearchResult,
  TeamAssignmentSchema,
  TranscriptSummarySchema,
} from '../schemas/records.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'

/** Records of which all that belong to one project or item can be listed. */
export type ListedThing = 'Metric' | 'Objective' | 'Transcript summary'

/** Prepares what only reads. Each runs in a transaction. */
export function prepareReads(db: SharedDatabase) {
  const search = prepareSearch(db)
  const ideas = preparePersonalIdeas(db)
  const writeIdeas = createJsonWriter(Type.Array(ref(PersonalIdeaSchema)))

  function childList<Row extends TSchema>(table: ChildTable, record: Row): (parentId: string) => JsonBytes {
    const list = prepareChildList(db, table)
    const toBytes = createJsonWriter(Type.Array(ref(record)))
    return (parentId) => toBytes(list(parentId) as Static<Row>[])
  }
  const childLists: Record<ListedThing, (parentId: string) => JsonBytes> = {
    Metric: childList(metrics, MetricSchema),
    Objective: childList(objectives, ObjectiveSchema),
    'Transcript summary': childList(transcriptSummaries, TranscriptSummarySchema),
  }

  return {
    /** The records of one kind that belong to a project or an item. @throws ApiError 404 when there is no such parent */
    listChildren: (thing: ListedThing, parentId: string): JsonBytes => childLists[thing](parentId),

    ideasOf: (owners: string[]) => writeIdeas(ideas.ofOwners(owners)),

    search: (text: string, memberId: string, limit: number): SearchResult[] => search(text, memberId, limit),
  }
}

/** Records that clients put in another order. */
export type ReorderedThing = 'projects' | 'personalIdeas'

/** Prepares what changes something. Each runs in a write. */
export function prepareWrites(db: SharedDatabase) {
  const projects = prepareProjects(db)
  const projectChanges = prepareProjectChanges(db)
  const ideas = preparePersonalIdeas(db)
  const assignments = prepareTeamAssignments(db)
  const ingest = prepareIngest(db)
  const writeMetrics = createJsonWriter(Type.Array(ref(MetricSchema)))
  const writeAssignments = createJsonWriter(Type.Array(ref(TeamAssignmentSchema)))
  const writeTranscript = createJsonWriter(ref(IngestedTranscriptSchema))

  const ordered = {
    projects: { reorder: projectChanges.reorder, get: projects.place },
    personalIdeas: ideas,
  }

  return {
    deleteProject: (id: string, by: Actor) => projectChanges.delete(id, by),

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

type Reads = ReturnType<typeof prepareReads> & ProjectReads
type Writes = ReturnType<typeof prepareWrites>

/** The operations, by name. */
export type Operations = Reads & Writes

/** Performs an operation, in whichever thread. */
export type Perform = <Name extends keyof Operations>(
  name: Name,
  ...args: Parameters<Operations[Name]>
) => Promise<ReturnType<Operations[Name]>>
