/** Controls the load generator, which is another process, on its own processor core if possible. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Load, LoadResult } from './load.ts'
import { endProcess, startProcess } from './processes.ts'

/** A running load generator. */
export interface Generator {
  /** Sends one load, and waits for its end. @throws Error if any response was not the expected one */
  send: (load: Load) => Promise<LoadResult>
  stop: () => Promise<void>
}

/**
 * Starts the load generator.
 * @param core the number of its core, or undefined for any
 */
export function startGenerator(core: number | undefined): Generator {
  const program = [process.execPath, fileURLToPath(new URL('load.ts', import.meta.url))]
  const [command, ...args] =
    core === undefined ? program : ['taskset', '--cpu-list', String(core), ...program]
  const child = startProcess(command as string, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the load generator ended with ${code ?? signal}`)
  })
  ended.catch(() => undefined)
  return {
    send: async (load) => {
      const answered = once(child, 'message')
      child.send(load)
      const [message] = await Promise.race([answered, ended])
      if (message.error !== undefined) throw new Error(message.error)
      return message.result
    },
    stop: () => endProcess(child),
  }
}
