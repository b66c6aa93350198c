/** Writes of the project's own fields. */
import { type Answer, api, type Project, type UpdateProject } from '../common/api.ts'
import { fieldsOf, type ProjectFields, type ProjectStore } from '../common/project-store.ts'
import { accepted, ifThere, take, writeWithMessage } from '../common/record-writes.ts'
import { read } from '../common/session.ts'
import type { SavingOutcome } from '../common/text-edit/conflict.ts'
import { writeText } from '../common/text-edit/write-text.ts'
import { texts } from '../texts.ts'

/** The fields of a project that are chosen. */
type ProjectChange = Partial<
  Pick<ProjectFields, 'phase' | 'phaseConfig' | 'status' | 'health' | 'type' | 'teamId' | 'leadId'>
> &
  Pick<UpdateProject, 'access' | 'shareLinks'>

/** Loads the project with its ETag. @throws PhaseboardError */
export const readProject = (store: ProjectStore): Promise<Answer<Project>> =>
  read(() => api.request('get', '/api/projects/{id}', { path: { id: store.id } }))

/** Sends a change of the project. @throws PhaseboardError */
const patchProject = (
  store: ProjectStore,
  body: UpdateProject,
  idempotencyKey: string,
  ifMatch?: string | undefined,
) => api.request('patch', '/api/projects/{id}', { path: { id: store.id }, body, idempotencyKey, ifMatch })

/** Stores the project from a response. */
const takeProject =
  ({ projects }: ProjectStore) =>
  ({ data, seq }: Answer<Project>) =>
    take(projects, { data: fieldsOf(data), seq })

/** An optimistic update of the project. */
const shown = ({ projects, id }: ProjectStore, fields: Partial<ProjectFields>) =>
  projects.patch(
    id,
    ifThere((project) => ({ ...project, ...fields })),
  )

/** Saves a choice. It needs no precondition, because it means the same whatever else has changed. @throws PhaseboardError */
const writeProject = (store: ProjectStore, change: ProjectChange, message: string): Promise<unknown> =>
  writeWithMessage(message, {
    pending: [shown(store, change)],
    send: (idempotencyKey) => patchProject(store, change, idempotencyKey),
    onDone: takeProject(store),
  })

/** The same, but shows a message if the service refuses. */
export const chooseProject = (store: ProjectStore, change: ProjectChange, message: string): void =>
  void accepted(writeProject(store, change, message))

/** A text of the project that is edited in place. */
export type ProjectText = 'name' | 'description' | 'nextStep'

/** Saves a text, unless somebody else has changed it since `from`. @throws PhaseboardError */
export const saveProjectText = (
  store: ProjectStore,
  field: ProjectText,
  text: string,
  from: string,
): Promise<SavingOutcome> =>
  writeText({
    text,
    from,
    read: async () => {
      const { data, etag } = await readProject(store)
      return { value: data[field], etag }
    },
    send: (ifMatch, idempotencyKey) => patchProject(store, { [field]: text }, idempotencyKey, ifMatch),
    pending: [shown(store, { [field]: text })],
    onDone: takeProject(store),
    message: texts.overview.saved(texts.overview[field]),
  })
