/** The service's HTTP API for the benchmark. */

/** The used fields of a board's item. */
export interface Item {
  id: string
  column: string
  priority: string
}

/** The used fields of a project with its board. */
export interface Project {
  id: string
  status: string
  kanbanItems: Item[]
}

export const HEALTH_PATH = '/healthz'
export const SESSION_PATH = '/api/session'
export const LIST_PATH = '/api/projects'
/** Half of the list. */
export const FILTERED_PATH = '/api/projects?status=active'
export const projectPath = (id: string) => `/api/projects/${id}`
export const itemPath = (id: string) => `/api/kanban-items/${id}`
export const movePath = (id: string) => `${itemPath(id)}/move`
/** A page of a project's items. */
export const itemsPath = (projectId: string, query: Record<string, string>) =>
  `${projectPath(projectId)}/kanban-items?${new URLSearchParams(query)}`
export const searchPath = (q: string) => `/api/search?${new URLSearchParams({ q })}`

/**
 * Sends a GET request.
 * @param url where the server listens
 * @throws Error unless the status is 200
 */
export async function get(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ text: string; etag: string | null }> {
  const response = await fetch(url + path, { headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${text.slice(0, 500)}`)
  return { text, etag: response.headers.get('etag') }
}

/** All current projects. @param url where the server listens */
export async function getProjects(url: string, headers?: Record<string, string>): Promise<Project[]> {
  return JSON.parse((await get(url, LIST_PATH, headers)).text)
}
