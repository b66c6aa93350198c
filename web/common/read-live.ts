/** Loads records that the stream keeps current. */
import { batch } from '@preact/signals'
import type { Change } from './api.ts'
import { appliedSeq, onChange } from './live.ts'
import { read } from './session.ts'

/** The maximum number of changes to apply to a response. After more of them, it is requested again. */
const MOST = 1000

/**
 * Loads something, and applies the changes that arrived meanwhile again: the response may be older than they are, and the
 * records that they change may not have been known before.
 * @param take stores the response, as of a change
 * @param apply applies a change; a known one must change nothing
 * @throws PhaseboardError
 */
export async function readLive<T>(
  request: () => Promise<T>,
  take: (answer: T, seq: number) => void,
  apply: (change: Change) => void,
): Promise<void> {
  let late: Change[]
  do {
    late = []
    const seq = appliedSeq()
    const end = onChange((change) => late.length > MOST || late.push(change))
    try {
      const answer = await read(request)
      batch(() => {
        take(answer, seq)
        for (const change of late) apply(change)
      })
    } finally {
      end()
    }
  } while (late.length > MOST)
}
