/** Imports of Trello boards in one write, with all their counts. */
import { readFileSync } from 'node:fs'
import type { SharedDatabase } from '../../src/db/client.ts'
import { describeBoard, type ImportedBoard, planBoard } from '../../src/exchange/imports/import-board.ts'
import type { WritingOptions } from '../../src/exchange/imports/write-import.ts'
import { type TrelloBoard, trelloBoardIn } from '../../src/exchange/sources/trello.ts'
import {
  countsOf,
  summaryNotes,
  type TrelloCounts,
  toSourceBoard,
} from '../../src/exchange/sources/trello-board.ts'
import { importAtOnce } from './import-at-once.ts'

/** What an import created, and what it skipped. */
type ImportedTrelloBoard = ImportedBoard & TrelloCounts

export interface ImportOptions extends Pick<WritingOptions, 'onProgress'> {
  /** Import the board although it was imported before. */
  again?: boolean | undefined
}

export const readTrelloBoard = (file: string): TrelloBoard =>
  trelloBoardIn(JSON.parse(readFileSync(file, 'utf8')))

/** Imports a board. @throws Error if it was imported before and `again` is not set */
export function importTrelloBoard(
  db: SharedDatabase,
  board: TrelloBoard,
  { again = false, ...options }: ImportOptions = {},
): ImportedTrelloBoard {
  const plan = planBoard(toSourceBoard(board), { again })
  importAtOnce(db, plan, null, options)
  return { ...plan.made(), ...countsOf(board) }
}

/** The summary of an import, in lines. */
export const describeImport = (made: ImportedTrelloBoard): string[] => [
  `imported ${made.name}`,
  `project ${made.projectId} (/api/projects/${made.projectId})`,
  ...describeBoard(made, { format: 'trello', ...summaryNotes(made) }),
]
