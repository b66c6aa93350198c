/**
 * Drafts: typed text that the browser stores until it is saved or discarded. It survives reloads, closed dialogs and lost
 * connections. A draft also has the value at the start of editing, to detect conflicts. Drafts are stored per member, so
 * another user of the same browser does not see them.
 */

/** An unsaved text. */
export interface Draft {
  text: string
  /** The value at the start of editing; empty for something new. */
  from: string
  /** When it was last changed, in milliseconds since 1970. */
  at: number
}

/** The storage of drafts: `localStorage` or a similar object. */
type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const PREFIX = 'phaseboard:draft:'
const keyOf = (owner: string, name: string) => `${PREFIX}${encodeURIComponent(owner)}:${name}`

/** The draft stored under a key; undefined if the stored value is not one. */
function parse(text: string | null | undefined): Draft | undefined {
  try {
    return text ? (JSON.parse(text) as Draft) : undefined
  } catch {
    return undefined
  }
}

/** Delay after the last key before a draft is stored, in milliseconds. */
const AFTER = 300
/** Drafts expire if unused for this long, in milliseconds. */
const KEPT = 90 * 24 * 60 * 60 * 1000

class Drafts {
  readonly #storage: DraftStorage | undefined
  #owner = ''
  /** Drafts waiting to be stored, by key. */
  readonly #timers = new Map<string, { timer: ReturnType<typeof setTimeout>; draft: Draft }>()
  /** What this tab has last read or stored, by key. Anything else in the storage was typed in another tab. */
  readonly #known = new Map<string, string | null>()

  /** @param storage undefined if the browser forbids it; drafts then live as long as the page */
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
    const text = this.#stored(key)
    this.#known.set(key, text)
    return parse(text)
  }

  /** The draft of a field, unless another tab has replaced it. */
  own(name: string): Draft | undefined {
    const key = keyOf(this.#owner, name)
    const text = this.#stored(key)
    return this.#timers.get(key)?.draft ?? (text === this.#known.get(key) ? parse(text) : undefined)
  }

  #stored(key: string): string | null {
    try {
      return this.#storage?.getItem(key) ?? null
    } catch {
      return null
    }
  }

  /** Stores a draft after a debounce. */
  keep(name: string, draft: Omit<Draft, 'at'>): void {
    const key = keyOf(this.#owner, name)
    clearTimeout(this.#timers.get(key)?.timer)
    const whole = { ...draft, at: Date.now() }
    const timer = setTimeout(() => this.#store(key, whole), AFTER)
    this.#timers.set(key, { timer, draft: whole })
  }

  /** Deletes a draft after it was saved or discarded. What another tab has typed since then stays. */
  remove(name: string): void {
    const key = keyOf(this.#owner, name)
    this.#forget(key)
    if (this.#stored(key) === this.#known.get(key)) this.#delete(key)
  }

  /** Forgets what waits to be stored. */
  #forget(key: string): void {
    clearTimeout(this.#timers.get(key)?.timer)
    this.#timers.delete(key)
  }

  #delete(key: string): void {
    try {
      this.#storage?.removeItem(key)
    } catch {
      // The storage is forbidden, so there is no draft.
    }
  }

  /** Deletes all drafts of some records, whose ids are in their names. */
  removeOf(ids: ReadonlySet<string>): void {
    const prefix = keyOf(this.#owner, '')
    const isOf = (key: string) =>
      key.startsWith(prefix) &&
      key
        .slice(prefix.length)
        .split(':')
        .some((part) => ids.has(part))
    for (const key of [...this.#timers.keys(), ...this.#keys()])
      if (isOf(key)) {
        this.#forget(key)
        this.#delete(key)
      }
  }

  /** Stores waiting drafts at once, because the page may be closing. */
  flush(): void {
    for (const [key, { timer, draft }] of this.#timers) {
      clearTimeout(timer)
      this.#store(key, draft)
    }
  }

  #store(key: string, draft: Draft): void {
    try {
      const text = JSON.stringify(draft)
      this.#storage?.setItem(key, text)
      this.#known.set(key, text)
      // If storing fails, the draft stays in memory.
      this.#timers.delete(key)
    } catch {
      // The storage is full or forbidden.
    }
  }

  /** The keys of all stored drafts. @throws if the storage is forbidden */
  #keys(): string[] {
    const storage = this.#storage
    const keys = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '')
    return keys.filter((one) => one.startsWith(PREFIX))
  }

  #removeOld(): void {
    try {
      const storage = this.#storage
      for (const key of this.#keys()) {
        const draft = parse(storage?.getItem(key))
        if (draft === undefined || draft.at < Date.now() - KEPT) storage?.removeItem(key)
      }
    } catch {
      // The storage is forbidden, so there are no drafts.
    }
  }
}

/** The browser's storage, if it is allowed. */
function browserStorage(): DraftStorage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}

export const drafts = new Drafts(browserStorage())
