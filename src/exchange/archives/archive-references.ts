/** Checks the references in an archive: referenced records must be in the archive, too. */
import type { StoredValue } from './archive-lines.ts'
import type { FileToRead } from './archive-manifest.ts'
import { ARCHIVED } from './archive-tables.ts'
import type { Visit } from './read-archive.ts'
import { RecordNames } from './record-names.ts'

/** A field that references a record of another file. */
interface Reference {
  field: string
  place: number
  parent: string
}

/** A reference to a record that may still come. */
interface Waiting extends Reference {
  file: string
  line: number
}

/** The referenced tables. */
const NAMED = new Set(ARCHIVED.flatMap(({ fields }) => fields.flatMap(({ refersTo }) => refersTo ?? [])))

/** Tracks the references of an archive, file by file. */
export class ArchiveReferences {
  readonly #names = new Map([...NAMED].map((table) => [table, new RecordNames()]))
  /** The tables whose files have been read. */
  readonly #read = new Set<string>()
  /** The first reference to each missing record. */
  readonly #waiting = new Map<string, Waiting>()
  #problem: string | undefined

  /** A description of the first unresolved reference, or undefined. Call it after the last file. */
  get problem(): string | undefined {
    const [name, waiting] = this.#waiting.entries().next().value ?? []
    return this.#problem ?? (name !== undefined && waiting ? describe(waiting, name) : undefined)
  }

  /** The visitor of a file's records; undefined if they neither have references nor are referenced. */
  file({ file, table: { table, key }, fields }: FileToRead): Visit | undefined {
    const names = this.#names.get(table)
    const references = fields.flatMap(({ name, refersTo }, place): Reference[] =>
      refersTo === undefined ? [] : [{ field: name, place, parent: refersTo }],
    )
    if (names === undefined && references.length === 0) return undefined
    this.#read.add(table)
    const id = fields.findIndex(({ name }) => name === key[0])
    let line = 0
    return (values) => {
      line++
      if (names) this.#add(names, table, values[id] ?? null)
      for (const reference of references) {
        const name = values[reference.place] ?? null
        if (name !== null) this.#look(String(name), { ...reference, file: file.name, line })
      }
    }
  }

  #add(names: RecordNames, table: string, id: StoredValue): void {
    names.add(String(id))
    this.#waiting.delete(`${table} ${id}`)
  }

  #look(name: string, waiting: Waiting): void {
    const { parent } = waiting
    const key = `${parent} ${name}`
    if (!this.#read.has(parent)) {
      if (!this.#waiting.has(key)) this.#waiting.set(key, waiting)
    } else if (!this.#names.get(parent)?.has(name)) this.#problem ??= describe(waiting, key)
  }
}

const describe = ({ file, line, field }: Waiting, key: string) =>
  `${file}, line ${line}: its ${field} names a record that the archive does not have: ${key.slice(key.indexOf(' ') + 1)}`
