import { Type } from '@sinclair/typebox'
import { PageParameters } from '../src/requests/pages.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ref } from '../src/schemas/common.ts'
import { AuditEntrySchema } from '../src/schemas/records.ts'

const AuditLogQuery = Type.Object(PageParameters)

/** The audit log: read-only, for admins. */
const auditLogRoutes: Routes = async (app) => {
  app.get('/api/audit-log', {
    config: { access: 'admin', failure: 'Failed to fetch audit log', caching: 'no-store' },
    schema: {
      operationId: 'listAuditLog',
      summary: 'List sign-ins and changes of access rights, newest first',
      description: 'With a `limit`, the `Link` header names the next page, if there is one.',
      tags: ['Audit log'],
      querystring: AuditLogQuery,
      response: { 200: Type.Array(ref(AuditEntrySchema)) },
    },
    handler: ({ query }) => app.members.audit.page(query),
  })
}

export default auditLogRoutes
