/** The rules of boards: one instance per connection. */
import type { SharedDatabase } from '../db/client.ts'
import { ActivityLog } from './activity-log.ts'
import { Attachments } from './attachments.ts'
import { CardNumbers } from './card-numbers.ts'
import { Claims } from './claims.ts'
import { ColumnNames } from './column-names.ts'
import { Columns } from './columns.ts'
import { Comments } from './comments.ts'
import { ExportedBoards, type KnownPeople } from './exported-boards.ts'
import { ItemCalendar } from './item-calendar.ts'
import { ItemCounts } from './item-counts.ts'
import { ItemCsv } from './item-csv.ts'
import { ItemLists } from './item-lists.ts'
import { ItemRecords } from './item-records.ts'
import { Items } from './items.ts'
import { Labels } from './labels.ts'
import { Subtasks } from './subtasks.ts'
import { TrelloJson } from './trello-json.ts'

/** The rules of boards. */
export class Board {
  static readonly reads: readonly string[] = []
  readonly items: Items
  readonly itemLists: ItemLists
  readonly itemCounts: ItemCounts
  readonly itemCsv: ItemCsv
  readonly trelloJson: TrelloJson
  readonly itemCalendar: ItemCalendar
  readonly columns: Columns
  readonly claims: Claims
  readonly labels: Labels
  readonly subtasks: Subtasks
  readonly comments: Comments
  readonly attachments: Attachments
  readonly activity: ActivityLog
  readonly numbers: CardNumbers
  /** For reading and creating whole projects. */
  readonly records: ItemRecords
  readonly columnNames: ColumnNames

  /** @param people provides names, since boards do not read members */
  constructor(db: SharedDatabase, people: KnownPeople) {
    this.records = new ItemRecords(db)
    this.columnNames = new ColumnNames(db)
    this.activity = new ActivityLog(db)
    this.labels = new Labels(db)
    this.numbers = new CardNumbers(db)
    this.items = new Items(db, this)
    this.itemLists = new ItemLists(db, this.records)
    this.itemCounts = new ItemCounts(db)
    const boards = new ExportedBoards(db, this.records, people)
    this.itemCsv = new ItemCsv(db, boards)
    this.trelloJson = new TrelloJson(db, boards)
    this.itemCalendar = new ItemCalendar(db)
    this.claims = new Claims(db, this)
    this.columns = new Columns(db, this)
    this.subtasks = new Subtasks(db)
    this.comments = new Comments(db)
    this.attachments = new Attachments(db)
  }
}
