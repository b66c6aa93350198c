/** Loads the flow of a project, and reloads it when the address changes or cards move. */
import { useEffect, useState } from 'preact/hooks'
import { api } from '../common/api.ts'
import { onChange, onReset } from '../common/live.ts'
import type { OpenProject } from '../common/open-project.ts'
import { read } from '../common/session.ts'
import { together } from '../common/together.ts'
import { place } from '../router.ts'
import type { Flow, FlowQuery } from './answer.ts'

/** The debounce before the numbers are reloaded after a change, in milliseconds. */
const SETTLED = 1000
/** The kinds of records that the numbers depend on. */
const KINDS = new Set(['kanban-item', 'kanban-column', 'kanban-item-label', 'kanban-label'])

/** The query from the address. */
function queryNow(): FlowQuery {
  const { query } = place.peek()
  const several = (name: string) => (query.has(name) ? query.getAll(name) : undefined)
  return {
    from: query.get('from') ?? undefined,
    to: query.get('to') ?? undefined,
    label: several('label'),
    assigneeId: several('assignee'),
    priority: several('priority'),
  }
}

/** The shown flow. The old numbers stay until those of a new range are loaded. */
export function useFlow({ store: { id } }: OpenProject) {
  const [data, setData] = useState<Flow | undefined>()
  const [error, setError] = useState<unknown>()
  const [round, setRound] = useState(0)
  const asked = place.value.query.toString()

  // `asked` and `round` trigger a reload.
  useEffect(() => {
    const leaving = new AbortController()
    read(() =>
      api.get('/api/projects/{id}/flow', { path: { id }, query: queryNow(), signal: leaving.signal }),
    ).then(
      (found) => {
        setData(found)
        setError(undefined)
      },
      (failure) => {
        if (!leaving.signal.aborted) setError(failure)
      },
    )
    return () => leaving.abort()
  }, [id, asked, round])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        setRound((before) => before + 1)
      }, SETTLED)
    }
    return together(
      onReset(later),
      onChange(({ kind, projectId }) => {
        if (projectId === id && KINDS.has(kind)) later()
      }),
      () => clearTimeout(timer),
    )
  }, [id])

  return { data, error, retry: () => setRound((before) => before + 1) }
}
