/**
 * What the user is typing, kept in the browser until it is saved or discarded: over a reload, a closed dialog, a lost connection. A draft
 * knows the value that it started from, so that a lost race can be told. It is its member's: who uses the same browser afterwards is not
 * shown it, and finds the own ones again.
 */

/** A text that is not saved yet. */
export interface Draft {
  text: string
  /** The value that the user began to edit; empty for something new. */
  from: string
  /** When it was last changed, in milliseconds since 1970. */
  at: number
}

/** Where drafts are kept: `localStorage`, or anything like it. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const PREFIX = 'phaseboard:draft:'
const keyOf = (owner: string, name: string) => `${PREFIX}${encodeURIComponent(owner)}:${name}`

/** What is stored under a key; undefined where that is no draft. */
function parse(text: string | null | undefined): Draft | undefined {
  try {
    return text ? (JSON.parse(text) as Draft) : undefined
  } catch {
    return undefined
  }
}

/** How long after the last key a draft is kept, in milliseconds. */
const AFTER = 300
/** How long a draft is kept that nobody comes back to, in milliseconds. */
const KEPT = 90 * 24 * 60 * 60 * 1000

export class Drafts {
  readonly #storage: DraftStorage | undefined
  #owner = ''
  /** What waits to be stored, by its key. */
  readonly #timers = new Map<string, { timer: ReturnType<typeof setTimeout>; draft: Draft }>()

  /** @param storage undefined where the browser forbids it: drafts then live as long as the page */
  constructor(storage: DraftStorage | undefined) {
    this.#storage = storage
    this.#removeOld()
  }

  /** From now on, these are the drafts of a member. @param owner the member's id */
  belongTo(owner: string): void {
    this.#owner = owner
  }

  /** The draft of a field, by a name such as `kanban-item:<id>:title`. */
  read(name: string): Draft | undefined {
    const key = keyOf(this.#owner, name)
    const waiting = this.#timers.get(key)
    if (waiting) return waiting.draft
    try {
      return parse(this.#storage?.getItem(key))
    } catch {
      return undefined
    }
  }

  /** Keeps a draft, a little after the last key. */
  keep(name: string, draft: Omit<Draft, 'at'>): void {
    const key = keyOf(this.#owner, name)
    clearTimeout(this.#timers.get(key)?.timer)
    const whole = { ...draft, at: Date.now() }
    const timer = setTimeout(() => this.#store(key, whole), AFTER)
    this.#timers.set(key, { timer, draft: whole })
  }

  /** Forgets a draft: it is saved, or discarded. */
  remove(name: string): void {
    const key = keyOf(this.#owner, name)
    clearTimeout(this.#timers.get(key)?.timer)
    this.#timers.delete(key)
    try {
      this.#storage?.removeItem(key)
    } catch {
      // Forbidden: then there is none.
    }
  }

  /** Stores what waits: the page may be gone in a moment. */
  flush(): void {
    for (const [key, { timer, draft }] of this.#timers) {
      clearTimeout(timer)
      this.#store(key, draft)
    }
  }

  #store(key: string, draft: Draft): void {
    try {
      this.#storage?.setItem(key, JSON.stringify(draft))
      // Where it could not be stored, the page keeps it.
      this.#timers.delete(key)
    } catch {
      // Full, or forbidden.
    }
  }

  #removeOld(): void {
    try {
      const storage = this.#storage
      const keys = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '')
      for (const key of keys.filter((one) => one.startsWith(PREFIX))) {
        const draft = parse(storage?.getItem(key))
        if (draft === undefined || draft.at < Date.now() - KEPT) storage?.removeItem(key)
      }
    } catch {
      // Forbidden: then there are none.
    }
  }
}

/** The browser's storage, if it may be used. */
function browserStorage(): DraftStorage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}

/** The drafts of this browser. */
export const drafts = new Drafts(browserStorage())
