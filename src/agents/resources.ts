/** Boards and attachments as resources: applications attach them to conversations without a tool call. */
import type { ApiError } from '../errors.ts'
import { ATTACHMENTS, readAttachmentAt } from './attachments.ts'
import { ErrorCode, McpError } from './sdk.ts'
import { type Answer, type Service, withQuery } from './service.ts'
import { readBoard } from './tools/reading.ts'

const BOARD = 'phaseboard://projects/'
const JSON_TYPE = 'application/json'

/** Boards per page of the list. */
const PAGE = 100

/** Items per column. */
const ITEMS = 50

/** The protocol's code for an unknown resource. */
const NOT_FOUND = -32002

export const TEMPLATES = [
  {
    name: 'board',
    title: 'Board of a project',
    uriTemplate: `${BOARD}{id}`,
    mimeType: JSON_TYPE,
    description: `The columns of a project's board with the first ${ITEMS} items of each, as read_board returns them`,
  },
  {
    name: 'attachment',
    title: 'Attachment of an item',
    uriTemplate: `${ATTACHMENTS}{id}`,
    description:
      'The content of an attached file of at most 1 MiB, as text if it is text, or the URL of a link; read_item returns the URIs',
  },
]

/** The protocol's error for a thrown error. */
export function errorOf(refuse: (error: unknown) => ApiError, error: unknown): McpError {
  if (error instanceof McpError) return error
  const { statusCode, message } = refuse(error)
  if (statusCode === 404) return new McpError(NOT_FOUND, message)
  return new McpError(statusCode < 500 ? ErrorCode.InvalidParams : ErrorCode.InternalError, message)
}

/** A page of boards. @throws McpError, ApiError */
export async function listBoards({ read }: Service, cursor: string | undefined) {
  const path = withQuery('/api/projects', { view: 'summary', limit: PAGE, cursor })
  const [answer] = (await read(path)) as [Answer]
  return {
    resources: answer.body.map(({ id, name }: { id: string; name: string }) => ({
      uri: BOARD + encodeURIComponent(id),
      name: `board-${id}`,
      title: name,
      mimeType: JSON_TYPE,
    })),
    ...(answer.next !== undefined && { nextCursor: answer.next }),
  }
}

/** The id in a URI; undefined if it has another beginning, or is malformed */
function idIn(uri: string, beginning: string): string | undefined {
  if (!uri.startsWith(beginning) || uri === beginning) return undefined
  try {
    return decodeURIComponent(uri.slice(beginning.length))
  } catch {
    return undefined
  }
}

/** A board as JSON, or an attachment. @throws McpError, ApiError */
export async function readResourceAt(service: Service, uri: string) {
  const attachmentId = idIn(uri, ATTACHMENTS)
  if (attachmentId !== undefined) return await readAttachmentAt(service, uri, attachmentId)
  const projectId = idIn(uri, BOARD)
  if (projectId === undefined) throw new McpError(NOT_FOUND, 'Resource not found')
  const board = await readBoard({ projectId, limit: ITEMS }, service)
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(board) }] }
}
