/**
 * A process's file operations, from a recording of its system calls, and the possible contents of the disk after a power cut:
 * all synced writes, and any part of the unsynced ones.
 */
import { basename, dirname } from 'node:path'

/** The size of a sector, which a disk writes completely or not at all. */
const SECTOR = 512

const CALLS =
  'openat,read,write,writev,sendto,sendmsg,recvfrom,recvmsg,pwrite64,pwritev,pwritev2,ftruncate,fallocate,fsync,fdatasync,sync_file_range,unlink,unlinkat,rename,renameat,renameat2,link,linkat,msync'

/** The command that starts a process and records it. With -D the process is the started one, and strace ends with it. */
export const recorder = (record: string): string[] => [
  ...['strace', '-D', '-f', '-qq', '-y', '-xx'],
  ...['-s', '100000000', '-e', 'signal=none', '-e', `trace=${CALLS}`, '-o', record],
]

/** An event of the process. Files are named without their folder. */
export type Event =
  | { kind: 'create' | 'unlink'; file: string }
  | { kind: 'write'; file: string; offset: number; bytes: Buffer }
  | { kind: 'truncate'; file: string; size: number }
  /** The end of a sync. It covers the operations before the event with that number. */
  | { kind: 'sync'; file: string; before: number }
  | { kind: 'sync folder'; before: number }
  /** It has read bytes from a connection, or is about to write some to it. */
  | { kind: 'received' | 'sent'; connection: string; text: string }

/** Decodes a string that is printed as `\x2f\x74...`. */
const bytesOf = (printed: string): Buffer => Buffer.from(printed.replaceAll('\\x', ''), 'hex')
const textOf = (printed: string): string => bytesOf(printed).toString()

/** The recorded length of received and sent data. The start of a request or response suffices. */
const HEAD = 2000

/**
 * Parses the output of strace for {@link recorder}.
 * @param folder only its files are included
 * @throws Error for a call on these files that is unknown or has failed
 */
