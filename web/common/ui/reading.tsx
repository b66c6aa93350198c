/** Lists without a store. They are loaded when they are shown, and again after a change. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { read } from '../session.ts'
import { Failed, Loading } from './page.tsx'

/** The loaded data, and functions to reload or replace it. */
export interface Reading<T> {
  /** Undefined until it is loaded. */
  data: T | undefined
  error: unknown
  reload: () => Promise<void>
  /** Replaces the shown data, e.g. adds an entry, until it is reloaded. */
  replace: (data: T) => void
}

/** Loads data while a component is mounted. @param load loads it; `reload` calls it again */
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
  /** Renders the data. */
  children: (data: T) => ComponentChildren
}

/** Shows the loaded data, and before that the loading state. */
export function WhenRead<T>({ of: { data, error, reload }, children }: Props<T>) {
  if (data !== undefined) return <>{children(data)}</>
  if (error !== undefined) return <Failed isPart error={error} retry={() => void reload()} />
  return <Loading />
}
