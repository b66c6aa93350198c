/** The audit log as sentences. */
import type { AuditEntry } from '../common/api.ts'

/** What happened, in the words of the page; an action that it does not know, by its name. */
export const actionName = (action: string, names: Readonly<Record<string, string>>): string =>
  names[action] ?? action

/** What the page calls whoever acts without being a member, and an unknown one. */
interface ActorNames {
  nobody: string
  actors: Readonly<Record<string, string>>
}

/**
 * Who acted, by the name of that time; older entries hold none.
 * @param nameNow the name that a member has now
 */
export function actorOf(
  { actorId, actor }: Pick<AuditEntry, 'actorId' | 'actor'>,
  nameNow: (id: string) => string,
  { nobody, actors }: ActorNames,
): string {
  if (actorId !== null) return actor ?? nameNow(actorId)
  return actor === null ? nobody : (actors[actor] ?? actor)
}

/** What was acted on, or whose it is, by the name of that time. */
export const subjectOf = (
  { subjectId, subject }: Pick<AuditEntry, 'subjectId' | 'subject'>,
  nameNow: (id: string) => string,
): string => subject ?? (subjectId === null ? '' : nameNow(subjectId))

/** The details of an entry, one text each: `role: member → admin`. */
export function detailsOf({ metadata }: Pick<AuditEntry, 'metadata'>): string[] {
  const { from, to, ...rest } = metadata
  const change = from === undefined && to === undefined ? [] : [`${textOf(from)} → ${textOf(to)}`]
  return [...change, ...Object.entries(rest).map(([name, value]) => `${name}: ${textOf(value)}`)]
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The entries of some actions; all for none. */
export const ofAction = (entries: readonly AuditEntry[], action: string): readonly AuditEntry[] =>
  action === '' ? entries : entries.filter((entry) => entry.action === action)
