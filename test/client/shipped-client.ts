/** The shipped `phaseboard/client`. */
import type { Test } from 'tap'
import { APP_URL } from '../shipped.ts'

/** What the module exports. */
export const { createClient, PhaseboardError }: typeof import('../../src/client/client.ts') = await import(
  new URL('client.js', APP_URL).href
)

/** A failure of a request, in the form that tests compare. */
export type Failed = InstanceType<typeof PhaseboardError>

/** The failure of a request that must fail. */
export async function failureOf(t: Test, failing: Promise<unknown>): Promise<Failed> {
  const error = await failing.then(
    () => new Error('it succeeded'),
    (error) => error,
  )
  if (!(error instanceof PhaseboardError)) throw error
  t.equal(error.name, 'PhaseboardError')
  return error
}
