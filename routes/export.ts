import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../src/errors.ts'
import { ensureNamed, sendZip } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, ref } from '../src/schemas/common.ts'
import { timestamp } from '../src/time.ts'

/** Concurrent exports, at most: each reads everything. */
const MOST = 2

/** Longest export, in milliseconds: while it reads, the write-ahead log can only grow. */
const LONGEST = 15 * 60 * 1000

/** `Retry-After`, in seconds. */
const RETRY_AFTER = 10

/** The export of everything, as a download. */
const exportRoutes: Routes = async (app) => {
  const running = new Set<Readable>()
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
    for (const archive of running) archive.destroy(new Error('the service stops'))
  })

  /** Begins an export. @throws ApiError 503 if there are too many */
  async function begin(): Promise<Readable> {
    const { ArchiveSnapshot } = await import('../src/exchange/archives/archive-snapshot.ts')
    const { zipArchive } = await import('../src/exchange/archives/archive-zip.ts')
    if (isStopping || running.size >= MOST) {
      throw new ApiError(503, 'Service Unavailable', { headers: { 'retry-after': String(RETRY_AFTER) } })
    }
    const snapshot = new ArchiveSnapshot(app.db.$client)
    const archive = zipArchive(snapshot)
    const timer = setTimeout(() => archive.destroy(new Error('the export took too long')), LONGEST).unref()
    running.add(archive)
    archive.once('close', () => {
      running.delete(archive)
      clearTimeout(timer)
      const { damaged } = snapshot
      if (damaged.length > 0) app.log.warn({ damaged }, 'an export lacks the bytes of damaged files')
    })
    return archive
  }

  app.get('/api/export', {
    config: {
      access: 'admin',
      failure: 'Failed to export',
      caching: 'no-store',
      isSentAlone: true,
      waits: true,
    },
    schema: {
      operationId: 'exportAll',
      summary: 'Export everything',
      description:
        'A zip file with a consistent snapshot of all records of all members, including private ideas, their history and the audit log, but no credentials. Its format: docs/export-format.md. `phaseboard import phaseboard` imports it.',
      tags: ['Export'],
      response: {
        200: {
          description: 'The archive',
          content: { 'application/zip': { schema: Type.String({ format: 'binary' }) } },
        },
        503: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      ensureNamed(request)
      const archive = request.method === 'HEAD' ? Readable.from([]) : await begin()
      return sendZip(reply, archive, `phaseboard-${timestamp().slice(0, 10)}.zip`)
    },
  })
}

export default exportRoutes
