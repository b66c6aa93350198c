/** All rules of the service, by name. */
import { Board } from '../board/board.ts'
import { prepareDefaultColumns } from '../board/columns.ts'
import { prepareKanbanItemChanges } from '../board/item-changes.ts'
import { prepareItemsAmong, prepareKanbanItems } from '../board/items.ts'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanItems } from '../db/schema.ts'
import { prepareAuditLog } from '../members/audit-log.ts'
import { type ProjectBoard, Projects } from '../projects/projects.ts'
import { Reading } from '../reading/reading.ts'

/** The rules of one connection. What changes something is to be called inside a write. */
export interface Rules {
  board: Board & ProjectBoard
  projects: Projects
  reading: Reading
}

/** The items and columns of boards, until the board has them itself. */
function itemsAndColumns(db: SharedDatabase): ProjectBoard {
  const items = prepareKanbanItems(db)
  const changes = prepareKanbanItemChanges(db)
  return {
    items: {
      create: (projectId, input, options) => items.get(changes.create(projectId, input, options).id),
      getMany: items.getMany,
      amongProjects: prepareItemsAmong(db, kanbanItems.projectId),
    },
    columns: { createDefaults: prepareDefaultColumns(db) },
  }
}

/** Makes the rules of a connection, once. Their statements are made when they are first run. */
export function createRules(db: SharedDatabase): Rules {
  const board = Object.assign(new Board(db), itemsAndColumns(db))
  const projects = new Projects(db, board, prepareAuditLog(db))
  const reading = new Reading(db, projects)
  return { board, projects, reading }
}
