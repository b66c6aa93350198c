import { Type } from '@sinclair/typebox'
import { memberOf } from '../src/access/identity.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { isStrict } from '../src/requests/strictness.ts'
import {
  ColumnName,
  ErrorBody,
  IdParams,
  NoContent,
  PRIORITIES,
  Reference,
  ref,
  Term,
  UpdateBody,
} from '../src/schemas/common.ts'
import { KanbanItemSchema } from '../src/schemas/records.ts'

const leaseSeconds = Type.Integer({
  minimum: 30,
  maximum: 86_400,
  description: 'How long the claim lasts unless it is renewed; 900 by default',
})
const ClaimKanbanItem = UpdateBody({
  from: { ...ColumnName, description: 'Name of the column to take items from; To Do by default' },
  to: { ...ColumnName, description: 'Name of the column to move the item to; In Progress by default' },
  label: { ...Reference, description: 'Id or name of a label of the item' },
  priority: Term(PRIORITIES),
  leaseSeconds,
})
const RenewKanbanClaim = UpdateBody({ leaseSeconds })

/** Claims: agents and people share a column, and each item has at most one holder. */
const kanbanClaimRoutes: Routes = async (app) => {
  const { claims, items } = app.board
  const item = recordOf(KanbanItemSchema, items.get)
  const tags = ['Kanban claims']

  app.post('/api/projects/:id/kanban-items/claim', {
    config: { access: 'write', failure: 'Failed to claim kanban item', isBodyOptional: true },
    schema: {
      operationId: 'claimKanbanItem',
      summary: 'Claim the next item of a column',
      description:
        'Takes the first item that is approved, not dismissed, and unassigned or with an expired lease, assigns it to the caller and moves it to the end of `to`, with activity as for any change. Until `claimedUntil` no other claim gets it. Moving it to a column of the stage `done`, dismissing it, moving it to another project or changing the assignee ends the lease. 204 if there is no such item.',
      tags,
      params: IdParams,
      body: ClaimKanbanItem,
      example: { from: 'To Do', to: 'In Progress', priority: 'medium', leaseSeconds: 900 },
      response: { 200: ref(KanbanItemSchema), 204: NoContent, 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) =>
      claims.claim(request.params.id, request.body, memberOf(request).id, { isStrict: isStrict(request) }),
  })

  app.post('/api/kanban-items/:id/claim/renew', {
    config: { access: 'write', failure: 'Failed to renew claim', isBodyOptional: true, record: item },
    schema: {
      operationId: 'renewKanbanClaim',
      summary: 'Renew a claim',
      description:
        'For the holder of the claim: the lease starts again, even if it has expired, unless another claim has taken the item (409).',
      tags,
      params: IdParams,
      body: RenewKanbanClaim,
      example: { leaseSeconds: 900 },
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => claims.renew(request.params.id, request.body.leaseSeconds, memberOf(request).id),
  })

  app.delete('/api/kanban-items/:id/claim', {
    config: { access: 'write', failure: 'Failed to release kanban item', record: item, dependsOnRole: true },
    schema: {
      operationId: 'releaseKanbanClaim',
      summary: 'Release a claimed item',
      description:
        "For the holder of the claim, and admins: the item returns to the column and position it was claimed from, unassigned. That column's limit only warns. 409 if it is not claimed.",
      tags,
      params: IdParams,
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => claims.release(request.params.id, memberOf(request)),
  })
}

export default kanbanClaimRoutes
