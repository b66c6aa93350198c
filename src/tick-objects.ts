/** Keeps `process.nextTick` fast (docs/decisions/059-one-tick-object-is-kept.md). */
import { executionAsyncResource } from 'node:async_hooks'

export const kept: object[] = []

/**
 * Keeps one of the objects that Node creates for each `process.nextTick`, so that V8 keeps their hidden class. A full garbage
 * collection while no such object exists would drop it, and V8 would never again optimise the literal that creates them: the three ticks
 * of each request would then cost a fifth of it. Call it early: the optimisation does not come back.
 */
export function keepTickObject(): void {
  process.nextTick(() => kept.push(executionAsyncResource()))
}
