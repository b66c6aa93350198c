/**
 * Waiting writes in the tab's storage, which survive a reload: the requests that send them, with their
 * Idempotency-Keys, so that a write with a lost response happens only once. They belong to the user who made them.
 */
import type { PlainRequest } from './api.ts'

/** A write without a response. */
export interface KeptWrite {
  request: PlainRequest
  /** The message after it: "Moved to Done." */
  message: string
  /** When it was made, in milliseconds since 1970. */
  at: number
}

/** The storage: `sessionStorage` or a similar object. */
export type WriteStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** The maximum number of stored writes, and of characters. */
const MOST = 200
const LARGEST = 250_000
/** The service repeats the response to an Idempotency-Key for a day. A later retry could do the write twice. */
const USABLE_FOR = 23 * 60 * 60 * 1000

/**
 * The writes that may be stored: changes of boards and ideas. Never a password, a token or a file. Texts with a draft are
 * not stored either, because the draft survives a reload anyway.
 */
const KEPT =
  /^\/api\/(?:(?:projects\/\{id\}\/)?(?:kanban-|metrics|objectives)|projects\/reorder$|projects\/\{id\}$|transcript-summaries|personal-ideas|changes\/\{seq\}\/undo$)/
const WITH_DRAFT = /\/(?:comments|subtasks|kanban-labels|metrics|objectives)$/

/** The paths of requests in a batch that may be stored; they contain ids of records. */
const KEPT_IN_BATCH = /^\/api\/(?:(?:projects\/[^/]+\/)?(?:kanban-|objectives)|changes\/[^/]+\/undo$)/

function isKeptBatch({ path, options }: PlainRequest): boolean {
  const { requests } = Object(options.body) as { requests?: unknown }
  return (
    path === '/api/batch' &&
    Array.isArray(requests) &&
    requests.every((one) => KEPT_IN_BATCH.test(String(Object(one).path)))
  )
}

/** Whether a write may be stored. */
export const isKept = (request: PlainRequest): boolean => isKeptBatch(request) || isKeptAlone(request)

const isKeptAlone = ({ method, path, options }: PlainRequest): boolean =>
  method !== 'get' &&
  KEPT.test(path) &&
  !(method === 'post' && WITH_DRAFT.test(path)) &&
  options.ifMatch === undefined

interface Stored {
  owner: string
  writes: KeptWrite[]
}

export class KeptWrites {
  readonly #storage: WriteStorage | undefined
  readonly #key: string

  /**
   * @param storage undefined if the browser forbids it; then nothing is stored
   * @param root the root path of the service
   */
  constructor(storage: WriteStorage | undefined, root: string) {
    this.#storage = storage
    this.#key = `phaseboard:writes:${root}`
  }

  /**
   * Replaces the stored writes.
   * @param owner the id of the member who made them
   * @returns the number of stored writes: the first ones, if there are too many
   */
  keep(owner: string, writes: readonly KeptWrite[]): number {
    const all = writes.slice(0, MOST)
    try {
      let text = JSON.stringify({ owner, writes: all } satisfies Stored)
      while (text.length > LARGEST && all.length > 0) {
        all.length = Math.floor(all.length / 2)
        text = JSON.stringify({ owner, writes: all } satisfies Stored)
      }
      if (all.length === 0) this.#storage?.removeItem(this.#key)
      else this.#storage?.setItem(this.#key, text)
      return this.#storage ? all.length : 0
    } catch {
      // The storage is full or forbidden.
      return 0
    }
  }

  /**
   * Takes the writes of a member from the storage, and removes those of others.
   * @returns in their order; `late` are too old to be sent
   */
  take(owner: string, now = Date.now()): { writes: KeptWrite[]; late: KeptWrite[] } {
    let stored: Stored | undefined
    try {
      stored = parse(this.#storage?.getItem(this.#key))
      this.#storage?.removeItem(this.#key)
    } catch {
      // The storage is forbidden, so nothing is stored.
    }
    const all = stored?.owner === owner ? stored.writes : []
    const isUsable = ({ at }: KeptWrite) => at > now - USABLE_FOR && at <= now + USABLE_FOR
    return { writes: all.filter(isUsable), late: all.filter((one) => !isUsable(one)) }
  }
}

/** The stored value. Other scripts of the origin may have written anything. */
function parse(text: string | null | undefined): Stored | undefined {
  if (!text) return undefined
  try {
    const { owner, writes } = JSON.parse(text) as Partial<Stored>
    if (typeof owner !== 'string' || !Array.isArray(writes)) return undefined
    return { owner, writes: writes.map(upToDate).filter(isWrite) }
  } catch {
    return undefined
  }
}

/** A write from before an update of the service, whose message was `said`. */
function upToDate(one: unknown): unknown {
  const { said, ...write } = Object(one) as { said?: string }
  return { message: said, ...write }
}

function isWrite(one: unknown): one is KeptWrite {
  const { request, message, at } = Object(one) as Partial<KeptWrite>
  const { method, path, options } = Object(request) as Partial<PlainRequest>
  return (
    typeof message === 'string' &&
    typeof at === 'number' &&
    typeof method === 'string' &&
    typeof path === 'string' &&
    typeof Object(options).idempotencyKey === 'string' &&
    isKept(request as PlainRequest)
  )
}
