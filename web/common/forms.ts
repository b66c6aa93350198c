/** The service's validation errors, shown at the fields of a form. */
import { texts } from '../texts.ts'
import { messageOf, PhaseboardError } from './api.ts'

/** The errors of a form. */
export interface Problems {
  /** The message that belongs to no field of the form. */
  whole: string | undefined
  /** Messages by the name of the field. */
  fields: Readonly<Record<string, string>>
}

export const NO_PROBLEMS: Problems = { whole: undefined, fields: {} }

/**
 * Assigns the messages of a failure to the fields.
 * @param names the fields of the form
 */
export function problemsOf(error: unknown, names: readonly string[]): Problems {
  const { theirs } = Object(error) as { theirs?: Record<string, unknown> }
  if (theirs !== undefined) return lostRace(theirs, names)
  const { fieldErrors = {}, formErrors = [] } = Object(error instanceof PhaseboardError && error.details) as {
    fieldErrors?: Record<string, string[]>
    formErrors?: string[]
  }
  const entries = Object.entries(fieldErrors)
  const known = entries.filter(([name]) => names.includes(name))
  const isAllKnown = known.length > 0 && known.length === entries.length && formErrors.length === 0
  return {
    whole: isAllKnown ? undefined : messageOf(error),
    fields: Object.fromEntries(known.map(([name, messages]) => [name, messages.join(', ')])),
  }
}

/** The messages for fields that somebody else has changed in the meantime. */
function lostRace(theirs: Record<string, unknown>, names: readonly string[]): Problems {
  const entries = Object.entries(theirs)
  const known = entries.filter(([name]) => names.includes(name))
  return {
    whole: known.length < entries.length ? texts.allChangedMeanwhile : undefined,
    fields: Object.fromEntries(known.map(([name, value]) => [name, texts.changedMeanwhile(String(value))])),
  }
}

/** The fields that differ from the record. A write sends only these, so that it does not overwrite others' changes of other fields. */
export function changedFields<T extends object>(before: Partial<T>, after: T): Partial<T> {
  const entries = Object.entries(after) as [keyof T, unknown][]
  const changed = entries.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed) as Partial<T>
}

/** The text of a form's field, with the line endings of records; empty if the form lacks the field. */
export const textIn = (fields: { get(name: string): unknown }, name: string): string =>
  String(fields.get(name) ?? '').replaceAll('\r\n', '\n')

/** The values of a form by field. A field has several if several boxes are ticked. */
export type FormValues = Readonly<Record<string, readonly string[]>>

/** The values of a form, only texts. */
export function valuesOf(entries: Iterable<[string, unknown]>): FormValues {
  const values: Record<string, string[]> = {}
  for (const [name, value] of entries)
    if (typeof value === 'string') values[name] = [...(values[name] ?? []), value]
  return values
}

/** A field that the user has changed: its values, and those at the start of editing. */
export interface ChangedField {
  now: readonly string[]
  /** Empty if it is not known, as in drafts of earlier versions of the page. */
  from: readonly string[]
}

/**
 * The fields that a form's draft changes. The others show the current record, so that the draft does not revert changes by
 * others.
 */
export function changedIn(
  draft: { text: string; from: string } | undefined,
): Readonly<Record<string, ChangedField>> {
  const [now, from] = [parsed(draft?.text), parsed(draft?.from)]
  const fields = Object.keys({ ...now, ...from }).map(
    (name) => [name, { now: now[name] ?? [], from: from[name] ?? [] }] as const,
  )
  return Object.fromEntries(fields.filter(([, field]) => !isSame(field.now, field.from)))
}

/** The values in a draft; none if it is invalid. Earlier versions of the page stored one for each field. */
function parsed(text: string | undefined): FormValues {
  try {
    const values = Object.entries(Object(JSON.parse(text || '{}')) as Record<string, string | string[]>)
    return Object.fromEntries(values.map(([name, value]) => [name, [value].flat()]))
  } catch {
    return {}
  }
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  JSON.stringify(one) === JSON.stringify(other)

/** Fields change white space in their initial values, e.g. line endings. */
const plain = (text: string) => text.replace(/\s/g, '')

/** Whether somebody else has changed the field since, to something else than the user. @param value the current one */
export const isLost = ({ now, from }: ChangedField, value: string): boolean =>
  from.length > 0 && ![...from, ...now].some((one) => plain(one) === plain(value))
