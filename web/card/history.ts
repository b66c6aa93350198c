/**
 * Merges a card's activity and changes into one history. Changes are complete and can be undone, but are pruned. Activity is
 * kept forever. An entry that is in both is shown once. Uses neither the DOM nor the network.
 */
import type { Change, KanbanActivity, KanbanItem } from '../../src/client/api.d.ts'
import { wordsOf } from '../common/terms.ts'
import { later } from '../later-texts.ts'
import { type Sentence, texts } from '../texts.ts'

/** One write by an actor. */
export interface HistoryEntry {
  key: string
  at: string
  /** null for actors other than members: see `actor` */
  actorId: string | null
  actor?: Change['actor']
  sentences: readonly Sentence[]
  /** One of the write's changes, which undo names; undefined if it cannot be undone. */
  seq: number | undefined
}

/** Names for the ids in changes. */
interface HistoryNames {
  member: (id: string) => string
  label: (id: string) => string | undefined
  day: (date: string) => string
}

/** The user. Nobody but admins may undo changes of others' comments. */
interface HistoryReader {
  id: string | undefined
  isAdmin: boolean
}

export interface HistorySources {
  changes: readonly Change[]
  activity: readonly KanbanActivity[]
  /** Whether all stored changes are loaded. Until then, older activity is not shown. */
  isComplete: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** The largest time difference between a change and its activity entry, in milliseconds. */
const SAME_TIME = 5000
/** A record whose creation was recorded this much later than it happened is not new, in milliseconds. */
const LATE = 60_000
/** The maximum number of shown characters of a value. */
const LONG = 120

const words = texts.card.history

const shorten = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value)
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text
}

/** A priority in the language of the page, or as somebody wrote it. */
const priorityOf = (value: unknown): string => {
  const known = texts.board.priorities[String(value)]
  return known === undefined ? shorten(value) : texts.inSentence(known)
}

/** The history, newest first. */
export function historyOf(
  sources: HistorySources,
  names: HistoryNames,
  reader: HistoryReader,
): HistoryEntry[] {
  const { changes, activity, isComplete } = sources
  const oldest = changes.reduce((least, { at }) => (at < least ? at : least), '9999')
  const alone = activity
    .filter((entry) => isComplete || entry.createdAt >= oldest)
    .filter((entry) => !changes.some((change) => isSameChange(change, entry)))
  const groups = groupsOf(changes)
  const first = isComplete ? Math.min(...groups.map(([{ seq }]) => seq)) : undefined
  const entries = [
    ...groups.map((group) => entryOfGroup(group, group[0].seq === first, names, reader)),
    ...alone.map((one) => entryOfActivity(one, names)),
  ]
  return entries
    .filter(({ sentences }) => sentences.length > 0)
    .sort((a, b) => (a.at === b.at ? (b.seq ?? 0) - (a.seq ?? 0) : a.at < b.at ? 1 : -1))
}

const FIELD_OF: Readonly<Record<string, string>> = {
  status_change: 'column',
  assignment: 'assigneeId',
  priority: 'priority',
}

/** Whether a change and an activity entry describe the same write. */
function isSameChange({ kind, action, before, after, at }: Change, entry: KanbanActivity): boolean {
  const field = FIELD_OF[entry.type]
  if (kind !== 'kanban-item' || action !== 'updated' || field === undefined || !after || !(field in after)) {
    return false
  }
  const { from, to } = entry.metadata
  const isSameTime = Math.abs(Date.parse(at) - Date.parse(entry.createdAt)) <= SAME_TIME
  return isSameTime && (before?.[field] ?? '') === (from ?? '') && (after[field] ?? '') === (to ?? '')
}

/** The changes of one write, in order. */
type Group = [Change, ...Change[]]

/** Groups the changes by write. */
function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<number, Group>()
  for (const change of changes) {
    const group = groups.get(change.group)
    if (group) group.push(change)
    else groups.set(change.group, [change])
  }
  return [...groups.values()].map((group) => group.sort((a, b) => a.seq - b.seq))
}

