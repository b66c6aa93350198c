/**
 * Writes an archive beside other records: in slices, so that other writes continue, and hidden until the last one (see
 * `src/db/large-writes.ts`).
 *
 * Child records of a project are hidden with it; ideas and the audit log are hidden by their ids. Members, teams and the projects
 * themselves, of which there are few, come with the last write: they are in memory until then.
 */
import type SQLite from 'better-sqlite3'
import { ChunkedWriter } from '../../db/chunked-writer.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { isConstraint } from '../../db/constraints.ts'
import { isHiddenById } from '../../db/hidden.ts'
import { holderOf, KINDS } from '../../db/kinds.ts'
import { foldAll, type LargeSlice, LargeWrite } from '../../db/large-writes.ts'
import { JUMP } from '../../db/lost-changes.ts'
import { projects } from '../../db/schema.ts'
import { takeAway } from '../../db/take-away.ts'
import { type ArchiveFacts, MEMBERS_FILE, PEOPLE_FILE, placesOf, reader, recordKey } from './archive-facts.ts'
import type { StoredValue } from './archive-lines.ts'
import { ArchiveRefused, type FileToRead } from './archive-manifest.ts'
import { type ArchivePlan, planArchive } from './archive-plan.ts'
import { CHANGES_FILE, fileOf } from './archive-tables.ts'
import { inserter, keepAdditional, memberMapper, naming } from './archive-writer.ts'
import { type OpenArchive, readFile, type Visit } from './read-archive.ts'
import { TakenHandles } from './taken-handles.ts'

/** Most records, and bytes of them, to read before writing: some slices. */
const RECORDS = 1000
const BYTES = 1024 * 1024

/** Projects hidden by one slice. */
const PROJECTS = 500

const PROJECTS_FILE = fileOf(projects)

/** The files written with the last write. */
const LAST: readonly string[] = KINDS.filter((kind) => !holderOf(kind) && !kind.isHiddenById)
  .flatMap(({ table, list }) => [table, ...(list ? [list.table] : [])])
  .map(fileOf)

/** The tracked kinds, by table. */
const CREATED = new Map(
  KINDS.filter(({ onlyDeleted }) => !onlyDeleted).map(({ kind, table }) => [fileOf(table), kind]),
)

/** The error if a checked archive cannot be written any more. */
export const OTHERS_WROTE = 'another process has written to the database meanwhile: try again'

/** The target and options of writing an archive. */
interface SlicesPlace {
  db: SharedDatabase
  /** The chunked writer of the connection's owner; undefined: this import owns the connection. */
  writes: ChunkedWriter | undefined
  /** The id of the import; undefined for none. */
  importId: string | undefined
  actorId: string | null
  mapMembers: boolean
  /** Called in each slice, with the number of written records. */
  advance: (done: number) => void
  /** Called after each part was read, with its number of records. */
  onRecords: (count: number) => void
  /** Called within the last write. @param lastSeq the last change before it */
  whenWritten: (lastSeq: number) => void
}

/** The records of a file for the last write. */
interface Kept {
  of: FileToRead
  rows: StoredValue[][]
}

const sizeOf = (values: readonly StoredValue[]): number => {
  let size = 0
  for (const value of values) if (typeof value === 'string') size += value.length
  return size
}

/** Whether the plan of a checked archive is still valid: the people here may have changed. */
const isSame = (one: ArchivePlan, other: ArchivePlan) =>
  other.kind === 'beside' &&
  other.admin === undefined &&
  one.known.size === other.known.size &&
  [...one.known].every(([there, here]) => other.known.get(there) === here) &&
  [...one.knownPeople].every((id) => other.knownPeople.has(id))

/** Writes a checked archive. */
class ArchiveSlices {
  readonly #client: SQLite.Database
  readonly #write: LargeWrite
  readonly #place: SlicesPlace
  readonly #plan: ArchivePlan
  readonly #facts: ArchiveFacts
  readonly #handles: TakenHandles
  readonly #kept: Kept[] = []
  /** Number of changes of the last write before those of the slices. */
  #additional = 0
  #done = 0

