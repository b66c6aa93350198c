/** Plans how an archive is written into a database, depending on existing records. */
import type SQLite from 'better-sqlite3'
import { newestChange } from '../../db/newest-change.ts'
import { auditLog, members } from '../../db/schema.ts'
import type { ArchivedMember, ArchivedPerson, ArchiveFacts } from './archive-facts.ts'
import { ARCHIVED, CHANGES_FILE, fileOf } from './archive-tables.ts'

/** Most emails named in a refusal. */
const NAMED = 10

/** An existing member. */
interface Member {
  id: string
  email: string
  role: string
  disabled: number
}

/** The plan for writing an archive. */
export interface ArchivePlan {
  /**
   * `whole`: the database is empty, and everything is restored, including the numbers of changes. `beside`: the
   * records keep their ids, and their history follows the existing one.
   */
  kind: 'whole' | 'beside'
  /** The last existing change; 0 for none. */
  lastSeq: number
  /** The admin of the first start, if there are no other records; its heir is the member of the archive that replaces it. */
  admin: { id: string; heirId: string | undefined } | undefined
  /** Members of the archive that already exist: their ids here, by their ids in the archive. */
  known: ReadonlyMap<string, string>
  /** People of the archive who already exist under the same ids: they do not change. */
  knownPeople: ReadonlySet<string>
  /** Number of ids of the archive's people that belong to others here: it cannot be written then. */
  strangers: number
}

/** The comparison key of an email: see `src/members/emails.ts`. */
const keyOf = (email: string) => email.toLowerCase()

/** The files that are ignored when checking whether the database is empty. */
const BESIDES: readonly string[] = [fileOf(members), fileOf(auditLog), CHANGES_FILE]

const RECORDS = ARCHIVED.filter(({ file }) => !BESIDES.includes(file))

/** The admin of the first start, if there are no other records; undefined for none, null if there are others. */
function soleAdmin(client: SQLite.Database): Member | undefined | null {
  const isThere = (sql: string, ...values: string[]) =>
    client
      .prepare<string[], number>(`select exists (${sql})`)
      .pluck()
      .get(...values) === 1
  if (RECORDS.some(({ table }) => isThere(`select 1 from ${table}`))) return null
  const [admin, ...others] = client
    .prepare<[], Member>('select id, email, role, disabled from members limit 2')
    .all()
  if (others.length > 0 || (admin && (admin.role !== 'admin' || admin.disabled !== 0))) return null
  return isThere("select 1 from changes where kind <> 'member' or id <> ?", admin?.id ?? '') ? null : admin
}

function heirOf(admin: Member, archived: readonly ArchivedMember[]): string | undefined {
  const heir =
    archived.find(({ id }) => id === admin.id) ??
    archived.find(({ email }) => keyOf(email) === keyOf(admin.email))
  if (heir && !heir.isAdmin) {
    throw new Error(
      `${admin.email} is the only admin here, but no enabled admin in the archive: give the admin here another email first`,
    )
  }
  return heir?.id
}

/** Thrown if members of an archive have the emails of members here with other ids. */
export class SameEmails extends Error {
  constructor(emails: readonly string[]) {
    const named = emails.slice(0, NAMED).join(', ') + (emails.length > NAMED ? ', ...' : '')
    super(`${emails.length} members have the email of another member here: ${named}`)
  }

  /** The message with advice. @param option the option that matches them by email */
  withHint(option: string): string {
    return `${this.message}: use ${option} to treat them as the same people`
  }
}

/** The members of an archive that already exist. @throws SameEmails if they match only by email, without the option */
function knownMembers(
  client: SQLite.Database,
  archived: readonly ArchivedMember[],
  mapMembers: boolean,
): Map<string, string> {
  const here = client.prepare<[], Pick<Member, 'id' | 'email'>>('select id, email from members').all()
  const ids = new Set(here.map(({ id }) => id))
  const byEmail = new Map(here.map(({ id, email }) => [keyOf(email), id]))
  const known = new Map<string, string>()
  const others: string[] = []
  for (const { id, email } of archived) {
    const namesake = byEmail.get(keyOf(email))
    if (ids.has(id)) known.set(id, id)
    else if (namesake !== undefined) {
      known.set(id, namesake)
      others.push(email)
    }
  }
  if (others.length > 0 && !mapMembers) {
    throw new SameEmails(others)
  }
  return known
}

/**
 * The people of an archive whose ids already exist: with the same origin in another tool, or the same name and kind, they
 * are the same people, otherwise different ones.
 */
function knownPeople(client: SQLite.Database, archived: readonly ArchivedPerson[]) {
  const here = client.prepare<[unknown], ArchivedPerson>(
    'select id, name, kind, source, source_id as sourceId from people where id = ?',
  )
  const known = new Set<string>()
  let strangers = 0
  for (const person of archived) {
    if (typeof person.id !== 'string') continue
    const other = here.get(person.id)
    if (other === undefined) continue
    const isOfSameSource =
      other.source !== '' && other.source === person.source && other.sourceId === person.sourceId
    const isSame = isOfSameSource || (other.name === person.name && other.kind === person.kind)
    if (isSame) known.add(person.id)
    else strangers++
  }
  return { knownPeople: known, strangers }
}

/**
 * Plans how an archive is written.
 * @param client the database; undefined for one that does not exist yet
 * @param mapMembers match members by email
 * @throws Error if it cannot be written
 */
export function planArchive(
  client: SQLite.Database | undefined,
  { members: archived, people, firstOther, last }: ArchiveFacts,
  mapMembers: boolean,
): ArchivePlan {
  const nothing = {
    kind: 'whole',
    lastSeq: 0,
    admin: undefined,
    known: new Map(),
    knownPeople: new Set<string>(),
    strangers: 0,
  } as const
  if (client === undefined) return nothing
  const lastSeq = newestChange(client)
  const admin = soleAdmin(client)
  if (admin === null) {
    const known = knownMembers(client, archived, mapMembers)
    return { kind: 'beside', lastSeq, admin: undefined, known, ...knownPeople(client, people) }
  }
  // Followers of the changes get those of the archive after the last one, so they miss no record.
  const isWhole = lastSeq === 0 || (firstOther > lastSeq && last >= lastSeq)
  return {
    ...nothing,
    kind: isWhole ? 'whole' : 'beside',
    lastSeq,
    admin: admin && { id: admin.id, heirId: heirOf(admin, archived) },
  }
}