/** Whether it is a change of a comment that somebody else has written. */
function isOthersComment({ kind, before, after, actorId }: Change, { id }: HistoryReader): boolean {
  const { authorId = actorId } = { ...after, ...before }
  return kind === 'kanban-comment' && authorId !== id
}

/** @param isFirst whether nothing was recorded before it */
function entryOfGroup(
  group: Group,
  isFirst: boolean,
  names: HistoryNames,
  reader: HistoryReader,
): HistoryEntry {
  const last = group.at(-1)
  // The entry of a created or deleted card includes its child records.
  const whole = group.find(({ kind, action }) => kind === 'kanban-item' && action !== 'updated')
  // A deleted card comes back with its comments, whoever wrote them.
  const isForeign = !whole && !reader.isAdmin && group.some((change) => isOthersComment(change, reader))
  const sentences = whole
    ? wholeSentences(whole, isFirst)
    : group.flatMap((change) => sentencesOf(change, names))
  return {
    key: `change-${last?.seq}`,
    at: last?.at ?? '',
    actorId: last?.actorId ?? null,
    ...(last?.actor && { actor: last.actor }),
    sentences: withoutRepeats(sentences),
    seq: isForeign || whole?.action === 'created' ? undefined : last?.seq,
  }
}

function wholeSentences({ action, after, at, actorId, actor }: Change, isFirst: boolean): Sentence[] {
  if (action === 'deleted') return [words.deleted]
  const isLate = Date.parse(at) - Date.parse(String(after?.createdAt)) > LATE
  // The service records every record of an older file once, as a creation without an actor. A command may have imported
  // the card.
  if (isLate && actorId === null && actor !== 'command line') return []
  // What comes back was there before. Without an earlier change, an older card came from another tool or from an archive.
  if (isFirst && (isLate || after?.source === 'import')) return [importSentence(after ?? {})]
  return [isFirst ? words.created : words.broughtBack]
}

/** Names of tools; others are their format's name. */
const TOOLS: Readonly<Record<string, string>> = { ...texts.people.sources, csv: 'CSV' }

/** Imports keep what has no field in the metadata, under the name of the format. */
function importSentence({ source, metadata }: Fields): Sentence {
  const [format] = source === 'import' ? Object.keys(Object(metadata)) : []
  if (format === undefined) return words.imported
  return words.importedFrom(shorten(TOOLS[format] ?? wordsOf(format)))
}

function withoutRepeats(sentences: readonly Sentence[]): Sentence[] {
  const known = new Set<string>()
  return sentences.filter((sentence) => {
    const text = JSON.stringify(sentence)
    return !known.has(text) && known.add(text)
  })
}

function sentencesOf(change: Change, names: HistoryNames): readonly Sentence[] {
  const before = change.before ?? {}
  const after = change.after ?? {}
  switch (change.kind) {
    case 'kanban-item':
      return itemSentences(before, after, names)
    case 'kanban-subtask':
      return subtaskSentences(change, before, after)
    case 'kanban-comment':
      return [words.comment[change.action]]
    case 'kanban-item-label':
      return [labelSentence(change, names)]
    case 'attachment':
      return fileSentences(change, before, after)
    default:
      return []
  }
}

function labelSentence({ id, action }: Change, names: HistoryNames): Sentence {
  const name = names.label(id.split(':')[1] ?? '')
  const { added, removed, unknown } = words.label
  if (name === undefined) return action === 'deleted' ? unknown.removed : unknown.added
  return action === 'deleted' ? removed(shorten(name)) : added(shorten(name))
}

function subtaskSentences({ action }: Change, before: Fields, after: Fields): Sentence[] {
  if (action === 'created') return [words.subtask.added(shorten(after.title))]
  if (action === 'deleted') return [words.subtask.deleted(shorten(before.title))]
  const sentences: Sentence[] = []
  if ('title' in after) sentences.push(words.subtask.renamed(shorten(before.title), shorten(after.title)))
  if ('completed' in after) sentences.push(after.completed ? words.subtask.ticked : words.subtask.unticked)
  return sentences.length === 0 && 'sortOrder' in after ? [words.subtask.ordered] : sentences
}

