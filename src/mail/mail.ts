/** The rules of e-mail: what members want, the queue, and links to unsubscribe. The sequence of changes records none of it. */
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

  /** These notifications have left: sent, or not to be told any more. */
  told(memberId: string, ids: readonly string[], isSent: boolean): void {
    this.queue.told(memberId, ids)
    if (isSent) this.preferences.setFailure(memberId, null)
  }

  /** These notifications could not be told in a day, or were refused for good. */
  giveUp(memberId: string, ids: readonly string[], reason: string): void {
    this.queue.told(memberId, ids)
    this.preferences.setFailure(memberId, reason)
  }
}
