/** Projects as share links show them, created from their snapshots, and cached separately. */
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../access/caller.ts'
import { etagOf } from '../etags.ts'
import type { Attempt, LargeSnapshots } from './large-snapshots.ts'
import { sharedTextOf } from './shared-text.ts'
import type { ProjectSnapshot } from './snapshots.ts'

/** Memory of an entry besides its body, in bytes, roughly. */
const OVERHEAD = 300

/** Additional cache size for these texts, as a fraction of the snapshot cache. */
const CACHE_SHARE = 2

/** A project as a share link shows it. */
export interface SharedProject {
  etag: string
  /** Its bytes, JSON in UTF-8. */
  body: () => Promise<Buffer>
}

/** Reads shared projects. */
export interface SharedProjects {
  /** One project. @throws ApiError 404 */
  get: (id: string, caller: Caller) => Promise<SharedProject>
}

/**
 * Creates the reader of shared projects.
 * @param attempt runs small steps on the event loop, in turns
 * @param maxBytes size of the cache of snapshots
 */
export function createSharedProjects(
  snapshots: Pick<LargeSnapshots, 'project'>,
  attempt: Attempt,
  maxBytes: number,
): SharedProjects {
  const kept = new LRUCache<string, { of: string; body: Buffer }>({
    maxSize: Math.max(1, Math.floor(maxBytes / CACHE_SHARE)),
    sizeCalculation: ({ body }, id) => body.length + id.length + OVERHEAD,
  })
  /** Texts in progress, by the ETag of the snapshot. */
  const pending = new Map<string, Promise<Buffer>>()
  // The ETag of a snapshot is also a hash of the omitted fields: an attacker could use it to verify guesses.
  const salt = randomBytes(32).toString('base64url')

  async function make(id: string, snapshot: ProjectSnapshot, turn: string | null): Promise<Buffer> {
    const step = sharedTextOf(snapshot)
    let body = await attempt(turn, step)
    while (body === undefined) {
      // Its time in this turn is used up, so the next step waits for another one.
      await new Promise(setImmediate)
      body = await attempt(turn, step)
    }
    kept.set(id, { of: snapshot.etag, body })
    return body
  }

  async function bodyOf(id: string, snapshot: ProjectSnapshot, turn: string | null): Promise<Buffer> {
    const { etag } = snapshot
    const known = kept.get(id)
    if (known?.of === etag) return known.body
    const made = pending.get(etag) ?? make(id, snapshot, turn).finally(() => pending.delete(etag))
    pending.set(etag, made)
    return made
  }

  return {
    async get(id, caller) {
      const snapshot = await snapshots.project(id, caller)
      return { etag: etagOf(salt + snapshot.etag), body: () => bodyOf(id, snapshot, caller.turn) }
    },
  }
}
