/** Linear's export of issues. */
import { withoutGuard } from '../../board/csv-guard.ts'
import type { BoardReader } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable } from './table-board.ts'

/** A day, as midnight in the zone that the date names. */
const LOCAL_MIDNIGHT = /^([A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4}) 00:00:00 GMT[+-]\d{4}/

/** Reads issues. */
export const readLinear: BoardReader = (file, options) =>
  boardOfTable(
    (file as { table: Table }).table,
    {
      format: 'linear',
      names: {
        id: ['id'],
        number: ['id'],
        title: ['title'],
        description: ['description'],
        column: ['status'],
        priority: ['priority'],
        assignee: ['assignee'],
        due: ['duedate'],
        labels: ['labels'],
        created: ['created'],
        updated: ['updated'],
        done: ['completed', 'canceled'],
        dismissed: ['archived'],
        parent: ['parentissue'],
        blockedBy: ['blockedby'],
        blocks: ['blocks', 'blocking'],
        relates: ['relatedto'],
        duplicates: ['duplicateof'],
      },
      several: ['done'],
      hasStates: true,
      toCell: withoutGuard,
      priorities: { 'no priority': '', urgent: 'critical', high: 'high', medium: 'medium', low: 'low' },
      toDate: (text, field) => (field === 'due' ? (LOCAL_MIDNIGHT.exec(text)?.[1]?.slice(4) ?? text) : text),
      lacks: ['an export of Linear has no comments and files'],
    },
    options,
  )
