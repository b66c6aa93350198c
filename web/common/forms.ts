/** What the service says is wrong with a form, told at the fields that it is about. */
import { texts } from '../texts.ts'
import { messageOf, PhaseboardError } from './api.ts'

/** What is wrong with a form. */
export interface Problems {
  /** What is about no field of the form. */
  whole: string | undefined
  /** By the name of the field. */
  fields: Readonly<Record<string, string>>
}

export const NO_PROBLEMS: Problems = { whole: undefined, fields: {} }

/**
 * Puts a failure where it belongs.
 * @param names the fields that the form has
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

/** What is said of fields that somebody else has changed meanwhile. */
function lostRace(theirs: Record<string, unknown>, names: readonly string[]): Problems {
  const entries = Object.entries(theirs)
  const known = entries.filter(([name]) => names.includes(name))
  return {
    whole: known.length < entries.length ? texts.allChangedMeanwhile : undefined,
    fields: Object.fromEntries(known.map(([name, value]) => [name, texts.changedMeanwhile(String(value))])),
  }
}

/** The fields that differ from a record's, so that a write says nothing of what somebody else may have changed. */
export function changedFields<T extends object>(before: Partial<T>, after: T): Partial<T> {
  const entries = Object.entries(after) as [keyof T, unknown][]
  const changed = entries.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed) as Partial<T>
}

/** What was typed into a form, as a draft keeps it: texts alone, the first of each name. */
export const toDraft = (values: Iterable<[string, unknown]>): string =>
  JSON.stringify(Object.fromEntries([...values].filter(([, value]) => typeof value === 'string').reverse()))

/** What a draft of a form holds; nothing for a text that is none. */
export function fromDraft(text: string | undefined): Readonly<Record<string, string>> {
  try {
    return Object(text === undefined ? {} : JSON.parse(text)) as Record<string, string>
  } catch {
    return {}
  }
}
