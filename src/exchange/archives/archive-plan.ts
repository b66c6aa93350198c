/** How an archive goes into a database: what is there already decides. */
import type SQLite from 'better-sqlite3'
import { isHiddenRecord } from '../../db/hidden.ts'
import { auditLog, members } from '../../db/schema.ts'
import type { ArchivedMember, ArchivedPerson, ArchiveFacts } from './archive-facts.ts'
import { ARCHIVED, CHANGES_FILE, fileOf } from './archive-tables.ts'

/** Emails that are named in a refusal, at most. */
const NAMED = 10

/** A member that is there already. */
interface Member {
  id: string
  email: string
  role: string
  disabled: number
}

/** How an archive is written. */
export interface ArchivePlan {
  /**
   * `whole`: nothing is there, and everything becomes as it was, the numbers of the changes included. `beside`: the
   * records keep their ids, and their history comes after what is there.
   */
  kind: 'whole' | 'beside'
  /** The last change that is there; 0 for none. */
  lastSeq: number
  /** The admin that a first start made, where nothing else is there; its heir is the member of the archive that it becomes. */
  admin: { id: string; heirId: string | undefined } | undefined
  /** Members of the archive that are there already, by their ids in the archive: their ids here. */
  known: ReadonlyMap<string, string>
  /** People of the archive who are there already, under the same ids: they stay as they are there. */
  knownPeople: ReadonlySet<string>
  /** How many ids of the archive's people are somebody else's there: it cannot be written then. */
  strangers: number
}

/** An email as it is compared: see `src/members/emails.ts`. */
const keyOf = (email: string) => email.toLowerCase()

/** The files that do not count when it is asked whether anything is there. */
const BESIDES: readonly string[] = [fileOf(members), fileOf(auditLog), CHANGES_FILE]

const RECORDS = ARCHIVED.filter(({ file }) => !BESIDES.includes(file))

/** The admin that a first start made, if there is nothing else; undefined for nobody, null where there is more. */
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

/** That members of an archive have the emails of members here who have other ids. */
export class SameEmails extends Error {
  constructor(emails: readonly string[]) {
    const named = emails.slice(0, NAMED).join(', ') + (emails.length > NAMED ? ', ...' : '')
    super(`${emails.length} members have the email of another member here: ${named}`)
  }

  /** What is wrong, and what helps. @param option what takes them for the same people */
  withHint(option: string): string {
    return `${this.message}: use ${option} to treat them as the same people`
  }
}

/** The members of an archive that are there already. @throws SameEmails where only their emails tell, and that was not allowed */
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
 * The people of an archive whose ids are there already: of the same origin in another tool, or of the same name and kind, they
 * are the same people, and else strangers.
 */
function knownPeople(client: SQLite.Database, archived: readonly ArchivedPerson[]) {
  const here = client.prepare<[unknown], ArchivedPerson & { isHidden: number }>(
    `select id, name, kind, source, source_id as sourceId, ${isHiddenRecord('people', 'people.id')} as isHidden
      from people where id = ?`,
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
    if (isSame && other.isHidden === 0) known.add(person.id)
    else strangers++
  }
  return { knownPeople: known, strangers }
}

/**
 * Plans how an archive is written.
 * @param client the database; undefined for one that does not exist yet
 * @param mapMembers take members of the same email for the same people
 * @throws Error where it cannot be written
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
  const lastSeq = client.prepare<[], number | null>('select max(seq) from changes').pluck().get() ?? 0
  const admin = soleAdmin(client)
  if (admin === null) {
    const known = knownMembers(client, archived, mapMembers)
    return { kind: 'beside', lastSeq, admin: undefined, known, ...knownPeople(client, people) }
  }
  // Whoever follows the changes here gets those of the archive that come after the last one: they miss no record by it.
  const isWhole = lastSeq === 0 || (firstOther > lastSeq && last >= lastSeq)
  return {
    ...nothing,
    kind: isWhole ? 'whole' : 'beside',
    lastSeq,
    admin: admin && { id: admin.id, heirId: heirOf(admin, archived) },
  }
}