  constructor(write: LargeWrite, place: SlicesPlace, plan: ArchivePlan, facts: ArchiveFacts) {
    this.#client = place.db.$client
    this.#write = write
    this.#place = place
    this.#plan = plan
    this.#facts = facts
    this.#handles = new TakenHandles(place.db.$client, facts)
  }

  /** Writes the records of a file, or stores them for the last write. */
  async file(archive: OpenArchive, of: FileToRead): Promise<void> {
    const { onRecords } = this.#place
    if (LAST.includes(of.file.name)) return await this.#keep(archive, of)
    const put = this.#putting(of)
    let pending: StoredValue[][] = []
    let bytes = 0
    const writePending = async () => {
      let next = 0
      const writeSome = (slice: LargeSlice) => {
        do put(slice, pending[next++] as StoredValue[])
        while (next < pending.length && !slice.isLong())
        this.#place.advance(this.#done + next)
      }
      while (next < pending.length) await this.#write.slice(writeSome)
      this.#done += next
      pending = []
      bytes = 0
    }
    const visit: Visit = (values) => {
      pending.push(values)
      bytes += sizeOf(values)
    }
    await readFile(archive, of, visit, async (count) => {
      onRecords(count)
      if (pending.length >= RECORDS || bytes >= BYTES) await writePending()
    })
    await writePending()
  }

