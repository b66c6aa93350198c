import fp from 'fastify-plugin'
import { repeat } from '../src/http/repeated.ts'
import type { Config } from '../src/phaseboard.d.ts'
import type { ChunkSink } from '../src/requests/attachment-uploads.ts'
import { FileSlots } from '../src/requests/file-slots.ts'
import { FileStore } from '../src/worker/file-store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    files: {
      /** The bytes of files. */
      store: FileStore
      /** Stores uploads, within the limit of all files together. */
      sink: ChunkSink
      /** Bytes of a file, and of all together, at most. */
      limit: number
      total: number
      uploads: FileSlots
      downloads: FileSlots
    }
  }
}

/** Uploads at once. */
const UPLOADS = 8

/** Downloads of more than a chunk at once: a browser has six connections, or many requests in one. */
const DOWNLOADS = 64
const DOWNLOADS_OF_MEMBER = 16

/** Longest wait for a download's turn, in milliseconds. */
const LONGEST_WAIT = 30_000

const HOUR = 60 * 60 * 1000

/** Milliseconds without a new chunk after which an upload counts as a leftover of an ended process: a running upload times out earlier. */
const LEFT_OVER = 2 * 60 * 1000

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
    app.decorate('files', {
      store,
      sink: {
        write: (content, chunk, bytes) => store.write(content, chunk, bytes, attachmentsTotal),
        damaged: (sha256) => store.damaged(sha256),
        discard: (content) => store.discard(content),
      },
      limit: attachmentLimit,
      total: attachmentsTotal,
      uploads: new FileSlots(UPLOADS),
      downloads: new FileSlots(DOWNLOADS, { ofMember: DOWNLOADS_OF_MEMBER, longest: LONGEST_WAIT }),
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
    app.addHook('preClose', async () => clearTimeout(again))
    repeat(app, HOUR, tidy)
    app.addHook('onClose', () => store.close())
  },
  { name: 'files', fastify: '5.x', dependencies: ['database'] },
)
