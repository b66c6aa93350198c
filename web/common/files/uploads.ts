/**
 * The uploads of this tab. They continue after the dialog is closed. Failed uploads stay, with the file, until they are retried or
 * discarded.
 */
import { batch, signal } from '@preact/signals'
import { randomId } from '../../../src/client/random-id.ts'
import { texts } from '../../texts.ts'
import { type Answer, type Attachment, isPassing, messageOf } from '../api.ts'
import { done, type Message } from '../toasts.ts'
import { write } from '../writes.ts'
import { sendFile } from './send-file.ts'
import { makeThumbnail, storeThumbnail } from './thumbnails.ts'

/** The number of files that are sent at the same time: the service receives no more of a member. */
const MOST_AT_ONCE = 2

type UploadState =
  | { step: 'waiting' }
  /** @property share of the bytes that are sent, from 0 to 1 */
  | { step: 'sending'; share: number }
  | { step: 'failed'; error: string }

/** Called with the result of an upload. */
interface UploadOptions {
  /** The message after it. */
  message: (attachment: Attachment) => Message
  /** Called with the reason if it fails. */
  onFailed?: ((upload: Upload, error: string) => void) | undefined
}

/** A file on its way to a card. */
export class Upload {
  readonly itemId: string
  readonly file: File
  readonly name: string
  /** The Idempotency-Key, the same for each retry. */
  readonly key = randomId()
  readonly state = signal<UploadState>({ step: 'waiting' })
  readonly options: UploadOptions
  /** The attachment; undefined if the first attempt fails, or the upload is cancelled. */
  readonly attached: Promise<Attachment | undefined>
  /** Settles `attached`. */
  settle: (attachment?: Attachment) => void = () => undefined
  aborter = new AbortController()

  constructor(itemId: string, file: File, options: UploadOptions) {
    this.itemId = itemId
    this.file = file
    this.name = file.name || texts.files.title
    this.options = options
    this.attached = new Promise((resolve) => {
      this.settle = resolve
    })
  }
}

/** All uploads that are not done, oldest first. */
export const uploads = signal<readonly Upload[]>([])

type Listener = (attachment: Attachment, seq: number | undefined) => void
const listeners = new Set<Listener>()

/** Subscribes to attachments from uploads, since the stream does not have all of them. @returns unsubscribes */
export function onStored(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Reports an attachment from a response. @param seq its last change; undefined without a change */
export function stored(attachment: Attachment, seq?: number): void {
  for (const listener of listeners) listener(attachment, seq)
}

let running = 0

/** Starts an upload, once there is room for it. */
export function upload(itemId: string, file: File, options: UploadOptions): Upload {
  const one = new Upload(itemId, file, options)
  uploads.value = [...uploads.peek(), one]
  next()
  return one
}

/** Uploads a file again after a failure. */
export function retryUpload(one: Upload): void {
  if (one.state.peek().step !== 'failed') return
  one.state.value = { step: 'waiting' }
  next()
}

/** Cancels an upload, or discards one that has failed. */
export function cancelUpload(one: Upload): void {
  forget(one)
  one.aborter.abort()
  one.settle()
}

function forget(one: Upload): void {
  uploads.value = uploads.peek().filter((other) => other !== one)
}

function next(): void {
  const one = uploads.peek().find(({ state }) => state.peek().step === 'waiting')
  if (one === undefined || running >= MOST_AT_ONCE) return
  running++
  one.state.value = { step: 'sending', share: 0 }
  void run(one).finally(() => {
    running--
    next()
  })
  next()
}

/** Sends it. @throws Error if the browser cannot read the file any more */
async function send({ itemId, name, file, key, state, aborter }: Upload): Promise<Answer<Attachment[]>> {
  try {
    return await sendFile({
      itemId,
      name,
      file,
      idempotencyKey: key,
      signal: aborter.signal,
      onProgress: (share) => {
        state.value = { step: 'sending', share }
      },
    })
  } catch (error) {
    // The browser gives no other information for a changed or removed file, or a folder.
    if (isPassing(error) && !(await isReadable(file))) throw new Error(texts.files.unreadable)
    throw error
  }
}

const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

async function run(one: Upload): Promise<void> {
  const { options, aborter } = one
  const thumbnail = makeThumbnail(one.file)
  try {
    const answer = await write({ isApart: true, send: () => send(one) })
    const [attachment] = answer.data
    if (attachment === undefined) throw new Error(texts.files.unreadable)
    batch(() => {
      stored(attachment, answer.seq)
      forget(one)
    })
    done(answer.seq, options.message(attachment))
    one.settle(attachment)
    const small = await thumbnail
    const whole = small && (await storeThumbnail(attachment.id, small))
    if (whole) stored(whole)
  } catch (error) {
    if (aborter.signal.aborted) return
    const message = messageOf(error)
    one.state.value = { step: 'failed', error: message }
    one.settle()
    options.onFailed?.(one, message)
  }
}