export function readRecord(record: string, folder: string): Event[] {
  const events: Event[] = []
  const existing = new Set<string>()
  /** The first halves of interrupted calls by thread, and how much had happened before. */
  const unfinished = new Map<string, { text: string; before: number }>()

  /** The file of the folder that a path names, if any. The shared memory of SQLite's connections is not needed after a cut. */
  function fileOf(path: string): string | undefined {
    const name = basename(path)
    return dirname(path) === folder && !name.endsWith('-shm') && !name.endsWith(' (deleted)')
      ? name
      : undefined
  }

  function note(call: string, before: number, begins: boolean, ends: boolean): void {
    const [, name = '', rest = ''] = /^(\w+)\((.*)$/s.exec(call) ?? []
    const [, target = '', given = ''] = /^\d+<([^>]*)>(.*)$/s.exec(rest) ?? []
    const [, result] = / = (-1|\?)( |$)/.exec(call.slice(-200)) ?? []
    // The result of an unfinished call is unknown. Its write may have happened; its sync does not count.
    const isGood = result === undefined
    const path = target.startsWith('\\x') ? textOf(target) : target

    if (name === 'openat') {
      const [, printed = '', flags = ''] = /^[^,]*, "([^"]*)", ([^,)]*)/.exec(rest) ?? []
      const file = fileOf(textOf(printed))
      if (!ends || !isGood || file === undefined) return
      // With O_EXCL the file was new, so there was nothing to truncate.
      if (flags.includes('O_TRUNC') && !flags.includes('O_EXCL'))
        throw new Error(`not understood: ${flags} of ${file}`)
      if (existing.has(file) || !flags.includes('O_CREAT')) return
      existing.add(file)
      events.push({ kind: 'create', file })
    } else if (/^(unlink|rename|link)/.test(name)) {
      const files = [...rest.matchAll(/"([^"]*)"/g)].map(([, printed = '']) => fileOf(textOf(printed)))
      const [file] = files.filter((file) => file !== undefined)
      if (!ends || !isGood || file === undefined) return
      if (name !== 'unlink') throw new Error(`not understood: ${name} of ${file}`)
      existing.delete(file)
      events.push({ kind: 'unlink', file })
    } else if (path.startsWith('socket:')) {
      const [, printed = ''] = /"((?:\\x[0-9a-f]{2})*)/.exec(given) ?? []
      const text = () => bytesOf(printed.slice(0, 4 * HEAD)).toString('latin1')
      if (/^(read|recv)/.test(name)) {
        if (ends) events.push({ kind: 'received', connection: path, text: text() })
      } else if (/^(write|send)/.test(name) && begins) {
        events.push({ kind: 'sent', connection: path, text: text() })
      }
    } else if (path === folder) {
      if (ends && isGood && /^f(data)?sync$/.test(name)) events.push({ kind: 'sync folder', before })
    } else {
      const file = fileOf(path)
      if (file === undefined || name === 'read') return
      if (result === '-1') throw new Error(`${name} of ${file} failed: ${call.slice(-100)}`)
      if (name === 'pwrite64') {
        const [, printed = '', size, offset] = /^, "([^"]*)", (\d+), (\d+)/.exec(given) ?? []
        const bytes = bytesOf(printed)
        if (bytes.length !== Number(size)) throw new Error(`not recorded whole: a write of ${file}`)
        if (begins) events.push({ kind: 'write', file, offset: Number(offset), bytes })
      } else if (name === 'ftruncate') {
        if (begins) events.push({ kind: 'truncate', file, size: Number(/^, (\d+)/.exec(given)?.[1]) })
      } else if (name === 'fsync' || name === 'fdatasync') {
        if (ends && isGood) events.push({ kind: 'sync', file, before })
      } else {
        throw new Error(`not understood: ${name} of ${file}`)
      }
    }
  }

  for (const line of record.split('\n')) {
    const space = line.indexOf(' ')
    const thread = line.slice(0, space)
    const text = line.slice(space).trimStart()
    if (text.endsWith('<unfinished ...>')) {
      const first = text.slice(0, -'<unfinished ...>'.length)
      unfinished.set(thread, { text: first, before: events.length })
      note(first, events.length, true, false)
    } else if (text.startsWith('<... ')) {
      const first = unfinished.get(thread)
      if (first) note(first.text + text.slice(text.indexOf('>') + 1), first.before, false, true)
    } else {
      note(text, events.length, true, true)
    }
  }
  return events
}

/** A change of a file's bytes. */
type Change = { offset: number; bytes: Buffer } | { size: number }

/** The bytes of a file, which may grow. */
class Content {
  private bytes = Buffer.alloc(4096)
  length = 0

  static from(other: Content): Content {
    const copy = new Content()
    copy.write(0, other.toBuffer())
    return copy
  }

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length
    this.reserve(end)
    bytes.copy(this.bytes, offset)
    this.length = Math.max(this.length, end)
  }

  truncate(size: number): void {
    this.reserve(size)
    // If the file grows again, the bytes beyond its end are zero.
    if (size < this.length) this.bytes.fill(0, size, this.length)
    this.length = size
  }

  apply(change: Change): void {
    if ('size' in change) this.truncate(change.size)
    else this.write(change.offset, change.bytes)
  }

  toBuffer(): Buffer {
    return this.bytes.subarray(0, this.length)
  }

  private reserve(size: number): void {
    if (size <= this.bytes.length) return
    const larger = Buffer.alloc(Math.max(size, 2 * this.bytes.length))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}

/** A file: its synced contents, and later operations. */
interface RecordedFile {
  synced: Content
  unsynced: { number: number; change: Change }[]
}

/** What happens to unsynced changes: all or none survive, some writes survive, the last one is torn, or some sectors survive. */
export const FATES = ['none', 'all', 'some', 'torn', 'sectors'] as const
export type Fate = (typeof FATES)[number]

