/** The names of people beside their ids: one lookup for all that a tool returns. */
import { PERSON_LIMIT } from '../schemas/common.ts'
import type { Person } from '../schemas/records.ts'
import type { Service } from './service.ts'

/** The names of people, by their ids. */
export type Names = ReadonlyMap<string, string>

/**
 * Looks up the names of some ids. Unknown and forgotten people are left out. If people cannot be read, the result is empty, not an
 * error, because the tool has already done its work.
 */
export async function namesOf(
  { readPeople }: Pick<Service, 'readPeople'>,
  ids: Iterable<string | null | undefined>,
): Promise<Names> {
  const names = new Map<string, string>()
  const asked = [...new Set(ids)].filter((id) => typeof id === 'string' && id !== '') as string[]
  try {
    for (let from = 0; from < asked.length; from += PERSON_LIMIT) {
      const { body } = await readPeople({ ids: asked.slice(from, from + PERSON_LIMIT) })
      for (const { id, name } of body as Person[]) names.set(id, name)
    }
  } catch {}
  return names
}

/** The name of a person as a field; no field if it is unknown. */
export function named<Field extends string>(
  field: Field,
  id: string | null,
  names: Names,
): { [Name in Field]?: string } {
  const name = id === null ? undefined : names.get(id)
  return (name === undefined ? {} : { [field]: name }) as { [Name in Field]?: string }
}
