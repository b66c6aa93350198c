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
  description: 'How long the item is held, unless the claim is renewed; 900 if absent',
})
const ClaimKanbanItem = UpdateBody({
  from: { ...ColumnName, description: 'Name of the column to work off; To Do if absent' },
  to: { ...ColumnName, description: 'Name of the column that the item is moved to; In Progress if absent' },
  label: { ...Reference, description: 'Id or name of a label that the item has' },
  priority: Term(PRIORITIES),
  leaseSeconds,
})
const RenewKanbanClaim = UpdateBody({ leaseSeconds })

/** Claims: how agents and people work off a column together, each item in one hand at a time. */
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
        'The first by order that is approved, not dismissed, and unassigned or of a lapsed lease is assigned to the caller and moved to the end of `to`, with activity as for a change. Until `claimedUntil` nobody else is given it; then the next claim may be. Moving it to a column of finished work (stage `done`), dismissing it, moving it to another project or changing the assignee ends the lease. 204 where there is no such item.',
      tags,
      params: IdParams,
      body: ClaimKanbanItem,
      response: { 200: ref(KanbanItemSchema), 204: NoContent, 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) =>
      claims.claim(request.params.id, request.body, memberOf(request).id, { isStrict: isStrict(request) }),
  })

  app.post('/api/kanban-items/:id/claim/renew', {
    config: { access: 'write', failure: 'Failed to renew claim', isBodyOptional: true, record: item },
    schema: {
      operationId: 'renewKanbanClaim',
      summary: 'Hold a claimed item longer',
      description:
        'For whoever has claimed it: the lease begins anew, also one that has lapsed, as long as nobody else has taken the item. 409 otherwise.',
      tags,
      params: IdParams,
      body: RenewKanbanClaim,
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => claims.renew(request.params.id, request.body.leaseSeconds, memberOf(request).id),
  })

  app.delete('/api/kanban-items/:id/claim', {
    config: { access: 'write', failure: 'Failed to release kanban item', record: item, dependsOnRole: true },
    schema: {
      operationId: 'releaseKanbanClaim',
      summary: 'Give a claimed item back',
      description:
        "For whoever has claimed it, and admins: it goes back to the column and the place that it was claimed from, and is nobody's. A limit of that column only warns. 409 where it is not claimed.",
      tags,
      params: IdParams,
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => claims.release(request.params.id, memberOf(request)),
  })
}

export default kanbanClaimRoutes
