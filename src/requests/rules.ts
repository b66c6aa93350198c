/** All rules of the service, by name. */
import { Attention } from '../attention/attention.ts'
import { Board } from '../board/board.ts'
import { Changes } from '../changes/changes.ts'
import type { SharedDatabase } from '../db/client.ts'
import { Flow } from '../flow/flow.ts'
import { Mail } from '../mail/mail.ts'
import { Members } from '../members/members.ts'
import { Projects } from '../projects/projects.ts'
import { Reading } from '../reading/reading.ts'
import { Deliveries } from '../webhooks/deliveries.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import { IdempotencyStore } from './idempotency-store.ts'

/** The rules of one connection. Call a write inside a transaction. */
export interface Rules {
  attention: Attention
  board: Board
  changes: Changes
  deliveries: Deliveries
  flow: Flow
  idempotencyStore: IdempotencyStore
  mail: Mail
  members: Members
  projects: Projects
  reading: Reading
  webhooks: Webhooks
}

/** Creates the rules of a connection, once. Their statements are prepared lazily. */
export function createRules(db: SharedDatabase): Rules {
  const members = new Members(db)
  const board = new Board(db, members.people)
  const projects = new Projects(db, board, members.audit)
  const reading = new Reading(db, projects)
  const changes = new Changes(db, board, members)
  const flow = new Flow(db, changes)
  return {
    attention: new Attention(db, board),
    board,
    changes,
    deliveries: new Deliveries(db, members.audit),
    flow,
    idempotencyStore: new IdempotencyStore(db),
    mail: new Mail(db, members.people),
    members,
    projects,
    reading,
    webhooks: new Webhooks(db, changes.sequence, members.audit),
  }
}
