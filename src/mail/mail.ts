/** The rules of e-mail: preferences, the queue, and unsubscribe links. The sequence of changes records none of it. */
import type { SharedDatabase } from '../db/client.ts'
import type { People } from '../members/people.ts'
import { MailPreferences } from './preferences.ts'
import { MailQueue } from './queue.ts'
import { MailState } from './state.ts'

/** The rules of e-mail on one connection. */
export class Mail {
  static readonly reads: readonly string[] = []
  readonly preferences: MailPreferences
  readonly queue: MailQueue
  readonly state: MailState

  constructor(db: SharedDatabase, people: People) {
    this.queue = new MailQueue(db, people)
    this.preferences = new MailPreferences(db, this.queue)
    this.state = new MailState(db)
  }

  /** Removes notifications from the queue: they were sent, or are obsolete. */
  remove(memberId: string, ids: readonly string[], isSent: boolean): void {
    this.queue.remove(memberId, ids)
    if (isSent) this.preferences.setFailure(memberId, null)
  }

  /** Removes notifications that could not be delivered in a day, or were refused permanently. */
  giveUp(memberId: string, ids: readonly string[], reason: string): void {
    this.queue.remove(memberId, ids)
    this.preferences.setFailure(memberId, reason)
  }
}
