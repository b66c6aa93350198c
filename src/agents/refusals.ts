/** Errors for agents: the service's error, the violations of each argument, and what to do next. */
import type { ErrorCode } from '../error-codes.ts'
import type { ApiError } from '../errors.ts'
import { type Answer, pathOf, type Service } from './service.ts'

/** What to do next, by status. */
const NEXT: Record<number, string> = {
  400: 'Correct the arguments named here, and call again.',
  401: 'The token is missing, wrong, expired or revoked: ask a person for a valid one.',
  403: 'You are not allowed to do this, and retrying does not help: ask a person, e.g. for a token with the scope "write" if this one only reads.',
  404: 'The record does not exist (any more), or the id is wrong: look for it with search, find_items or list_projects.',
  405: 'No route takes this method: see GET /openapi.json.',
  409: 'The current state does not allow it: read the item or the board again before you decide.',
  410: 'The changes are no longer stored: read the current records.',
  412: 'It has changed since you read it: call read_item again, decide again, and use the new etag as ifMatch.',
  413: 'Too much at once: request less, or split it.',
  422: 'This idempotencyKey was used for other arguments: use a new key for a new call.',
  429: 'Too many requests: wait before the next call.',
  500: 'The service failed, and nothing was changed: retry once, then tell a person.',
  503: 'The service is busy or stopping, and nothing was changed: retry in a few seconds.',
  507: 'There is no space left for files, and nothing was changed: tell a person.',
}

const FULL_COLUMN =
  'The column is full: finish or move an item that is in it first, or choose another column.'

/** What to do next, by code, if it is more specific than the status. */
const NEXT_BY_CODE: Partial<Record<ErrorCode, string>> = {
  already_done:
    'An earlier call with this idempotencyKey has done it, and its result is not stored: read the current records.',
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

/** The names of the existing columns, if an unknown one was given and they can be read. */
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
 * The error result of a tool.
 * @param isBatch whether to name the failed request of a batch
 */
export async function refusalOf(
  { statusCode, message, code, details, headers }: ApiError,
  args: Record<string, unknown>,
  service: Service,
  isBatch: boolean,
): Promise<object> {
  const { request, ...shown } = { request: undefined, ...details }
  const fields = 'fieldErrors' in shown ? Object.keys(Object(shown.fieldErrors)) : []
  const isColumn = statusCode === 400 && fields.some((field) => COLUMNS.includes(field))
  const next = NEXT_BY_CODE[code] ?? NEXT[statusCode] ?? NEXT[500]
  const { etag, 'retry-after': retryAfter } = headers
  return {
    status: statusCode,
    error: message,
    code,
    ...(Object.keys(shown).length > 0 && { details: shown }),
    ...(isBatch && request !== undefined && { request }),
    ...(isColumn && (await columnsFor(args, service))),
    ...(etag !== undefined && { etag }),
    ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
    next,
  }
}
