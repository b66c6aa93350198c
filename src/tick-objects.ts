/** Keeps `process.nextTick` fast (docs/decisions/059-one-tick-object-is-kept.md). */
import { executionAsyncResource } from 'node:async_hooks'

/** What is kept. */
export const kept: object[] = []

/**
 * Keeps one of the objects that Node makes for each `process.nextTick`, so that V8 keeps their hidden class. A full garbage
 * collection at a moment without any would drop it, and V8 would never again optimise the literal that makes them: three ticks
 * of each request would then cost a fifth of it. Call it early: what is lost does not come back.
 */
export function keepTickObject(): void {
  process.nextTick(() => kept.push(executionAsyncResource()))
}
