/** Facts about an archive that writing needs, collected while it is checked. */

import { members, people } from '../../db/schema.ts'
import type { StoredValue } from './archive-lines.ts'
import type { FileToRead } from './archive-manifest.ts'
import { CHANGES_FILE, fileOf } from './archive-tables.ts'
import type { Visit } from './read-archive.ts'
import { RecordNames } from './record-names.ts'

export interface ArchivedMember {
  id: string
  email: string
  isAdmin: boolean
}

/** A person of an archive who is not a member. */
export interface ArchivedPerson {
  id: StoredValue
  name: StoredValue
  kind: StoredValue
  source: StoredValue
  sourceId: StoredValue
}

/** The facts about an archive. */
export interface ArchiveFacts {
  members: ArchivedMember[]
  people: ArchivedPerson[]
  /** The records whose creation its changes contain, by {@link recordKey}. */
  created: RecordNames
  /** The last `seq`; 0 without changes. */
  last: number
  /** The first `seq` of a change of any kind but members. */
  firstOther: number
}

export const MEMBERS_FILE = fileOf(members)

/** The file of the people who are not members. */
export const PEOPLE_FILE = fileOf(people)

/** The places of some fields in the values of a record; -1 for a field that the file lacks. */
export const placesOf = ({ fields }: Pick<FileToRead, 'fields'>, names: readonly string[]): number[] =>
  names.map((name) => fields.findIndex((field) => field.name === name))

/** Reads some fields of records by their names. */
export function reader(of: Pick<FileToRead, 'fields'>, ...names: string[]) {
  const places = placesOf(of, names)
  return (values: readonly StoredValue[]): StoredValue[] => places.map((place) => values[place] ?? null)
}

/** A text as the database returns it: invalid UTF-8 is replaced. */
const asText = (value: StoredValue): string => {
  if (value instanceof Uint8Array) return `blob ${Buffer.from(value).toString('hex')}`
  return String(typeof value === 'object' && value !== null ? value.text : value)
}

/** The key of a record, for any stored id. */
export const recordKey = (kind: StoredValue, id: StoredValue): string => `${asText(kind)} ${asText(id)}`

/** Empty facts. */
export const noFacts = (): ArchiveFacts => ({
  members: [],
  people: [],
  created: new RecordNames(),
  last: 0,
  firstOther: Number.POSITIVE_INFINITY,
})

/** The collector of facts of a file's records; undefined for a file without any. */
export function gather(of: FileToRead, facts: ArchiveFacts): Visit | undefined {
  if (of.file.name === MEMBERS_FILE) {
    const read = reader(of, 'id', 'email', 'role', 'disabled')
    return (values) => {
      const [id, email, role, disabled] = read(values)
      facts.members.push({
        id: String(id),
        email: String(email),
        isAdmin: role === 'admin' && disabled === 0n,
      })
    }
  }
  if (of.file.name === PEOPLE_FILE) {
    const read = reader(of, 'id', 'name', 'kind', 'source', 'sourceId')
    return (values) => {
      const [id = null, name = null, kind = null, source = null, sourceId = null] = read(values)
      facts.people.push({ id, name, kind, source, sourceId })
    }
  }
  if (of.file.name !== CHANGES_FILE) return undefined
  const read = reader(of, 'seq', 'kind', 'id', 'action')
  return (values) => {
    const [seq = null, kind = null, id = null, action] = read(values)
    const place = Number(seq)
    facts.last = place
    if (action === 'created') facts.created.add(recordKey(kind, id))
    if (kind !== 'member') facts.firstOther = Math.min(facts.firstOther, place)
  }
}