function fileSentences({ action }: Change, before: Fields, after: Fields): Sentence[] {
  if (action === 'created') return [words.file.added(shorten(after.name))]
  if (action === 'deleted') return [words.file.deleted(shorten(before.name))]
  return 'name' in after ? [words.file.renamed(shorten(before.name), shorten(after.name))] : []
}

type ToldField = (from: unknown, to: unknown, names: HistoryNames) => Sentence | undefined

/** Fields of a card without changes of their own. */
type Untold = 'id' | 'number' | 'createdAt' | 'updatedAt' | 'labels' | 'subtasks' | 'warnings'

/** Fields that often change with others, which say more. */
const FALLBACKS = { sortOrder: words.ordered, isNew: words.seen } as const satisfies Partial<
  Record<keyof KanbanItem, Sentence>
>

/** One sentence for each other changed field of the card, in this order. */
const FIELDS: Readonly<Record<Exclude<keyof KanbanItem, Untold | keyof typeof FALLBACKS>, ToldField>> = {
  projectId: () => words.movedProject,
  column: (from, to) => words.moved(shorten(from), shorten(to)),
  title: (from, to) => words.titled(shorten(from), shorten(to)),
  description: () => words.described,
  priority: (from, to) => words.prioritised(priorityOf(from), priorityOf(to)),
  assigneeId: (from, to, { member }) => assignment(from && member(String(from)), to && member(String(to))),
  assigneeIds: (from, to, { member }) => others(from as string[], to as string[], member),
  dueDate: (from, to, { day }) => dueDate(from && day(String(from)), to && day(String(to))),
  approved: (_, to) => (to ? words.approved : words.unapproved),
  dismissed: (_, to) => (to ? words.dismissed : words.restored),
  claimedUntil: (_, to) => (to ? words.claimed : words.released),
  coverId: (_, to) => (to ? words.file.cover : words.file.noCover),
  reminders: () => words.reminders,
  source: () => words.source,
  sourceId: () => words.source,
  metadata: () => words.metadata,
}

function itemSentences(before: Fields, after: Fields, names: HistoryNames): Sentence[] {
  const sentences = Object.entries(FIELDS)
    .filter(([field]) => field in after)
    .map(([field, say]) => say(before[field], after[field], names))
    .filter((sentence) => sentence !== undefined)
  if (sentences.length > 0) return sentences
  return Object.entries(FALLBACKS)
    .filter(([field]) => field in after)
    .map(([, sentence]) => sentence)
}

function assignment(from: unknown, to: unknown): Sentence {
  if (!to) return words.unassigned(shorten(from))
  return from ? words.reassigned(shorten(from), shorten(to)) : words.assigned(shorten(to))
}

/** The assignees after the first one, of whom its own sentence tells. */
function others(
  from: readonly string[],
  to: readonly string[],
  member: HistoryNames['member'],
): Sentence | undefined {
  const newIn = (list: readonly string[], other: readonly string[]) =>
    list
      .slice(1)
      .filter((id) => !other.includes(id))
      .map((id) => shorten(member(id)))
      .join(', ')
  const [added, removed] = [newIn(to, from), newIn(from, to)]
  if (added === '') return removed === '' ? undefined : later.assignees.alsoRemoved(removed)
  return removed === '' ? later.assignees.alsoAdded(added) : later.assignees.changed(removed, added)
}

function dueDate(from: unknown, to: unknown): Sentence {
  if (!to) return words.notDue(shorten(from))
  return from ? words.dueMoved(shorten(from), shorten(to)) : words.due(shorten(to))
}

function entryOfActivity(entry: KanbanActivity, { member }: HistoryNames): HistoryEntry {
  const { from, to } = entry.metadata
  const sentence =
    entry.type === 'status_change'
      ? words.moved(shorten(from), shorten(to))
      : entry.type === 'priority'
        ? words.prioritised(priorityOf(from), priorityOf(to))
        : entry.type === 'assignment'
          ? assignment(from && member(String(from)), to && member(String(to)))
          : words.other(entry.type, shorten(entry.content))
  const { id: key, createdAt: at, actorId } = entry
  return { key, at, actorId, sentences: [sentence], seq: undefined }
}
