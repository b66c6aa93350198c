/** What the page tells of a file before it is sent: the first rows of a table, and what its columns are. The service recognises the tool. */
import {
  FIELDS,
  lengthAboveHeader,
  NAMES,
  NO_FIELD,
  NOTION_NAME,
  nameKey,
  toolOfHeader,
} from '../../src/exchange/sources/column-names.ts'

/** The formats that can be imported, with their names in the dialog. */
export const FORMATS = {
  trello: 'Trello',
  csv: 'Table (CSV)',
  planka: 'Planka',
  kanboard: 'Kanboard',
  jira: 'Jira',
  github: 'GitHub project',
  wekan: 'WeKan',
  deck: 'Nextcloud Deck',
  vikunja: 'Vikunja',
  asana: 'Asana',
  linear: 'Linear',
  notion: 'Notion',
  clickup: 'ClickUp',
  todoist: 'Todoist',
  ticktick: 'TickTick',
  planner: 'Microsoft Planner',
  phaseboard: 'Phaseboard archive',
} as const

export type FormatName = keyof typeof FORMATS

/** The number of bytes to look at. */
export const HEAD = 64 * 1024

/** Rows that the dialog shows. */
const SHOWN_ROWS = 3

/** The beginning of a table. */
export interface Preview {
  header: string[]
  /** The first rows. */
  rows: string[][]
  /** The tool that it is of, if the header or the name of the file tells. */
  tool: string | undefined
}

/** The text of the beginning of a file; in Windows-1252, unless it is UTF-8 or UTF-16 with a byte order mark. */
function textOf(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le').decode(head)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(head)
  }
}

/** The most frequent separator of a line, outside quotes. */
function delimiterOf(line: string): string {
  const plain = line.replace(/"[^"]*"/g, '')
  const counts = ['\t', ';', ',', '|'].map((mark) => [mark, plain.split(mark).length] as const)
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best), [',', 1] as const)[0]
}

/** The first rows of a text; the last one may be cut off with it. */
function rowsOf(text: string, delimiter: string, most: number): string[][] {
  const rows: string[][] = [['']]
  let isQuoted = false
  for (const character of text) {
    const row = rows.at(-1) as string[]
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === delimiter) row.push('')
    else if (!isQuoted && character === '\n') {
      if (row.length === 1 && row[0] === '') row[0] = ''
      else if (rows.push(['']) > most) break
    } else if (character !== '\r' || isQuoted) row.push((row.pop() ?? '') + character)
  }
  return rows.slice(0, most).filter((row) => row.some((cell) => cell !== ''))
}

/**
 * The beginning of a table; undefined for another kind of file.
 * @param head its first bytes, up to {@link HEAD}
 * @param name of the file
 */
export function previewOf(head: Uint8Array, name = ''): Preview | undefined {
  const text = textOf(head)
  if (/^\s*[[{<]/.test(text) || text.includes('\0')) return undefined
  const named = /^"?sep=([\t;,|])"?\r?\n/i.exec(text)
  const body = text.slice(named?.[0].length ?? lengthAboveHeader(text))
  const delimiter = named?.[1] ?? delimiterOf(body.trimStart().split('\n', 1)[0] ?? '')
  const [header, ...rows] = rowsOf(body, delimiter, SHOWN_ROWS + 1)
  if (header === undefined) return undefined
  const names = header.map((name) => name.trim())
  const isBackup = names[0]?.startsWith('Date: ')
  const tool = isBackup ? 'ticktick' : toolOfHeader(names, delimiter)?.format
  return { header: names, rows, tool: tool ?? (NOTION_NAME.test(name) ? 'notion' : undefined) }
}

/** The fields of a table's columns, by their names. Several columns may be labels, subtasks or comments. */
export function guessFields(header: readonly string[]): string[] {
  const keys = header.map(nameKey)
  const guesses = header.map((): string => NO_FIELD)
  for (const field of FIELDS) {
    const name = NAMES[field].find((one) => keys.some((key, at) => key === one && guesses[at] === NO_FIELD))
    const places = keys.flatMap((key, at) => (key === name ? [at] : []))
    const isRepeated = ['labels', 'subtasks', 'comments'].includes(field)
    for (const at of isRepeated ? places : places.slice(0, 1)) guesses[at] = field
  }
  return guesses
}
