/** Lists whose contents depend on the caller. */
import type { FastifyReply } from 'fastify'
import { ME, NONE } from '../board/item-lists.ts'
import { valuesOfAny } from '../schemas/common.ts'

/** The filters that may depend on the caller. */
interface OwnFilters {
  assigneeId?: string | readonly string[]
  due?: string
  ready?: 'true'
}

/** Keeps caches from storing a response that depends on the caller. */
export function keepFromCaches(reply: FastifyReply, { assigneeId, due, ready }: OwnFilters): void {
  const isOfNow = due !== undefined && due !== '' && due !== NONE
  if (ready || isOfNow || valuesOfAny(assigneeId).includes(ME)) reply.header('cache-control', 'no-store')
}
