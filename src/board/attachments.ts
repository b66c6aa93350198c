/** The attachments of kanban items: files and links. The bytes of files are contents (see `src/db/file-contents.ts`). */
import { eq } from 'drizzle-orm'
import { Children } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { FileContents, type Uploaded } from '../db/file-contents.ts'
import type { JsonPage, PageQuery } from '../db/pages.ts'
import { attachments, kanbanItems } from '../db/schema.ts'
import { given, selectOne } from '../db/statements.ts'
import { conflict, invalidField } from '../errors.ts'
import { once } from '../once.ts'
import { type Attachment, AttachmentSchema, type CurrentMember } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { nameOfLink, plainName, problemOfName } from './attachment-names.ts'

/** Most attachments of an item. */
export const ATTACHMENTS_LIMIT = 100

type Row = typeof attachments.$inferSelect

/** An uploaded file, to attach. */
interface NewFile extends Uploaded {
  name: string
  mediaType: string
  width?: number | undefined
  height?: number | undefined
}

/** A link to attach. */
export interface NewLink {
  url: string
  name?: string | undefined
}

/** The item of a new attachment. */
interface AttachmentPlace {
  projectId: string
  /** The number of its attachments. */
  count: number
}

/** A small image of a file. */
export interface Thumbnail {
  bytes: Uint8Array
  sha256: string
}

/** The file of a download. */
export interface Content {
  /** The id of its content. */
  content: number
  name: string
  mediaType: string
  size: number
  sha256: string
}

/** 409 for an item with too many. */
export const tooManyAttachments = () =>
  conflict(`An item has at most ${ATTACHMENTS_LIMIT} attachments`, 'limit_reached')

