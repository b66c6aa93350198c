/** The resource usage of a thread, on Linux only. */
import { readFileSync } from 'node:fs'

/** The calling thread. */
export const OWN_THREAD = '/proc/thread-self'

/** Nanoseconds that a thread has run, and has waited for a processor that was busy with something else. */
export type Usage = [ran: number, waited: number]

/** The usage of a thread since its start. @param folder its folder, e.g. `/proc/1/task/1`; zeros if the thread has ended */
export function usageOf(folder: string): Usage {
  try {
    const [ran, waited] = readFileSync(`${folder}/schedstat`, 'latin1').split(' ')
    return [Number(ran), Number(waited)]
  } catch {
    // The thread has ended, or the system is not Linux.
    return [0, 0]
  }
}

/** Milliseconds that a thread has waited for a processor since its start. */
export const waitOf = (folder: string): number => usageOf(folder)[1] / 1e6
