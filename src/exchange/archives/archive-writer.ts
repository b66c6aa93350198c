/** Writes the records of an archive into a database, inside one transaction. */
import type SQLite from 'better-sqlite3'
import { isConstraint } from '../../db/constraints.ts'
import { LEAP } from '../../db/lost-changes.ts'
import { createIdReplacer, PEOPLE_FIELDS } from '../../db/people-ids.ts'
import { kanbanActivity, projects } from '../../db/schema.ts'
import { once } from '../../once.ts'
import { type ArchiveFacts, MEMBERS_FILE, PEOPLE_FILE, placesOf, reader, recordKey } from './archive-facts.ts'
import type { StoredValue } from './archive-lines.ts'
import { ArchiveRefused, type FileToRead } from './archive-manifest.ts'
import type { ArchivePlan } from './archive-plan.ts'
import { CHANGES_FILE, fileOf } from './archive-tables.ts'
import { FormerAccess } from './former-access.ts'
import type { Visit } from './read-archive.ts'
import { HANDLES, PROJECT_KEYS, TakenNames } from './taken-names.ts'

/** Changes read at a time. */
const CHANGES_AT_ONCE = 1000

const ACTIVITY_FILE = fileOf(kanbanActivity)
const PROJECTS_FILE = fileOf(projects)

/** The tables of credentials, preferences and jobs with a member's id. */
const CREDENTIALS = [
  'sessions',
  'api_tokens',
  'member_links',
  'member_identities',
  'member_preferences',
  'idempotency_keys',
  'imports',
]

const isText = (value: StoredValue): value is { text: Buffer } =>
  typeof value === 'object' && value !== null && 'text' in value

/** Inserts rows of a file. */
function inserter(client: SQLite.Database, { table, fields }: FileToRead): Visit {
  const columns = fields.map(({ column }) => `"${column}"`).join(', ')
  const prepare = (isBytes: (place: number) => boolean) =>
    client.prepare(
      `insert into ${table.table} (${columns})
      values (${fields.map((_, place) => (isBytes(place) ? 'cast(? as text)' : '?')).join(', ')})`,
    )
  const usual = once(() => prepare(() => false))
  return (values) => {
    // Invalid UTF-8 is bound as bytes, since a string cannot represent it.
    if (values.some(isText)) prepare((place) => isText(values[place] ?? null)).run(...values.map(bytesOf))
    else usual().run(...values)
  }
}

const bytesOf = (value: StoredValue) => (isText(value) ? value.text : value)

/**
 * Wraps a writer of a file's records, so that its errors name the record.
 * @returns the writer; it throws ArchiveRefused for a record that conflicts with existing ones
 */
function naming({ file }: FileToRead, write: Visit): Visit {
  let line = 0
  return (values) => {
    line++
    try {
      write(values)
    } catch (error) {
      if (!isConstraint(error)) throw error
      const reason = `it conflicts with the records here: ${error.message}`
      throw new ArchiveRefused(`${file.name}, line ${line}: ${reason}`, { cause: error })
    }
  }
}

/** Replaces members' ids by their ids here. @returns a function that changes a record's values in place */
function memberMapper({ file, fields }: FileToRead, known: ReadonlyMap<string, string>): Visit {
  const others = new Map([...known].filter(([there, here]) => there !== here))
  if (others.size === 0) return () => {}
  const places = (names: readonly string[]) =>
    fields.flatMap(({ name }, place) => (names.includes(name) ? [place] : []))
  const replace = createIdReplacer(others)
  const ids = places(PEOPLE_FIELDS)
  const lists = places(['assigneeIds'])
  const contents = places(['before', 'after'])
  const moves = file.name === ACTIVITY_FILE ? places(['metadata']) : []
  const mapText = (values: StoredValue[], place: number, map: (text: string) => string) => {
    const text = values[place]
    if (typeof text === 'string') values[place] = map(text)
  }
  return (values) => {
    for (const place of ids) mapText(values, place, replace.id)
    for (const place of lists) mapText(values, place, replace.list)
    for (const place of contents) mapText(values, place, replace.inChange)
    for (const place of moves) mapText(values, place, replace.inMetadata)
  }
}

/**
 * Keeps the triggers' changes for records whose creation the archive's changes do not contain, as one group.
 * @param since the last earlier change
 * @param actorId their actor
 * @returns the last change
 */
function keepAdditional(
  client: SQLite.Database,
  facts: ArchiveFacts,
  since: number,
  actorId: string | null,
): number {
  const changes = client
    .prepare<[number], [seq: number, kind: string, id: string | Buffer, action: string]>(
      `select seq, kind, id, action from changes where seq > ? order by seq limit ${CHANGES_AT_ONCE}`,
    )
    .raw()
  const forget = client.prepare('delete from changes where seq = ?')
  const keep = client.prepare('update changes set seq = ?, "group" = ?, actor_id = ? where seq = ?')
  let last = since
  let read = since
  for (let part = changes.all(read); part.length > 0; part = changes.all(read)) {
    for (const [seq, kind, id, action] of part) {
      if (action === 'created' && facts.created.has(recordKey(kind, id))) forget.run(seq)
      else keep.run(++last, since + 1, actorId, seq)
      read = seq
    }
  }
  return last
}

