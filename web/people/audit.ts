/** Texts for the entries of the audit log. */
import type { AuditEntry } from '../common/api.ts'

/** The text for an action; its name if the page does not know it. */
export const actionName = (action: string, names: Readonly<Record<string, string>>): string =>
  names[action] ?? action

/** Texts for actors who are not members, and for unknown ones. */
interface ActorNames {
  nobody: string
  actors: Readonly<Record<string, string>>
}

/**
 * The actor, by the name at that time. Older entries have no name.
 * @param nameNow the current name of the member
 */
export function actorOf(
  { actorId, actor }: Pick<AuditEntry, 'actorId' | 'actor'>,
  nameNow: (id: string) => string,
  { nobody, actors }: ActorNames,
): string {
  if (actorId !== null) return actor ?? nameNow(actorId)
  return actor === null ? nobody : (actors[actor] ?? actor)
}

/** The target of the action, or its owner, by the name at that time. */
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

/** The entries of some actions; all entries if none are given. */
export const ofAction = (entries: readonly AuditEntry[], action: string): readonly AuditEntry[] =>
  action === '' ? entries : entries.filter((entry) => entry.action === action)
