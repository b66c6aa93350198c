/** All rules of the service, by name. */
import { Board } from '../board/board.ts'
import type { SharedDatabase } from '../db/client.ts'
import { Members } from '../members/members.ts'

/** The rules of one connection. What changes something is to be called inside a write. */
export interface Rules {
  board: Board
  members: Members
}

/** Makes the rules of a connection, once. Their statements are made when they are first run. */
export function createRules(db: SharedDatabase): Rules {
  const board = new Board(db)
  const members = new Members(db)
  return { board, members }
}
