/** The origin of people who are not members. */
import { texts } from '../texts.ts'
import type { Person } from './api.ts'

const { sources } = texts.people

/** The origin of an imported person, as text; undefined for anybody else. */
export const sourceOf = ({ kind, source }: Pick<Person, 'kind' | 'source'>): string | undefined =>
  kind === 'import' ? ((sources as Readonly<Record<string, string>>)[source] ?? source) : undefined
