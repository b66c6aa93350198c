/** The address of a card by its number, `/WEB-12`: leads to the card on its board. */
import { useEffect, useState } from 'preact/hooks'
import { api, isNotFound } from '../common/api.ts'
import { read } from '../common/session.ts'
import { Failed, Loading, Missing, Page } from '../common/ui/page.tsx'
import { go, paths } from '../router.ts'
import { texts } from '../texts.ts'

export default function NumberPage({ number }: { number: string }) {
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    setError(undefined)
    read(() => api.get('/api/kanban-items/{id}', { path: { id: number }, signal })).then(
      ({ projectId, id }) => {
        if (!signal.aborted) go(paths.card(projectId, id), { replace: true })
      },
      (failure) => {
        if (!signal.aborted) setError(failure)
      },
    )
    return () => leaving.abort()
  }, [number, attempt])
  return (
    <Page title={number.toUpperCase()}>
      {error === undefined && <Loading shape="columns" />}
      {error !== undefined &&
        (isNotFound(error) ? (
          <Missing text={texts.missingCard} />
        ) : (
          <Failed error={error} retry={() => setAttempt(attempt + 1)} />
        ))}
    </Page>
  )
}
