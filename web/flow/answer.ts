/** The service's response about the flow of a project. */
import type { OperationOf } from '../../src/client/types.d.ts'

/** All numbers of the page, as computed by the service. Days are in UTC. */
export type Flow = OperationOf<'get', '/api/projects/{id}/flow'>['answer']

/** The filters in the page's address. */
export type FlowQuery = NonNullable<OperationOf<'get', '/api/projects/{id}/flow'>['query']>
