/** The tools for claims: agents share a column, and each item has at most one holder. */
import { Type } from '@sinclair/typebox'
import { conflict } from '../../errors.ts'
import { namesOf } from '../names.ts'
import { Cutter, Notes } from '../records.ts'
import { Arguments, fieldsOf, type RouteSchemas } from '../schemas.ts'
import { type Answer, type Asked, pathOf } from '../service.ts'
import { ADDS, SETS, SETS_AND_ADDS, type Tool, WRITTEN, writtenOf } from '../tool.ts'
import { TEXT_LIMIT, WholeItemSchema, wholeItemOf } from './reading.ts'
import { IdempotencyKey, ITEM_WRITTEN, ItemId, itemWritten } from './writing.ts'

/** `claim`. */
const claim = (routes: RouteSchemas): Tool => ({
  name: 'claim',
  title: 'Claim the next item',
  description:
    'Takes the next free item of a column: assigns it to you, moves it to the column of work in progress, and holds it for a lease, during which no other claim gets it. Use it to get work, instead of choosing an item and assigning it yourself: two agents never get the same one. Call renew before `claimedUntil`, then finish or release. Returns the whole item, or item: null if there is nothing to claim.',
  hints: ADDS,
  input: Arguments({
    projectId: Type.String({ minLength: 1, description: 'The id of a project, from list_projects' }),
    ...fieldsOf(routes.body('claimKanbanItem'), ['from', 'to', 'label', 'priority', 'leaseSeconds']),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object({
    item: Type.Optional(
      Type.Union([WholeItemSchema, Type.Null()], { description: 'null: there is nothing to claim' }),
    ),
    etag: Type.Optional(Type.String()),
    warnings: Type.Optional(Type.Array(Type.String())),
    ...WRITTEN,
    notes: Notes,
  }),
  async run(args, service) {
    const { projectId, idempotencyKey, ...body } = args
    const path = pathOf`/api/projects/${projectId}/kanban-items/claim`
    const written = await service.write([{ method: 'POST', path, body }], { args, idempotencyKey })
    if (written.unread !== undefined) {
      const notes = [
        'Claimed, but the item is too large to be shown to you: tell a person, and do not claim again',
      ]
      return { ...writtenOf(written), notes }
    }
    const { body: item, etag } = written.answers[0] as Answer
    const cutter = new Cutter(TEXT_LIMIT, 'read_item shows more')
    const names = await namesOf(service, item?.assigneeIds ?? [])
    return {
      item: item && wholeItemOf(item, names, cutter, TEXT_LIMIT),
      ...(item && { etag }),
      ...(item?.warnings && { warnings: item.warnings }),
      ...writtenOf(written),
      ...cutter.field(),
    }
  },
})

/** `renew`. */
const renew = (routes: RouteSchemas): Tool => ({
  name: 'renew',
  title: 'Renew a claim',
  description:
    'Renews the lease of an item that you have claimed, from now. Use it while you work longer than the lease. 409: another member has it now, or it is not claimed: stop working on it. Returns the item with its new claimedUntil.',
  hints: SETS,
  input: Arguments({
    itemId: ItemId,
    ...fieldsOf(routes.body('renewKanbanClaim'), ['leaseSeconds']),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object(ITEM_WRITTEN),
  async run(args, service) {
    const { itemId, idempotencyKey, ...body } = args
    const path = pathOf`/api/kanban-items/${itemId}/claim/renew`
    const written = await service.write([{ method: 'POST', path, body }], { args, idempotencyKey })
    return await itemWritten(written, service)
  },
})

/** `finish`. */
const finish = (routes: RouteSchemas): Tool => ({
  name: 'finish',
  title: 'Finish an item',
  description:
    'Moves an item to the column of finished work (the last one with the stage done), which ends a claim, and adds a comment if given, all or nothing. Use it when the work on the item is done; describe it in the comment. Returns the item as a card.',
  hints: SETS_AND_ADDS,
  input: Arguments({
    itemId: ItemId,
    comment: Type.Optional(
      fieldsOf(routes.body('createKanbanComment'), ['content']).content ?? Type.String(),
    ),
    ifMatch: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'The `etag` of the item as you read it: if it has changed since, nothing is done (412)',
      }),
    ),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object(ITEM_WRITTEN),
  async run(args, service) {
    const { read, write, repetition } = service
    const { itemId, comment, ifMatch, idempotencyKey } = args
    const repeated = repetition({ args, idempotencyKey })
    if (repeated) return await itemWritten(repeated, service)
    const path = pathOf`/api/kanban-items/${itemId}`
    const [item] = (await read(path)) as [Answer]
    const [columns] = (await read(pathOf`/api/projects/${item.body.projectId}/kanban-columns`)) as [Answer]
    const all: { name: string; stage: string }[] = columns.body
    const column = (all.findLast(({ stage }) => stage === 'done') ?? all.at(-1))?.name
    if (column === undefined) throw conflict('The board has no column', 'no_column')
    const requests: Asked[] = [{ method: 'POST', path: `${path}/move`, body: { column }, ifMatch }]
    if (comment !== undefined) {
      requests.push({ method: 'POST', path: `${path}/comments`, body: { content: comment } })
    }
    return await itemWritten(await write(requests, { args, idempotencyKey }), service)
  },
})

/** `release`. */
const release = (_routes: RouteSchemas): Tool => ({
  name: 'release',
  title: 'Release a claim',
  description:
    'Releases an item that you have claimed: it returns to its former column and position, unassigned, for others to claim. Use it when you cannot do the work; first explain why with comment. Returns the item as a card.',
  hints: SETS,
  input: Arguments({ itemId: ItemId, idempotencyKey: IdempotencyKey }),
  output: Type.Object(ITEM_WRITTEN),
  async run(args, service) {
    const { itemId, idempotencyKey } = args
    const path = pathOf`/api/kanban-items/${itemId}/claim`
    const written = await service.write([{ method: 'DELETE', path }], { args, idempotencyKey })
    return await itemWritten(written, service)
  },
})

export const claimTools = [claim, renew, finish, release]
