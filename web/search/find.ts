/** Asking the service, and where its results lead. */
import { useEffect, useState } from 'preact/hooks'
import { api, messageOf, type SearchResult } from '../common/api.ts'
import { read } from '../common/session.ts'
import { paths } from '../router.ts'

/** How long after the last key it is asked, in milliseconds. */
const PAUSE = 150

/** What to look for; an empty kind or project lets all through. */
export interface Search {
  q: string
  kind?: string
  projectId?: string
  limit: number
}

/** What was found; the results of the question before stay until those of the next are there. */
export interface Found {
  /** What it is the answer to; undefined before any. */
  q: string | undefined
  results: readonly SearchResult[]
  error: string | undefined
}

const NOTHING: Found = { q: undefined, results: [], error: undefined }

/** Searches a little after the last change, and gives up what was asked before. */
export function useSearch({ q, kind, projectId, limit }: Search): Found {
  const [found, setFound] = useState(NOTHING)
  const text = q.trim()
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

/** The path of a result; of a comment that of the board, until the service is asked for its card. */
export function pathOf({ kind, id, projectId }: SearchResult): string {
  if (kind === 'personal-idea') return `/ideas?${new URLSearchParams({ show: id })}`
  const project = projectId ?? id
  if (kind === 'kanban-item') return paths.card(project, id)
  return kind === 'transcript-summary' ? paths.overview(project) : paths.board(project)
}

/** The same, of a comment its card; that of the board where it is gone meanwhile. */
export async function exactPathOf(result: SearchResult): Promise<string> {
  if (result.kind !== 'kanban-comment' || result.projectId === null) return pathOf(result)
  const path = { id: result.id }
  const comment = await read(() => api.get('/api/kanban-comments/{id}', { path })).catch(() => undefined)
  return comment === undefined ? pathOf(result) : paths.card(result.projectId, comment.itemId)
}
