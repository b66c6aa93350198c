import fp from 'fastify-plugin'
import { repeat } from '../src/http/repeated.ts'
import type { Config } from '../src/phaseboard.d.ts'
import type { ChunkSink } from '../src/requests/attachment-uploads.ts'
import { TransferSlots } from '../src/requests/transfer-slots.ts'
import { endPaced } from '../src/requests/uploads.ts'
import { FileStore } from '../src/worker/file-store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    files: {
      /** The bytes of files. */
      store: FileStore
      /**
       * Receives an upload, in a slot of its share, with room for its size within the limit of all files together.
       * @param share see `shareOf`
       * @param bytes its size; null if it was not announced
       * @param receive receives and stores it
       * @throws ApiError 507 without room, 503 without a slot
       */
      upload: <T>(share: string, bytes: number | null, receive: (sink: ChunkSink) => Promise<T>) => Promise<T>
      /** Bytes of a file, and of all together, at most. */
      limit: number
      total: number
      /** The slots of uploads, and of downloads. */
      uploads: TransferSlots
      downloads: TransferSlots
    }
  }
}

/** Uploads at once, and those of a share: a slot is taken for as long as a line is slow, so none is lent beyond it. */
const UPLOADS = 8
const UPLOADS_OF_SHARE = 2

/** Downloads of more than a chunk at once: a browser has six connections, or many requests in one. */
const DOWNLOADS = 64
const DOWNLOADS_OF_SHARE = 16

/** Milliseconds for bodies of files to arrive once the application closes, which a host's waits for. */
const LONGEST_END = 30_000

const HOUR = 60 * 60 * 1000

/** Milliseconds without a new chunk after which an upload counts as a leftover of an ended process: the slowest running one brings a chunk in less than three minutes. */
const LEFT_OVER = 4 * 60 * 1000

interface FilesOptions
  extends Pick<Config, 'databaseUrl' | 'walCheckpoints' | 'attachmentLimit' | 'attachmentsTotal'> {
  /** Whether the process is the service's own, and not a host's. */
  ownsProcess: boolean
}

/** The bytes of attached files. Removes contents without references, at startup and once an hour. */
export default fp<FilesOptions>(
  async (app, { databaseUrl, walCheckpoints, attachmentLimit, attachmentsTotal, ownsProcess }) => {
    const { db, databaseFiles: files, groupCommit } = app
    const store = new FileStore({ db, files, groupCommit, databaseUrl, walCheckpoints, ownsProcess })
    const uploads = new TransferSlots(UPLOADS, { ofShare: UPLOADS_OF_SHARE })
    app.decorate('files', {
      store,
      upload: async (share, bytes, receive) => {
        const leave = await uploads.wait(share)
        try {
          const upload = await store.begin(bytes, attachmentLimit, attachmentsTotal)
          try {
            return await receive({
              write: (content, chunk, bytes) => store.write(upload, content, chunk, bytes, attachmentsTotal),
              damaged: (sha256) => store.damaged(sha256),
              discard: (content) => store.discard(content),
            })
          } finally {
            // A thread that has ended has nothing reserved.
            await store.end(upload).catch(() => undefined)
          }
        } finally {
          leave()
        }
      },
      limit: attachmentLimit,
      total: attachmentsTotal,
      uploads,
      downloads: new TransferSlots(DOWNLOADS, { ofShare: DOWNLOADS_OF_SHARE }),
    })

    let again: NodeJS.Timeout | undefined
    async function tidy(closing: AbortSignal): Promise<void> {
      clearTimeout(again)
      if (closing.aborted) return
      try {
        const hasYounger = await store.tidy(Date.now() - LEFT_OVER)
        // They may be leftovers of a process that was just killed.
        if (hasYounger && !closing.aborted) again = setTimeout(tidy, LEFT_OVER + 1000, closing).unref()
      } catch (err) {
        if (!closing.aborted) app.log.warn({ err }, 'could not remove files without references')
      }
    }
    let ending: NodeJS.Timeout | undefined
    app.addHook('preClose', async () => {
      clearTimeout(again)
      ending = setTimeout(() => endPaced(app.server), LONGEST_END).unref()
    })
    app.addHook('onClose', async () => clearTimeout(ending))
    repeat(app, HOUR, tidy)
    app.addHook('onClose', () => store.close())
  },
  { name: 'files', fastify: '5.x', dependencies: ['database'] },
)
