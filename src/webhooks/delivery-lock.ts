/** Which of several services on one database file delivers to webhooks: each change is to be sent once, and in order. */
import { realpathSync } from 'node:fs'
import { createProcessLock, type ProcessLock } from '../db/process-lock.ts'

/**
 * Creates the lock of a database.
 * @param database the path of its file; the lock's is beside it, with the suffix `.webhooks-lock`
 */
export const createDeliveryLock = (database: string): ProcessLock =>
  createProcessLock(() => `${realpathSync(database)}.webhooks-lock`)
