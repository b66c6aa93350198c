/** Lists that are loaded page by page. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { read } from './session.ts'

/** The page size. */
export const LIMIT = 100

/** The loaded part of a list, and a function that loads more. */
export interface Pages<T> {
  records: readonly T[]
  state: 'reading' | 'more' | 'end' | { error: unknown }
  readOn: () => Promise<void>
}

/**
 * Loads a list while a component is mounted.
 * @param start starts loading
 * @param about the key of the list; if it changes, loading starts again
 */
export function usePages<T>(start: () => AsyncIterator<T>, about = ''): Pages<T> {
  const rest = useRef<AsyncIterator<T>>(undefined as never)
  /** Whether the shown entries are those of the previous list. */
  const isAnew = useRef(true)
  const [records, setRecords] = useState<readonly T[]>([])
  const [state, setState] = useState<Pages<T>['state']>('reading')
  const readOn = async () => {
    const from = rest.current
    setState('reading')
    const found: T[] = []
    let next: Pages<T>['state'] = 'more'
    try {
      while (found.length < LIMIT && next === 'more') {
        const { done, value } = await read(() => from.next())
        if (done) next = 'end'
        else found.push(value)
      }
    } catch (error) {
      // A failed load ends the paging: start again.
      next = { error }
    }
    // By now another list is requested.
    if (from !== rest.current) return
    setState(next)
    setRecords((before) => (isAnew.current ? found : [...before, ...found]))
    isAnew.current = typeof next === 'object'
    if (isAnew.current) rest.current = start()
  }
  useEffect(() => {
    rest.current = start()
    isAnew.current = true
    void readOn()
  }, [about])
  return { records, state, readOn }
}
