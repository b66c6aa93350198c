/** The numbers behind each chart as tables, which are shown on request and saved as CSV. */
import { later } from '../later-texts.ts'
import type { Flow } from './answer.ts'

/** A table: its headers and rows of cells. */
export interface Table {
  head: readonly string[]
  rows: readonly (readonly (string | number | null)[])[]
}

const { heads } = later.flow

/** The names of all columns in a flow, with the board's columns first and in order. @param board the names of the board's columns */
export function columnsOf({ days }: Flow, board: readonly string[]): string[] {
  const present = new Set(days.flatMap(({ byColumn }) => Object.keys(byColumn)))
  return [
    ...board.filter((name) => present.has(name)),
    ...[...present].filter((name) => !board.includes(name)).sort(),
  ]
}

export const workTable = (flow: Flow, columns: readonly string[]): Table => ({
  head: [heads.day, heads.arrived, heads.finished, ...columns],
  rows: flow.days.map(({ date, arrived, finished, byColumn }) => [
    date,
    arrived,
    finished,
    ...columns.map((column) => byColumn[column] ?? 0),
  ]),
})

export const cycleTimeTable = ({ cycleTime: { items } }: Flow): Table => ({
  head: [heads.card, heads.started, heads.finished, heads.days],
  rows: items.map(({ title, started, finished, days }) => [title, started, finished, days]),
})

export const throughputTable = ({ throughput: { perWeek } }: Flow): Table => ({
  head: [heads.week, heads.finished],
  rows: perWeek.map(({ week, finished }) => [week, finished]),
})

export const ageTable = ({ age }: Flow): Table => ({
  head: [heads.card, heads.column, heads.days, heads.above85],
  rows: age.map(({ title, column, days, above85 }) => [title, column, days, above85 ? heads.yes : heads.no]),
})

export const forecastTable = ({ forecast: { remaining, p50, p85, p95 } }: Flow): Table => ({
  head: [heads.remaining, '50 %', '85 %', '95 %'],
  rows: [[remaining, p50, p85, p95]],
})

export const timeInColumnTable = ({ timeInColumn }: Flow): Table => ({
  head: [heads.column, '50 %', '85 %'],
  rows: timeInColumn.map(({ column, p50, p85 }) => [column, p50, p85]),
})

/** Puts an apostrophe before a text that a spreadsheet would take for a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/

function cellText(cell: string | number | null): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table as CSV (RFC 4180), with a byte order mark, by which Excel knows UTF-8. */
export const csvOf = ({ head, rows }: Table): string =>
  `\ufeff${[head, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')}`
