/** Elects the deliverer among several services on one database file: each change must be sent once, and in order. */
import { realpathSync } from 'node:fs'
import { createProcessLock, type ProcessLock } from '../db/process-lock.ts'

/**
 * Creates the lock of a database.
 * @param database the path of its file; the lock's is beside it, with the suffix `.webhooks-lock`
 */
export const createDeliveryLock = (database: string): ProcessLock =>
  createProcessLock(() => `${realpathSync(database)}.webhooks-lock`)
