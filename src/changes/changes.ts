/** The rules of the sequence of changes: one instance per connection. */
import type { Board } from '../board/board.ts'
import type { SharedDatabase } from '../db/client.ts'
import type { Members } from '../members/members.ts'
import { Feed } from './feed.ts'
import { Forgetting } from './forgetting.ts'
import { Groups } from './groups.ts'
import { History } from './history.ts'
import { Retention } from './retention.ts'
import { Sequence } from './sequence.ts'
import { Subjects } from './subjects.ts'
import { Trash } from './trash.ts'
import { Undo } from './undo.ts'
import { Visibility } from './visibility.ts'

/** The rules of changes. */
export class Changes {
  static readonly reads: readonly string[] = []
  /** For the readers in this folder. */
  readonly sequence: Sequence
  readonly subjects: Subjects
  readonly visibility: Visibility
  readonly history: History
  readonly trash: Trash
  readonly undo: Undo
  readonly feed: Feed
  readonly forgetting: Forgetting
  readonly retention: Retention

  constructor(db: SharedDatabase, board: Board, { audit, people }: Pick<Members, 'audit' | 'people'>) {
    this.sequence = new Sequence(db)
    this.subjects = new Subjects(db)
    this.visibility = new Visibility(db, this.sequence, this.subjects)
    const groups = new Groups(db, this.sequence)
    const { sequence, subjects, visibility } = this
    this.history = new History(db, sequence, subjects, visibility)
    this.trash = new Trash(db, { sequence, subjects, groups, visibility })
    this.undo = new Undo(db, { sequence, subjects, groups, visibility, board, audit })
    this.feed = new Feed(db, sequence, subjects, visibility)
    this.forgetting = new Forgetting(db, { people, audit, subjects })
    this.retention = new Retention(db)
  }
}
