/** Lists that no store holds: read when they are shown, and again after a change. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { read } from '../common/session.ts'
import { Failed, Loading } from '../common/ui/page.tsx'

/** What was read, and the way to read it again. */
export interface Reading<T> {
  /** Undefined until it is read. */
  data: T | undefined
  error: unknown
  reload: () => Promise<void>
  /** Shows something else, e.g. with one more, until it is read again. */
  replace: (data: T) => void
}

/** Reads something while a component is shown. @param load reads it; called again by `reload` */
export function useReading<T>(load: () => Promise<T>): Reading<T> {
  const state = useMemo(() => signal<{ data?: T; error?: unknown }>({}), [])
  const reload = async () => {
    try {
      state.value = { data: await read(load) }
    } catch (error) {
      state.value = { ...state.peek(), error }
    }
  }
  useEffect(() => void reload(), [])
  const { data, error } = state.value
  return {
    data,
    error,
    reload,
    replace: (next) => {
      state.value = { data: next }
    },
  }
}

interface Props<T> {
  of: Reading<T>
  /** Shows it. */
  children: (data: T) => ComponentChildren
}

/** Shows what was read, and until then that it is being read. */
export function WhenRead<T>({ of: { data, error, reload }, children }: Props<T>) {
  if (data !== undefined) return <>{children(data)}</>
  if (error !== undefined) return <Failed error={error} retry={() => void reload()} />
  return <Loading />
}
