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

/** The values of a form as a draft stores them: only texts, and the first of each name. */
export const toDraft = (values: Iterable<[string, unknown]>): string =>
  JSON.stringify(Object.fromEntries([...values].filter(([, value]) => typeof value === 'string').reverse()))

/** The values in a form's draft; none if the draft is invalid. */
export function fromDraft(text: string | undefined): Readonly<Record<string, string>> {
  try {
    return Object(text === undefined ? {} : JSON.parse(text)) as Record<string, string>
  } catch {
    return {}
  }
}
