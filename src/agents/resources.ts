/** Boards as resources: what an application attaches to a conversation without an agent asking for it. */
import type { ApiError } from '../errors.ts'
import { ErrorCode, McpError } from './sdk.ts'
import { type Answer, type Service, withQuery } from './service.ts'
import { readBoard } from './tools/reading.ts'

const BOARD = 'phaseboard://projects/'
const JSON_TYPE = 'application/json'

/** Boards on a page of the list. */
const PAGE = 100

/** Items of each column. */
const ITEMS = 50

/** The protocol's code for a resource that is not there. */
const NOT_FOUND = -32002

export const TEMPLATES = [
  {
    name: 'board',
    title: 'Board of a project',
    uriTemplate: `${BOARD}{id}`,
    mimeType: JSON_TYPE,
    description: `The columns of a project's board with the first ${ITEMS} items of each, as read_board returns them`,
  },
]

/** Turns a refusal into the protocol's error: resources have no other. */
function throwAsError(error: unknown): never {
  const { statusCode, message } = error as ApiError
  const code =
    statusCode === 404 ? NOT_FOUND : statusCode < 500 ? ErrorCode.InvalidParams : ErrorCode.InternalError
  throw new McpError(code, message)
}

/** A page of the boards that there are. @throws McpError */
export async function listBoards({ read }: Service, cursor: string | undefined) {
  const path = withQuery('/api/projects', { view: 'summary', limit: PAGE, cursor })
  const [answer] = (await read(path).catch(throwAsError)) as [Answer]
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

/** The id in the URI of a board. @throws McpError */
function projectIn(uri: string): string {
  const id = uri.startsWith(BOARD) ? uri.slice(BOARD.length) : ''
  try {
    if (id !== '') return decodeURIComponent(id)
  } catch {}
  throw new McpError(NOT_FOUND, 'Resource not found')
}

/** A board as JSON. @throws McpError */
export async function readBoardAt(service: Service, uri: string) {
  const board = await readBoard({ projectId: projectIn(uri), limit: ITEMS }, service).catch(throwAsError)
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(board) }] }
}