/** Writes an archive as planned. Call its methods in this order: begin, the records file by file, end. */
export class ArchiveWriter {
  readonly #client: SQLite.Database
  readonly #plan: ArchivePlan
  readonly #facts: ArchiveFacts
  readonly #actorId: string | null
  readonly #handles: TakenNames
  readonly #projectKeys: TakenNames
  readonly #formerAccess = new FormerAccess()
  /** The changes of the existing admin. */
  #ofAdmin: unknown[][] = []
  #passwordHash: unknown = null

  /** @param actorId the actor of additional "created" changes; null for none */
  constructor(client: SQLite.Database, plan: ArchivePlan, facts: ArchiveFacts, actorId: string | null) {
    this.#client = client
    this.#plan = plan
    this.#facts = facts
    this.#actorId = actorId
    this.#handles = new TakenNames(client, facts, HANDLES)
    this.#projectKeys = new TakenNames(client, facts, PROJECT_KEYS)
  }

  /** Removes records that the archive's replace. */
  begin(): void {
    const { kind, admin } = this.#plan
    if (admin === undefined) return
    const rows = this.#client.prepare<[], unknown[]>('select * from changes order by seq').raw().all()
    if (admin.heirId === undefined) this.#ofAdmin = kind === 'whole' ? rows : []
    else {
      const hash = this.#client.prepare('select password_hash from members where id = ?').pluck()
      this.#passwordHash = hash.get(admin.id)
      this.#client.prepare('delete from members where id = ?').run(admin.id)
    }
  }

  /** The writer of a file's records. @throws ArchiveRefused for a record that conflicts with existing ones */
  file(of: FileToRead): Visit {
    return naming(of, this.#writing(of))
  }

  #writing(of: FileToRead): Visit {
    const { known, knownPeople } = this.#plan
    const map = memberMapper(of, known)
    const insert = inserter(this.#client, of)
    const { name } = of.file
    if (name === CHANGES_FILE) return this.#changes(of, map, insert)
    if (name !== MEMBERS_FILE && name !== PEOPLE_FILE) {
      const write = name === PROJECTS_FILE ? this.#projectKeys.writing(of, insert) : insert
      return (values) => {
        map(values)
        write(values)
      }
    }
    const idOf = reader(of, 'id')
    const write = name === MEMBERS_FILE ? this.#handles.writing(of, insert) : insert
    const here = name === MEMBERS_FILE ? known : knownPeople
    return (values) => {
      if (here.has(String(idOf(values)[0]))) return
      map(values)
      write(values)
    }
  }

  /** Whether a change is of a member or person who exists here. */
  #isOfKnown(kind: StoredValue | undefined, id: StoredValue | undefined): boolean {
    const { known, knownPeople } = this.#plan
    return (kind === 'member' && known.has(String(id))) || (kind === 'person' && knownPeople.has(String(id)))
  }

  /** Completes it, after the last file. */
  end(): void {
    const { admin } = this.#plan
    if (admin?.heirId !== undefined) {
      // Sessions and passwords stay.
      this.#client
        .prepare('update members set password_hash = ? where id = ?')
        .run(this.#passwordHash, admin.heirId)
      for (const table of CREDENTIALS) {
        this.#client
          .prepare(`update ${table} set member_id = ? where member_id = ?`)
          .run(admin.heirId, admin.id)
      }
    }
    this.#appendAdmin()
    this.#handles.append(this.#actorId)
    this.#projectKeys.append(this.#actorId)
    this.#formerAccess.write(this.#client, this.#plan.kind === 'whole' ? 0 : this.#plan.lastSeq)
  }

  /**
   * Triggers have recorded all records as created. If the archive contains the creation, its own changes replace these;
   * otherwise they stay, before the archive's changes. Omitted changes (of existing members and people, leaps)
   * leave no gap.
   */
  #changes(of: FileToRead, map: Visit, insert: Visit): Visit {
    const note = this.#formerAccess.reading(of)
    const read = reader(of, 'kind', 'id')
    const [atSeq, atGroup] = placesOf(of, ['seq', 'group'])
    if (this.#plan.kind === 'whole') {
      this.#client.exec('delete from changes; delete from change_subjects')
      return (values) => {
        note(values, Number(values[atSeq as number]))
        insert(values)
      }
    }
    let seq = BigInt(keepAdditional(this.#client, this.#facts, this.#plan.lastSeq, this.#actorId))
    let group: { there: StoredValue; here: bigint } | undefined
    return (values) => {
      const [ofKind, id] = read(values)
      if (ofKind === LEAP || this.#isOfKnown(ofKind, id)) return
      map(values)
      seq++
      const there = values[atGroup as number] ?? null
      if (group?.there !== there) group = { there, here: seq }
      if (there !== null) values[atGroup as number] = group.here
      values[atSeq as number] = seq
      note(values, Number(seq))
      insert(values)
    }
  }

  /** Appends the changes of the existing admin after those of the archive. */
  #appendAdmin(): void {
    if (this.#plan.kind === 'beside') return
    const offset = this.#facts.last
    const insert = this.#client.prepare(`insert into changes values (${'?, '.repeat(12)}?)`)
    for (const [seq, at, actorId, group, ...rest] of this.#ofAdmin) {
      insert.run(Number(seq) + offset, at, actorId, group === null ? null : Number(group) + offset, ...rest)
    }
  }
}
