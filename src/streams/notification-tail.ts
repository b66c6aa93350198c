/** Sends new notifications to the streams of their members, whichever process on the file has made them. */
import type { Clock } from '../clock.ts'
import type { ChangeReaders } from './change-readers.ts'

/** Milliseconds between two polls, while there are streams; this process's own notifications are sent at once. */
const INTERVAL = 500

/** Notifications read at once, in some tenths of a millisecond. */
const AT_ONCE = 100

/** A notification to send. */
interface Sent {
  place: number
  memberId: string
  projectId: string | null
}

/** The dependencies of the tail. */
interface NotificationTailOptions {
  notifications: { newest: () => number; after: (place: number, count: number) => Sent[] }
  readers: Pick<ChangeReaders, 'size' | 'sendNotifications'>
  clock: Clock
  /** Reports a failure to read. */
  warn: (error: unknown) => void
}

/** The tail of one process. */
export class NotificationTail {
  readonly #options: NotificationTailOptions
  /** The last examined notification; undefined while there are no streams. */
  #place: number | undefined
  #isLooking = false
  #isStopped = false
  #cancel = (): void => undefined

  constructor(options: NotificationTailOptions) {
    this.#options = options
  }

  /** Starts polling. */
  start(): void {
    this.look()
    this.#cancel = this.#options.clock.after(INTERVAL, () => this.start())
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  /** Reads new notifications, and continues in the next turn if there are more. */
  look(): void {
    if (this.#isLooking || this.#isStopped) return
    this.#isLooking = true
    setImmediate(() => {
      this.#isLooking = false
      this.#send()
    })
  }

  #send(): void {
    const { notifications, readers, warn } = this.#options
    if (this.#isStopped) return
    try {
      const newest = notifications.newest()
      // The newest may have been deleted.
      if (readers.size === 0 || this.#place === undefined || this.#place > newest) {
        this.#place = newest
        return
      }
      if (this.#place === newest) return
      const some = notifications.after(this.#place, AT_ONCE)
      this.#place = some.at(-1)?.place ?? newest
      readers.sendNotifications(some)
      this.look()
    } catch (error) {
      warn(error)
    }
  }
}
