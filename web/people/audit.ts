/** The audit log as sentences. */
import type { AuditEntry } from '../common/api.ts'

/** What happened, in the words of the page; an action that it does not know, by its name. */
export const actionName = (action: string, names: Readonly<Record<string, string>>): string =>
  names[action] ?? action

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
