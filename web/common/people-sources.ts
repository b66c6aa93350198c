/** Where people come from who are no members. */
import { texts } from '../texts.ts'
import type { Person } from './api.ts'

const { sources } = texts.people

/** Where an imported person comes from, in words; undefined for all others. */
export const sourceOf = ({ kind, source }: Pick<Person, 'kind' | 'source'>): string | undefined =>
  kind === 'import' ? ((sources as Readonly<Record<string, string>>)[source] ?? source) : undefined
