/** The sequence of changes, and what stands on it: one instance a connection. */
import type { SharedDatabase } from '../db/client.ts'
import type { AuditLog } from '../members/audit-log.ts'
import { Deliveries } from './deliveries.ts'
import { Feed } from './feed.ts'
import { Retention } from './retention.ts'
import { Sequence } from './sequence.ts'
import { Subjects } from './subjects.ts'
import { Webhooks } from './webhooks.ts'

/** The rules of changes. */
export class Changes {
  static readonly reads: readonly string[] = []
  /** For the readers of this room. */
  readonly sequence: Sequence
  readonly subjects: Subjects
  readonly feed: Feed
  readonly retention: Retention
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries

  constructor(db: SharedDatabase, audit: AuditLog) {
    this.sequence = new Sequence(db)
    this.subjects = new Subjects(db)
    this.feed = new Feed(db, this.sequence, this.subjects)
    this.retention = new Retention(db)
    this.webhooks = new Webhooks(db, this.sequence, audit)
    this.deliveries = new Deliveries(db, audit)
  }
}