  /** Reveals all records, and publishes the changes. */
  async end(): Promise<void> {
    const { actorId, mapMembers, whenWritten } = this.#place
    const newest = this.#client.prepare<[], number>('select ifnull(max(seq), 0) from changes').pluck()
    let since = 0
    const work = (publish: () => void) => {
      if (!isSame(this.#plan, planArchive(this.#client, this.#facts, mapMembers)))
        throw new Error(OTHERS_WROTE)
      since = Number(newest.get())
      // A team comes after its members.
      this.#client.pragma('defer_foreign_keys = on')
      for (const { of, rows } of this.#kept) rows.forEach(naming(of, this.#inserting(of)))
      const last = keepAdditional(this.#client, this.#facts, since, actorId)
      // The groups of the archive's changes are counted from the first of them.
      if (last - since !== this.#additional) throw new Error('the triggers did not record all changes')
      publish()
      this.#handles.append(actorId)
    }
    await this.#write.last(actorId, work, () => whenWritten(since))
  }

  async #keep(archive: OpenArchive, of: FileToRead): Promise<void> {
    const map = memberMapper(of, this.#plan.known)
    const idOf = reader(of, 'id')
    const kind = CREATED.get(of.file.name)
    const rows: StoredValue[][] = []
    const visit: Visit = (values) => {
      const id = idOf(values)[0] ?? null
      rows.push(values)
      if (this.#isKnown(of, id)) return
      map(values)
      if (kind !== undefined && !this.#facts.created.has(recordKey(kind, id))) this.#additional++
    }
    await readFile(archive, of, visit, this.#place.onRecords)
    this.#kept.push({ of, rows })
    if (of.file.name === PROJECTS_FILE) await this.#hide(rows.map((values) => String(idOf(values)[0])))
  }

  /** Whether a record is of an existing member. */
  #isKnown({ file }: FileToRead, id: StoredValue): boolean {
    return file.name === MEMBERS_FILE && this.#plan.known.has(String(id))
  }

  /** Whether a change is of an existing member or person. */
  #isOfKnown(kind: StoredValue | undefined, id: StoredValue | undefined): boolean {
    const { known, knownPeople } = this.#plan
    return (kind === 'member' && known.has(String(id))) || (kind === 'person' && knownPeople.has(String(id)))
  }

  #inserting(of: FileToRead): Visit {
    const inserted = inserter(this.#client, of)
    const insert = of.file.name === MEMBERS_FILE ? this.#handles.writing(of, inserted) : inserted
    const idOf = reader(of, 'id')
    return (values) => {
      if (!this.#isKnown(of, idOf(values)[0] ?? null)) insert(values)
    }
  }

  async #hide(ids: string[]): Promise<void> {
    const isThere = this.#client.prepare('select 1 from projects where id = ?')
    for (let from = 0; from < ids.length; from += PROJECTS) {
      await this.#write.slice(() => {
        const some = ids.slice(from, from + PROJECTS)
        // One of them may have been restored meanwhile, and must not be hidden.
        if (some.some((id) => isThere.get(id) !== undefined)) throw new Error(OTHERS_WROTE)
        this.#write.hideProjects(some)
      })
    }
  }

  /** The writer of a file's records, inside a slice. */
  #putting(of: FileToRead): (slice: LargeSlice, values: StoredValue[]) => void {
    const map = memberMapper(of, this.#plan.known)
    if (of.file.name === CHANGES_FILE) return this.#staging(of, map)
    const { table, fields, file } = of
    const insert = naming(of, inserter(this.#client, of))
    const keyOf = reader({ fields }, ...table.key)
    const kind = CREATED.get(file.name)
    const newest = this.#client.prepare<[], number>('select ifnull(max(seq), 0) from changes').pluck()
    const forget = this.#client.prepare('delete from changes where seq > +?')
    return (slice, values) => {
      map(values)
      const key = keyOf(values)
      if (file.name === PEOPLE_FILE && this.#plan.knownPeople.has(String(key[0]))) return
      const isInArchive = kind !== undefined && this.#facts.created.has(recordKey(kind, key.join(':')))
      const before = isInArchive ? newest.get() : undefined
      insert(values)
      // The archive has its own change for it.
      if (before !== undefined) forget.run(before)
      if (isHiddenById(table.table)) slice.hide(table.table, String(key[0]))
    }
  }

  /** Stages the archive's changes, after the additional "created" changes. It omits those of existing records. */
  #staging(of: FileToRead, map: Visit): (slice: LargeSlice, values: StoredValue[]) => void {
    const read = reader(of, 'kind', 'id')
    const [atSeq, atGroup] = placesOf(of, ['seq', 'group']) as [number, number]
    const fields = of.fields.map((field, place) => (place === atSeq ? { ...field, column: 'place' } : field))
    const insert = inserter(this.#client, { ...of, table: { ...of.table, table: 'staged_changes' }, fields })
    let group: { there: StoredValue; here: bigint } | undefined
    return (slice, values) => {
      const [kind, id] = read(values)
      if (kind === JUMP || this.#isOfKnown(kind, id)) return
      map(values)
      slice.append((place, nth) => {
        const there = values[atGroup] ?? null
        if (group?.there !== there) group = { there, here: BigInt(this.#additional + nth) }
        if (there !== null) values[atGroup] = group.here
        values[atSeq] = BigInt(place)
        insert(values)
      })
    }
  }
}

/**
 * Writes a checked archive, all or nothing.
 * @throws ArchiveRefused, or Error if relevant records have changed since the check: then nothing is left of it
 */
export async function writeInSlices(
  place: SlicesPlace,
  archive: OpenArchive,
  plan: ArchivePlan,
  facts: ArchiveFacts,
): Promise<void> {
  const { db, importId } = place
  const writes = place.writes ?? new ChunkedWriter(db)
  try {
    const write = await LargeWrite.begin(
      db,
      writes,
      { projectIds: [], ...(importId && { importId }) },
      () => '',
    )
    try {
      const slices = new ArchiveSlices(write, place, plan, facts)
      for (const of of archive.files) await slices.file(archive, of)
      await slices.end()
    } catch (error) {
      // If that fails, too, the next start or import removes it.
      await takeAway(db, writes, write).catch(() => undefined)
      if (!isConstraint(error)) throw error
      throw new ArchiveRefused(`it conflicts with the records here: ${error.message}`, { cause: error })
    }
    await foldAll(db, writes).catch(() => undefined)
  } finally {
    if (place.writes === undefined) writes.leave()
  }
}
