/** The attachments of a card. They load with its dialog, the stream keeps them current, and the user changes them. */
import { signal } from '@preact/signals'
import { type Attachment, api, type Change, sending } from '../common/api.ts'
import type { OnLate, TextFiles } from '../common/files/files-context.ts'
import { filesIn, fillFiles } from '../common/files/fill-files.ts'
import { takeFiles } from '../common/files/insert-files.ts'
import type { ItemFiles } from '../common/files/item-files.ts'
import { isPicture } from '../common/files/kinds.ts'
import { addThumbnail } from '../common/files/thumbnails.ts'
import { onStored, stored, type Upload, upload } from '../common/files/uploads.ts'
import { changeItem } from '../common/item-writes.ts'
import { onChange, onReset } from '../common/live.ts'
import { byId } from '../common/order.ts'
import { applyTo } from '../common/project-store.ts'
import { readLive } from '../common/read-live.ts'
import { accepted, changeRecord, removeRecord, take, writeWithMessage } from '../common/record-writes.ts'
import { Records } from '../common/records.ts'
import { toast } from '../common/toasts.ts'
import { together } from '../common/together.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

const words = texts.files
const PATH = '/api/attachments/{id}'

/** The delay before pictures of others are read again for their thumbnails, which are stored after them, in milliseconds. */
const THUMBNAIL_AFTER = 1500

export class CardFiles implements ItemFiles, TextFiles {
  readonly records = new Records<Attachment>()
  /** The error of loading them, if any. */
  readonly failure = signal<unknown>(undefined)
  /** The id of the picture in the viewer. */
  readonly viewed = signal<string | undefined>(undefined)
  readonly canAttach: () => boolean
  readonly #card: OpenCard
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(card: OpenCard, canAttach: () => boolean) {
    this.#card = card
    this.canAttach = canAttach
  }

  get itemId(): string {
    return this.#card.id
  }

  /** The pictures, oldest first. Subscribes. */
  get pictures(): Attachment[] {
    return this.records.list(byId).filter(isPicture)
  }

  /** Loads the attachments and follows their changes. @returns ends that */
  start(): () => void {
    const end = together(
      onChange((change) => this.#apply(change)),
      onReset(() => void this.load()),
      onStored((attachment, seq) => {
        if (attachment.itemId === this.itemId) take(this.records, { data: attachment, seq })
      }),
      () => clearTimeout(this.#timer),
    )
    void this.load()
    return end
  }

  /** Reloads the attachments. */
  async load(): Promise<void> {
    const path = { id: this.itemId }
    try {
      await readLive(
        () => api.get('/api/kanban-items/{id}/attachments', { path }),
        (files, seq) => this.records.reset(files, seq, true),
        (change) => this.#apply(change),
      )
      this.failure.value = undefined
    } catch (error) {
      this.failure.value = error
    }
  }

  #apply(change: Change): void {
    if (change.kind !== 'attachment' || change.itemId !== this.itemId) return
    applyTo(this.records, change)
    const now = this.records.base(change.id)
    if (now && isPicture(now) && now.hasThumbnail !== true) this.#loadSoon()
  }

  /** Loads again soon: a thumbnail is stored after its picture, and the stream does not report it. */
  #loadSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.load(), THUMBNAIL_AFTER)
  }

  find(id: string): Attachment | undefined {
    return this.records.get(id)
  }

  view(id: string): void {
    this.viewed.value = id
  }

  existingIn(nodes: ParentNode): string {
    return filesIn(nodes)
      .filter((id) => this.find(id))
      .join()
  }

  fill(element: ParentNode): void {
    fillFiles(element, this)
  }

  takeInto(field: HTMLTextAreaElement, onLate: OnLate): () => void {
    return takeFiles(field, this, onLate)
  }

  /** Uploads a file. The list shows its progress, and why it failed. */
  upload(file: File): Upload {
    return upload(this.itemId, file, {
      message: ({ name }) => ({ text: words.attached(name), shown: 'heard' }),
    })
  }

  attach(file: File): Promise<Attachment | undefined> {
    return upload(this.itemId, file, {
      message: ({ name }) => ({ text: words.attached(name), shown: 'heard' }),
      onFailed: ({ name }, error) => toast(words.notAttached(name, error), [], 'alert'),
    }).attached
  }

  /** @throws PhaseboardError if the service refuses the write */
  async addLink(url: string, name: string): Promise<void> {
    const path = { id: this.itemId }
    const body = { url, ...(name !== '' && { name }) }
    await writeWithMessage(
      { text: words.attached(name || url), shown: 'heard' },
      {
        ...sending('post', '/api/kanban-items/{id}/attachments', { path, body }),
        onDone: ({ data, seq }) => {
          for (const one of [data].flat()) take(this.records, { data: one, seq })
        },
      },
    )
  }

  /** @throws PhaseboardError if the service refuses the write */
  async rename(id: string, name: string): Promise<void> {
    await changeRecord({
      records: this.records,
      message: words.renamed,
      id,
      patch: (file) => ({ ...file, name }),
      ...sending('patch', PATH, { path: { id }, body: { name } }),
    })
  }

  /** Deletes an attachment. Shows a message if the service refuses. */
  async remove({ id, name }: Attachment): Promise<void> {
    await accepted(
      removeRecord({
        records: this.records,
        message: words.deleted(name),
        id,
        ...sending('delete', PATH, { path: { id } }),
      }),
    )
  }

  /** Shows a picture on the card of the board, or none. */
  async setCover(picture: Attachment | undefined): Promise<void> {
    const title = this.#card.store.items.peek(this.itemId)?.title ?? ''
    if (picture && !picture.hasThumbnail) {
      const known = await addThumbnail(picture.id)
      if (known) stored(known)
    }
    const message = picture ? words.coverSet(title) : words.coverRemoved(title)
    await changeItem(this.#card, { coverId: picture?.id ?? null }, message)
  }
}
