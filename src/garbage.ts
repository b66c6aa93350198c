/** Garbage collection on request, for memory outside of V8's heap. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** V8's function, which it exposes to contexts created while the flag is set. */
type CollectGarbage = (how: {
  type: 'major' | 'minor'
  execution: 'sync'
  flavor?: 'regular' | 'last-resort'
}) => void

/** V8's function that collects garbage in this thread; undefined if it has none. */
export function garbageCollector(): CollectGarbage | undefined {
  setFlagsFromString('--expose-gc')
  const collect: CollectGarbage | undefined = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  return collect
}
