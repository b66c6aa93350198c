/** All rules of the service, by name. */
import { Board } from '../board/board.ts'
import type { SharedDatabase } from '../db/client.ts'

/** The rules of one connection. What changes something is to be called inside a write. */
export interface Rules {
  board: Board
}

/** Makes the rules of a connection, once. Their statements are made when they are first run. */
export function createRules(db: SharedDatabase): Rules {
  const board = new Board(db)
  return { board }
}
