/** Refusals as agents get them: what the service says, what is wrong with each argument, and what to do next. */
import type { ErrorCode } from '../error-codes.ts'
import type { ApiError } from '../errors.ts'
import { type Answer, pathOf, type Service } from './service.ts'

/** What to do after a refusal of a status. */
const NEXT: Record<number, string> = {
  400: 'Correct the arguments named here, and call again.',
  401: 'The token is missing, wrong, expired or revoked: ask a person for a valid one.',
  403: 'You are not allowed to do this, and trying again does not help: ask a person, for a token of scope "write" where this one only reads.',
  404: 'There is no such record any more, or the id is wrong: look for it with search, find_items or list_projects.',
  405: 'No route takes this method: see GET /openapi.json.',
  409: 'The current state does not allow it: read the item or the board again before you decide.',
  410: 'The changes are not kept any more: read the records as they are now.',
  412: 'Somebody has changed it since: read_item again, decide anew, and use the new etag as ifMatch.',
  413: 'Too much at once: ask for less, or split it.',
  422: 'This idempotencyKey was used for other arguments: use a new key for a new call.',
  429: 'Too many requests: wait before the next call.',
  500: 'The service failed, and nothing was changed: try again once, then tell a person.',
  503: 'The service is busy or stopping, and nothing was changed: try again in a few seconds.',
}

const FULL_COLUMN =
  'The column is full: finish or move an item that is in it first, or choose another column.'

/** What to do where the code says more than the status. */
const SAID: Partial<Record<ErrorCode, string>> = {
  already_done:
    'A call with this idempotencyKey has done it before, and its result is not kept: read the records as they are now.',
  wip_limit_reached: FULL_COLUMN,
}

/** Fields that name a column. */
const COLUMNS = ['column', 'from', 'to']

/** The project of a call. */
async function projectOf(args: Record<string, unknown>, { read }: Service): Promise<string | undefined> {
  if (typeof args.projectId === 'string') return args.projectId
  if (typeof args.itemId !== 'string') return undefined
  const [item] = (await read(pathOf`/api/kanban-items/${args.itemId}`)) as [Answer]
  return item.body.projectId
}

/** The names of the columns that there are, where one was asked for that is not; nothing where they can't be read. */
async function columnsFor(args: Record<string, unknown>, service: Service): Promise<{ columns?: string[] }> {
  try {
    const projectId = await projectOf(args, service)
    if (projectId === undefined) return {}
    const [columns] = (await service.read(pathOf`/api/projects/${projectId}/kanban-columns`)) as [Answer]
    return { columns: columns.body.slice(0, 100).map(({ name }: { name: string }) => name) }
  } catch {
    return {}
  }
}

/**
 * What a tool returns in the place of a result.
 * @param isBatch whether to say which request of a batch it was
 */
export async function refusalOf(
  { statusCode, message, code, details, headers }: ApiError,
  args: Record<string, unknown>,
  service: Service,
  isBatch: boolean,
): Promise<object> {
  const { request, ...said } = { request: undefined, ...details }
  const fields = 'fieldErrors' in said ? Object.keys(Object(said.fieldErrors)) : []
  const isColumn = statusCode === 400 && fields.some((field) => COLUMNS.includes(field))
  const next = SAID[code] ?? NEXT[statusCode] ?? NEXT[500]
  const { etag, 'retry-after': retryAfter } = headers
  return {
    status: statusCode,
    error: message,
    code,
    ...(Object.keys(said).length > 0 && { details: said }),
    ...(isBatch && request !== undefined && { request }),
    ...(isColumn && (await columnsFor(args, service))),
    ...(etag !== undefined && { etag }),
    ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
    next,
  }
}
