/** Held by the type check: `src/phaseboard.d.ts` says of the package's entry what is there, no more and no less. */
import type * as entry from '../src/app.ts'
import type * as published from '../src/phaseboard.d.ts'

type Same<A, B> =
  (<T>() => T extends A ? 'is' : 'is not') extends <T>() => T extends B ? 'is' : 'is not' ? true : false

/** What each export is: both modules have the same names, and the same types by them. */
type Exports<Module> = { [Name in keyof Module]: Module[Name] }

export const sameNames: Same<keyof typeof entry, keyof typeof published> = true
export const sameFunction: Same<typeof entry.buildApp, typeof published.buildApp> = true
export const samePlugin: Same<typeof entry.phaseboard, typeof published.phaseboard> = true
export const sameDefault: Same<typeof entry.default, typeof published.default> = true
export const isPublished = (module: Exports<typeof entry>): Exports<typeof published> => module
export const isThere = (module: Exports<typeof published>): Exports<typeof entry> => module
