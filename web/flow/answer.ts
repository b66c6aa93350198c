/** What the service answers of a project's flow. */
import type { OperationOf } from '../../src/client/types.d.ts'

/** All numbers of the page, as the service computed them. Days are UTC. */
export type Flow = OperationOf<'get', '/api/projects/{id}/flow'>['answer']

/** The filters of the page's address. */
export type FlowQuery = NonNullable<OperationOf<'get', '/api/projects/{id}/flow'>['query']>
