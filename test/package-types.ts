/**
 * For the type check: `src/phaseboard.d.ts` and `src/client/types.d.ts` must declare exactly what the package's entries export,
 * and the types generated from the OpenAPI document must equal those of its schemas.
 */
import type { Static } from '@sinclair/typebox'
import type * as entry from '../src/app.ts'
import type * as api from '../src/client/api.d.ts'
import type * as clientEntry from '../src/client/client.ts'
import type * as publishedClient from '../src/client/types.d.ts'
import type * as published from '../src/phaseboard.d.ts'
import type * as schemas from '../src/schemas/records.ts'

type Same<A, B> =
  (<T>() => T extends A ? 'is' : 'is not') extends <T>() => T extends B ? 'is' : 'is not' ? true : false

/** The exports: both modules have the same names with the same types. */
type Exports<Module> = { [Name in keyof Module]: Module[Name] }

export const sameNames: Same<keyof typeof entry, keyof typeof published> = true
export const sameFunction: Same<typeof entry.buildApp, typeof published.buildApp> = true
export const samePlugin: Same<typeof entry.phaseboard, typeof published.phaseboard> = true
export const sameDefault: Same<typeof entry.default, typeof published.default> = true
export const isPublished = (module: Exports<typeof entry>): Exports<typeof published> => module
export const isThere = (module: Exports<typeof published>): Exports<typeof entry> => module

export const sameClientNames: Same<keyof typeof clientEntry, keyof typeof publishedClient> = true
export const isPublishedOfClient = (module: Exports<typeof clientEntry>): Exports<typeof publishedClient> =>
  module
export const isThereOfClient = (module: Exports<typeof publishedClient>): Exports<typeof clientEntry> =>
  module

/** Whether the types of the service's responses equal the client's. */
type Sent<Sent, Got> = Sent extends Got ? true : false
export const sameItem: Sent<schemas.KanbanItem, api.KanbanItem> = true
export const sameComment: Sent<schemas.KanbanComment, api.KanbanComment> = true
export const sameChange: Sent<Static<typeof schemas.ChangeSchema>, api.Change> = true
export const sameResult: Sent<Static<typeof schemas.SearchResultSchema>, api.SearchResult> = true
export const itemIsNot: Sent<schemas.KanbanItem, api.KanbanComment> = false
