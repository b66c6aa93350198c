/**
 * Drafts: typed text, stored in the browser until it is saved or discarded, across reloads, closed dialogs and lost connections. A draft
 * has the value that editing began with, to detect conflicts. Drafts are stored per member: another user of the same browser does not
 * see them.
 */

/** An unsaved text. */
export interface Draft {
  text: string
  /** The value that the user began to edit; empty for something new. */
  from: string
  /** When it was last changed, in milliseconds since 1970. */
  at: number
}

/** The storage of drafts: `localStorage`, or the like. */
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

/** Delay after the last key before a draft is stored, in milliseconds. */
const AFTER = 300
/** Expiry of unused drafts, in milliseconds. */
const KEPT = 90 * 24 * 60 * 60 * 1000

export class Drafts {
  readonly #storage: DraftStorage | undefined
  #owner = ''
  /** Drafts waiting to be stored, by key. */
  readonly #timers = new Map<string, { timer: ReturnType<typeof setTimeout>; draft: Draft }>()

  /** @param storage undefined if the browser forbids it: drafts then live as long as the page */
  constructor(storage: DraftStorage | undefined) {
    this.#storage = storage
    this.#removeOld()
  }

  /** Switches to the drafts of a member. @param owner the member's id */
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

  /** Stores a draft, after a debounce. */
  keep(name: string, draft: Omit<Draft, 'at'>): void {
    const key = keyOf(this.#owner, name)
    clearTimeout(this.#timers.get(key)?.timer)
    const whole = { ...draft, at: Date.now() }
    const timer = setTimeout(() => this.#store(key, whole), AFTER)
    this.#timers.set(key, { timer, draft: whole })
  }

  /** Deletes a draft after saving or discarding. */
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

  /** Stores waiting drafts at once, since the page may be closing. */
  flush(): void {
    for (const [key, { timer, draft }] of this.#timers) {
      clearTimeout(timer)
      this.#store(key, draft)
    }
  }

  #store(key: string, draft: Draft): void {
    try {
      this.#storage?.setItem(key, JSON.stringify(draft))
      // If it could not be stored, it stays in memory.
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