const toAttachment = (row: Row): Attachment => ({
  id: row.id,
  itemId: row.itemId,
  name: row.name,
  kind: row.kind,
  ...(row.url !== null && { url: row.url }),
  mediaType: row.mediaType,
  size: row.size,
  sha256: row.sha256,
  ...(row.width !== null && { width: row.width }),
  ...(row.height !== null && { height: row.height }),
  hasThumbnail: row.thumbnail !== null,
  createdBy: row.createdBy,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** The rows of attachments, shown as records in lists. */
class AttachmentRows extends Children<typeof attachments> {
  constructor(db: SharedDatabase) {
    super(db, attachments, AttachmentSchema)
  }

  protected override shown(rows: Row[]): { id: string }[] {
    return rows.map(toAttachment)
  }
}

const statementsOf = (db: SharedDatabase) => ({
  place: selectOne<{ projectId: string }>(db, () =>
    db
      .select({ projectId: kanbanItems.projectId })
      .from(kanbanItems)
      .where(eq(kanbanItems.id, given('itemId'))),
  ),
  dropCover: once(() =>
    db.$client.prepare<[object]>(
      `update kanban_items set cover_id = null, updated_at = :at where id = +:itemId and cover_id is not null
      and not exists (select 1 from attachments as its where its.id = kanban_items.cover_id and its.item_id = kanban_items.id)`,
    ),
  ),
  count: once(() =>
    db.$client.prepare<[string], number>('select count(*) from attachments where item_id = +?').pluck(),
  ),
})

/** The attachments of items, oldest first. */
export class Attachments {
  static readonly reads: readonly string[] = ['list', 'get', 'place', 'projectOf', 'content', 'thumbnail']
  readonly #rows: AttachmentRows
  readonly #contents: FileContents
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#rows = new AttachmentRows(db)
    this.#contents = new FileContents(db.$client)
    this.#sql = statementsOf(db)
  }

  /** The attachments of an item, or a page of them. @throws ApiError 404 when there is no such item; TooMuchWork */
  list(itemId: string, query: PageQuery): JsonPage {
    return this.#rows.list(itemId, query)
  }

  /** One attachment. @throws ApiError 404 */
  get(id: string): Attachment {
    return toAttachment(this.#rows.get(id))
  }

  /** The item of a new attachment. @throws ApiError 404 when there is no such item */
  place(itemId: string): AttachmentPlace {
    const { projectId } = this.#sql.place({ itemId }) ?? throwNotFound(kanbanItems)
    return { projectId, count: this.#sql.count().get(itemId) as number }
  }

  /** The project of an attachment. @throws ApiError 404 */
  projectOf(id: string): string {
    return this.place(this.#rows.get(id).itemId).projectId
  }

  /** The content of a file. @throws ApiError 404, also for a link */
  content(id: string): Content {
    const { name, mediaType, size, sha256 } = this.#rows.get(id)
    if (sha256 === null) throwNotFound(attachments)
    return { content: this.#known(sha256), name, mediaType: mediaType ?? '', size: size ?? 0, sha256 }
  }

  /** The thumbnail of a file. @throws ApiError 404 without one */
  thumbnail(id: string): Pick<Content, 'content' | 'name' | 'sha256'> {
    const { name, thumbnail } = this.#rows.get(id)
    if (thumbnail === null) throwNotFound(attachments)
    return { content: this.#known(thumbnail), name, sha256: thumbnail }
  }

  /** Attaches uploaded files, all or none. @throws ApiError 404 when there is no such item; 409 when it has too many */
  addFiles(itemId: string, files: readonly NewFile[], { id: createdBy }: CurrentMember): Attachment[] {
    this.#ensureRoom(itemId, files.length)
    return files.map(({ content, size, sha256, damaged, ...file }) => {
      this.#contents.complete({ content, size, sha256, damaged })
      return toAttachment(this.#rows.create(itemId, { ...file, kind: 'file', size, sha256, createdBy }))
    })
  }

  /** Attaches a link. @throws ApiError 404 when there is no such item; 409 when it has too many; 400 for its name */
  create(itemId: string, { url, name }: NewLink, { id: createdBy }: CurrentMember): Attachment {
    this.#ensureRoom(itemId, 1)
    const named = name === undefined ? nameOfLink(url) : nameIn(name)
    return toAttachment(this.#rows.create(itemId, { kind: 'link', url, name: named, createdBy }))
  }

  /** Renames an attachment. @throws ApiError 404; 400 for the name */
  update(id: string, { name }: { name?: string }): Attachment {
    if (name === undefined) return toAttachment(this.#rows.update(id, {}))
    // The name of a link may be its URL, whose slashes are no folders.
    const isSame = name === this.#rows.get(id).name
    return toAttachment(this.#rows.update(id, { name: isSame ? name : nameIn(name) }))
  }

  /**
   * Stores a thumbnail of a file.
   * @param most bytes of all contents together
   * @throws ApiError 404, also for a link; 507 without space
   */
  setThumbnail(id: string, { bytes, sha256 }: Thumbnail, most: number): Attachment {
    if (this.#rows.get(id).sha256 === null) throwNotFound(attachments)
    this.#contents.add(bytes, sha256, most)
    return toAttachment(this.#rows.update(id, { thumbnail: sha256 }))
  }

  /** Deletes an attachment; if it was the cover of its item, the item has none afterwards. @throws ApiError 404 */
  delete(id: string): void {
    const { itemId } = this.#rows.get(id)
    this.#rows.delete(id)
    this.dropCover(itemId, timestamp())
  }

  /** Removes the cover of an item if it is not an attachment of this item any more. */
  dropCover(itemId: string, at: string): void {
    this.#sql.dropCover().run({ itemId, at })
  }

  #ensureRoom(itemId: string, added: number): void {
    if (this.place(itemId).count + added > ATTACHMENTS_LIMIT) throw tooManyAttachments()
  }

  /** The content of a hash. @throws Error if it is missing, e.g. since another tool has removed it */
  #known(sha256: string): number {
    const content = this.#contents.known(sha256)
    if (content === undefined) throw new Error(`the content ${sha256} is missing`)
    return content
  }
}

/** A name as stored. @throws ApiError 400 */
function nameIn(name: string): string {
  const problem = problemOfName(name)
  if (problem !== undefined) throw invalidField('name', problem)
  return plainName(name)
}
