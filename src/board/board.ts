/** The board of projects: all its rules, prepared once for a connection. */
import type { SharedDatabase } from '../db/client.ts'
import { Comments } from './comments.ts'
import { Subtasks } from './subtasks.ts'

/** The rules of boards. */
export class Board {
  static readonly reads: readonly string[] = []
  readonly subtasks: Subtasks
  readonly comments: Comments

  constructor(db: SharedDatabase) {
    this.subtasks = new Subtasks(db)
    this.comments = new Comments(db)
  }
}
