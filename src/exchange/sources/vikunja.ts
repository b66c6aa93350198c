/** Vikunja's export of a user's data: a list of projects with their tasks. */
import { isObject, type JsonObject } from '../../json.ts'
import { type DraftCard, settle } from './draft-cards.ts'
import { textOfHtml } from './html-text.ts'
import {
  type BoardReader,
  newCard,
  type SourceColumn,
  type SourceLabel,
  type SourceLink,
  type SourcePerson,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import {
  ByName,
  distinctBy,
  EMAIL_FIELDS,
  emailIn,
  note,
  number,
  objects,
  oldestFirst,
  repeatedCards,
  sortedBy,
  span,
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

/** Reads projects. Several become one, in which each card has a label with its project's title. */
export const readVikunja: BoardReader = (file, { name }) => {
  const projects = objects((file as { value: unknown }).value)
  const filled = projects.filter(({ tasks }) => objects(tasks).length > 0)
  const used = filled.length > 0 ? filled : projects.slice(0, 1)
  const columns = new ByName(
    (title): SourceColumn => ({ name: title, color: '', wipLimit: 0, createdAt: '' }),
  )
  const labels = new Map<string, SourceLabel>()
  const projectLabels = new ByName((title): SourceLabel => ({ name: title, color: '', createdAt: '' }))
  const people = new Map<string, SourcePerson>()
  const personOf = (value: unknown): string => {
    if (!isObject(value)) return ''
    const id = text(value.username) || text(value.id)
    if (id !== '')
      people.set(id, { id, name: text(value.name) || text(value.username), email: emailIn(value.email) })
    return id
  }
  const labelOf = (label: JsonObject): SourceLabel => {
    const id = text(label.id) || text(label.title)
    const color = /^[0-9a-f]{6}$/i.test(text(label.hex_color))
      ? `#${text(label.hex_color).toLowerCase()}`
      : ''
    const known = labels.get(id) ?? { name: text(label.title), color, createdAt: '' }
    labels.set(id, known)
    return known
  }

  const draftsOf = (project: JsonObject): DraftCard[] => {
    const views = sortedBy(objects(project.views), position).filter(({ view_kind }) => view_kind === 'kanban')
    const view = views[0]
    const buckets = sortedBy(objects(project.buckets), position).filter(
      ({ project_view_id }) => view === undefined || project_view_id === view.id,
    )
    const columnOf = new Map(
      buckets.map((bucket) => {
        const column = columns.of(text(bucket.title))
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
          assignees: [...new Set(objects(task.assignees).map(personOf))].filter((person) => person !== ''),
          dueDate: dateIn(task.due_date) ?? null,
          labels: [
            ...new Set(objects(task.labels).map(labelOf)),
            ...(used.length > 1 ? [projectLabels.of(text(project.title))] : []),
          ],
          comments: oldestFirst(
            objects(task.comments).map((comment) => ({
              authorId: personOf(comment.author) || UNKNOWN_AUTHOR,
              text: textOfHtml(text(comment.comment)),
              createdAt: dateIn(comment.created) ?? createdAt,
              editedAt: comment.updated === comment.created ? null : (dateIn(comment.updated) ?? null),
            })),
          ),
          // The files are in the zip archive, without an address.
          attachments: objects(task.attachments).map(({ created_by, ...whole }) => ({
            ...{ name: text(Object(whole.file).name), url: '', creatorId: personOf(created_by) || null },
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
            creator: personOf(task.created_by),
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
  const distinct = distinctBy(drafts, ({ card }) => card.id)
  const settled = settle(distinct, {
    format: 'vikunja',
    columns: columns.all,
    keepColumn: (card, title) => {
      card.rest.bucket = title
    },
  })
  const { first, last } = span(
    distinct.flatMap(({ card }) => [card.createdAt, card.updatedAt]).map((at) => at || undefined),
  )
  for (const { card } of distinct) {
    card.createdAt ||= first
    card.updatedAt ||= card.createdAt
    for (const part of [...card.comments, ...card.attachments]) part.createdAt ||= card.createdAt
  }
  const all = [...labels.values(), ...projectLabels.all]
  for (const part of [...all, ...columns.all]) part.createdAt = first
  const [project = {}] = used
  return {
    format: 'vikunja',
    id: used.map(({ id }) => text(id)).join(),
    name: used.length === 1 ? text(project.title) : baseName(name),
    description: used.length === 1 ? textOfHtml(text(project.description)) : '',
    archived: used.every(({ is_archived }) => is_archived === true),
    createdAt: first,
    updatedAt: last,
    columns: columns.all,
    ...settled,
    labels: all,
    people: [...people.values()],
    rest: {
      projects: used.map(({ id, title, identifier, description }) =>
        withoutEmpty(without({ id, title, identifier, description }, EMAIL_FIELDS)),
      ),
    },
    notes: [
      ...repeatedCards(drafts.length - distinct.length),
      ...note(projects.length - used.length, 'projects left out', 'they have no tasks'),
      ...settled.notes,
    ],
  }
}
