/** Lists that are read page by page. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { read } from '../common/session.ts'

/** How much is read at once. */
export const LIMIT = 100

/** A list as far as it is read, and what reads on. */
export interface Pages<T> {
  records: readonly T[]
  state: 'reading' | 'more' | 'end' | { error: unknown }
  readOn: () => Promise<void>
}

/**
 * Reads a list while a component is shown.
 * @param start begins to read it
 * @param about what it is about: read from the beginning when that is another
 */
export function usePages<T>(start: () => AsyncIterator<T>, about = ''): Pages<T> {
  const rest = useRef<AsyncIterator<T>>(undefined as never)
  /** Whether what was read of another list before is still shown. */
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
      // What has failed is over: from the beginning.
      next = { error }
    }
    // Another list is asked for by now.
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
