/** Vikunja's export of a user's data: a list of projects with their tasks. */
import { isObject, type JsonObject } from '../../json.ts'
import { type DraftCard, GatheredBoards } from './draft-cards.ts'
import { textOfHtml } from './html-text.ts'
import {
  type BoardReader,
  newCard,
  type SourceLink,
  type SourcePerson,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import {
  emailIn,
  note,
  number,
  objects,
  oldestFirst,
  sortedBy,
  text,
  time,
  without,
  withoutEmpty,
} from './source-values.ts'
import { baseName } from './table-board.ts'

/** Fields of a task that are not stored in its rest. */
const HAS_FIELD = new Set([
  ...['id', 'title', 'description', 'done', 'due_date', 'project_id', 'priority', 'assignees', 'labels'],
  ...['identifier', 'index', 'related_tasks', 'attachments', 'created', 'updated', 'bucket_id', 'position'],
  ...['kanban_position', 'comments', 'created_by', 'subscription', 'reactions', 'is_favorite'],
])

/** From 0 to 5: unset, low, medium, high, urgent, do now. */
const PRIORITIES = ['', 'low', 'medium', 'high', 'critical', 'critical']

const LINKS = new Map<string, SourceLink['type']>([
  ['blocking', 'blocks'],
  ['precedes', 'blocks'],
  ['blocked', 'blocked_by'],
  ['follows', 'blocked_by'],
  ['duplicateof', 'duplicates'],
])

/** A date; the year 1 stands for none. */
const dateIn = (value: unknown) => (text(value).startsWith('0001-') ? undefined : time(value))
const position = (thing: JsonObject) => number(thing.position)

/** A user. Old exports have no user names. */
function userIn(value: unknown): SourcePerson {
  const { id, username, name, email } = isObject(value) ? value : {}
  return { id: text(username) || text(id), name: text(name) || text(username), email: emailIn(email) }
}

/** Reads projects. Several become one, in which each card has a label with its project's title. */
export const readVikunja: BoardReader = (file, { name }) => {
  const projects = objects((file as { value: unknown }).value)
  const filled = projects.filter(({ tasks }) => objects(tasks).length > 0)
  const used = filled.length > 0 ? filled : projects.slice(0, 1)
  const gathered = new GatheredBoards(used.length)

  const draftsOf = (project: JsonObject): DraftCard[] => {
    const views = sortedBy(objects(project.views), position).filter(({ view_kind }) => view_kind === 'kanban')
    const view = views[0]
    const buckets = sortedBy(objects(project.buckets), position).filter(
      ({ project_view_id }) => view === undefined || project_view_id === view.id,
    )
    const columnOf = new Map(
      buckets.map((bucket) => {
        const column = gathered.columns.of(text(bucket.title))
        column.wipLimit ||= number(bucket.limit) ?? 0
        if (bucket.is_done_bucket === true || (view && bucket.id === view.done_bucket_id))
          column.stage = 'done'
        return [text(bucket.id), column]
      }),
    )
    const inView = (name: string) =>
      objects(project[name]).filter(
        ({ project_view_id }) => view === undefined || project_view_id === view.id,
      )
    const bucketOf = new Map(
      inView('task_buckets').map(({ task_id, bucket_id }) => [text(task_id), text(bucket_id)]),
    )
    const placeOf = new Map(
      inView('positions').map(({ task_id, position }) => [text(task_id), number(position)]),
    )
    const toDraft = (task: JsonObject): DraftCard => {
      const id = text(task.id)
      const createdAt = dateIn(task.created) ?? ''
      const related = isObject(task.related_tasks) ? task.related_tasks : {}
      const description = textOfHtml(text(task.description))
      return {
        state: task.done === true ? 'done' : 'open',
        parent: text(objects(related.parenttask)[0]?.id),
        card: newCard({
          id,
          number: number(task.index) || undefined,
          title: text(task.title),
          description,
          column: columnOf.get(bucketOf.get(id) ?? text(task.bucket_id)),
          position: placeOf.get(id) ?? number(task.kanban_position),
          priority: PRIORITIES[number(task.priority) ?? 0] ?? '',
          assignees: gathered.peopleOf(objects(task.assignees).map(userIn)),
          dueDate: dateIn(task.due_date) ?? null,
          labels: [
            ...new Set(
              objects(task.labels).map(({ id, title, hex_color }) =>
                gathered.labelOf(text(id), text(title), text(hex_color)),
              ),
            ),
            ...gathered.labelsOf(text(project.title)),
          ],
          comments: oldestFirst(
            objects(task.comments).map((comment) => ({
              authorId: gathered.personOf(userIn(comment.author)) || UNKNOWN_AUTHOR,
              text: textOfHtml(text(comment.comment)),
              createdAt: dateIn(comment.created) ?? createdAt,
              editedAt: comment.updated === comment.created ? null : (dateIn(comment.updated) ?? null),
            })),
          ),
          // The files are in the zip archive, without an address.
          attachments: objects(task.attachments).map(({ created_by, ...whole }) => ({
            ...{
              name: text(Object(whole.file).name),
              url: '',
              creatorId: gathered.personOf(userIn(created_by)) || null,
            },
            ...{ createdAt: dateIn(whole.created) ?? createdAt, field: 'attachments', whole },
          })),
          links: Object.entries(related)
            .filter(([kind]) => kind !== 'subtask' && kind !== 'parenttask')
            .flatMap(([kind, others]) =>
              objects(others).map(
                (other): SourceLink => ({ type: LINKS.get(kind) ?? 'relates', to: text(other.id) }),
              ),
            ),
          rest: withoutEmpty({
            ...Object.fromEntries(
              Object.entries(without(task, HAS_FIELD)).filter(
                ([, value]) => value !== 0 && value !== false && !text(value).startsWith('0001-'),
              ),
            ),
            html: description === text(task.description) ? null : task.description,
            creator: gathered.personOf(userIn(task.created_by)),
            priority: number(task.priority) === 0 ? null : task.priority,
          }),
          createdAt,
          updatedAt: dateIn(task.updated) ?? createdAt,
        }),
      }
    }
    return objects(project.tasks).map(toDraft)
  }

  const drafts = used.flatMap(draftsOf)
  const made = gathered.finish('vikunja', drafts, 'bucket')
  const [project = {}] = used
  return {
    ...made,
    id: used.map(({ id }) => text(id)).join(),
    name: used.length === 1 ? text(project.title) : baseName(name),
    description: used.length === 1 ? textOfHtml(text(project.description)) : '',
    archived: used.every(({ is_archived }) => is_archived === true),
    rest: {
      projects: used.map(({ id, title, identifier, description }) =>
        withoutEmpty({ id, title, identifier, description }),
      ),
    },
    notes: [...note(projects.length - used.length, 'projects left out', 'they have no tasks'), ...made.notes],
  }
}
