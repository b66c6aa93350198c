/** Serves the files of the board page; loaded lazily. */
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify, { type FastifyInstance } from 'fastify'
import { findWebBuild } from './web-build.ts'

/**
 * Creates an application that serves the files, compressed if the client accepts that. Their names change with their
 * content, so they may be cached forever.
 * @param prefix of the service
 */
export async function createAssets(prefix: string): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(fastifyStatic, {
    root: join(findWebBuild(), 'assets'),
    prefix: `${prefix}/assets/`,
    decorateReply: false,
    dotfiles: 'ignore',
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
  })
  return app
}
