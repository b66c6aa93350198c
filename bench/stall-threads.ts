/** The resource usage of a thread, on Linux only. */
import { readFileSync } from 'node:fs'

/** The thread that asks. */
export const OWN_THREAD = '/proc/thread-self'

/** Nanoseconds that a thread has run, and has waited for a processor that something else was using. */
export type Usage = [ran: number, waited: number]

/** What a thread has used since its start. @param folder its folder, e.g. `/proc/1/task/1`; nothing where it has ended */
export function usageOf(folder: string): Usage {
  try {
    const [ran, waited] = readFileSync(`${folder}/schedstat`, 'latin1').split(' ')
    return [Number(ran), Number(waited)]
  } catch {
    // It has ended, or it is another system.
    return [0, 0]
  }
}

/** Milliseconds that a thread has waited for a processor since its start. */
export const waitOf = (folder: string): number => usageOf(folder)[1] / 1e6