/** Splits a write into its sectors. */
function sectorsOf(change: Change): Change[] {
  if ('size' in change) return [change]
  const sectors: Change[] = []
  for (let from = 0; from < change.bytes.length; ) {
    const offset = change.offset + from
    const to = Math.min(from + SECTOR - (offset % SECTOR), change.bytes.length)
    sectors.push({ offset, bytes: change.bytes.subarray(from, to) })
    from = to
  }
  return sectors
}

/** The surviving part of some changes. */
function come(changes: Change[], fate: Fate, random: () => number): Change[] {
  if (fate === 'none') return []
  if (fate === 'all') return changes
  if (fate === 'torn') {
    const [last, ...before] = changes.slice(0, Math.floor(random() * (changes.length + 1))).toReversed()
    if (last === undefined) return []
    const sectors = sectorsOf(last)
    return [...before.toReversed(), ...sectors.slice(0, Math.floor(random() * sectors.length))]
  }
  const share = random()
  return (fate === 'some' ? changes : changes.flatMap(sectorsOf)).filter(() => random() < share)
}

/** The disk, after recorded events. */
interface RecordedDisk {
  /** @param number the event's number in the recording */
  apply: (event: Event, number: number) => void
  /** A possible disk after a power cut at this point: files by name. */
  cut: (fate: Fate, random: () => number) => Map<string, Buffer>
  /** The number of unsynced changes. */
  countUnsynced: () => number
}

/** Makes an empty disk. */
export function makeDisk(): RecordedDisk {
  /** The current directory entries, and the synced ones. */
  const files = new Map<string, RecordedFile>()
  const synced = new Map<string, RecordedFile>()
  /** Changes of directory entries since the folder was synced. */
  let unsynced: { number: number; name: string; file: RecordedFile | undefined }[] = []

  const lookUp = (name: string): RecordedFile => {
    const file = files.get(name)
    if (!file) throw new Error(`the record has no ${name}`)
    return file
  }
  const put = (names: Map<string, RecordedFile>, name: string, file: RecordedFile | undefined) => {
    if (file) names.set(name, file)
    else names.delete(name)
  }

  return {
    apply: (event, number) => {
      if (event.kind === 'create' || event.kind === 'unlink') {
        const file = event.kind === 'create' ? { synced: new Content(), unsynced: [] } : undefined
        put(files, event.file, file)
        unsynced.push({ number, name: event.file, file })
      } else if (event.kind === 'write' || event.kind === 'truncate') {
        lookUp(event.file).unsynced.push({ number, change: event })
      } else if (event.kind === 'sync') {
        const file = lookUp(event.file)
        const isSafe = (change: { number: number }) => change.number < event.before
        for (const { change } of file.unsynced.filter(isSafe)) file.synced.apply(change)
        file.unsynced = file.unsynced.filter((change) => !isSafe(change))
      } else if (event.kind === 'sync folder') {
        for (const { name, file } of unsynced.filter(({ number }) => number < event.before))
          put(synced, name, file)
        unsynced = unsynced.filter(({ number }) => number >= event.before)
      }
    },

    cut: (fate, random) => {
      const names = new Map(synced)
      // Operations on one name keep their order; operations on several names do not.
      for (const changes of Map.groupBy(unsynced, ({ name }) => name).values()) {
        const count =
          fate === 'none' ? 0 : fate === 'all' ? changes.length : Math.floor(random() * (changes.length + 1))
        const last = changes[count - 1]
        if (last) put(names, last.name, last.file)
      }
      return new Map(
        [...names].map(([name, { synced, unsynced }]) => {
          const content = Content.from(synced)
          for (const change of come(
            unsynced.map(({ change }) => change),
            fate,
            random,
          ))
            content.apply(change)
          return [name, content.toBuffer()]
        }),
      )
    },

    countUnsynced: () =>
      unsynced.length + [...files.values()].reduce((sum, { unsynced }) => sum + unsynced.length, 0),
  }
}
