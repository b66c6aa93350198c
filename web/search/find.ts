/** Searches the service, and finds the paths of its results. */
import { useEffect, useState } from 'preact/hooks'
import { api, messageOf, type SearchResult } from '../common/api.ts'
import { onAccess } from '../common/live.ts'
import { read } from '../common/session.ts'
import { paths } from '../router.ts'

/** The debounce of the search, in milliseconds. */
const PAUSE = 150

/** The query. An empty kind or project matches all. */
export interface Search {
  q: string
  kind?: string
  projectId?: string
  limit: number
}

/** The results. Those of the previous query stay until the next ones are loaded. */
export interface Found {
  /** The query of these results; undefined before the first. */
  q: string | undefined
  results: readonly SearchResult[]
  error: string | undefined
}

const NOTHING: Found = { q: undefined, results: [], error: undefined }

/** Searches after the debounce, and aborts the previous search. */
export function useSearch({ q, kind, projectId, limit }: Search): Found {
  const [found, setFound] = useState(NOTHING)
  const text = q.trim()
  useEffect(
    () =>
      onAccess(({ projectId, visible }) => {
        if (visible) return
        const isSeen = (result: SearchResult) => (result.projectId ?? result.id) !== projectId
        setFound((now) => ({ ...now, results: now.results.filter(isSeen) }))
      }),
    [],
  )
  useEffect(() => {
    if (text === '') {
      setFound(NOTHING)
      return
    }
    const giveUp = new AbortController()
    const { signal } = giveUp
    const query = { q: text, limit, kind: kind || undefined, projectId: projectId || undefined }
    const ask = () =>
      read(() => api.get('/api/search', { query, signal })).then(
        ({ results }) => setFound({ q: text, results, error: undefined }),
        (error) => {
          if (!signal.aborted) setFound({ q: text, results: [], error: messageOf(error) })
        },
      )
    const timer = setTimeout(() => void ask(), PAUSE)
    return () => {
      clearTimeout(timer)
      giveUp.abort()
    }
  }, [text, kind, projectId, limit])
  return found
}

/** The path of a result. For a comment it is the path of the board until the service has returned its card. */
export function pathOf({ kind, id, projectId }: SearchResult): string {
  if (kind === 'personal-idea') return `/ideas?${new URLSearchParams({ show: id })}`
  const project = projectId ?? id
  if (kind === 'kanban-item') return paths.card(project, id)
  return kind === 'transcript-summary' ? paths.overview(project) : paths.board(project)
}

/** The path of a result. For a comment it is the path of its card, or of the board if the card is gone. */
export async function exactPathOf(result: SearchResult): Promise<string> {
  if (result.kind !== 'kanban-comment' || result.projectId === null) return pathOf(result)
  const path = { id: result.id }
  const comment = await read(() => api.get('/api/kanban-comments/{id}', { path })).catch(() => undefined)
  return comment === undefined ? pathOf(result) : paths.card(result.projectId, comment.itemId)
}
