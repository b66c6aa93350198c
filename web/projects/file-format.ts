/** Guesses which tool a file comes from, by its name and its first bytes. The service checks the file, and refuses a wrong guess. */

/** The formats that can be imported, with their names in the dialog. */
export const FORMATS = {
  trello: 'Trello',
  csv: 'Table (CSV)',
  planka: 'Planka',
  kanboard: 'Kanboard',
  jira: 'Jira',
  github: 'GitHub project',
  phaseboard: 'Phaseboard archive',
} as const

export type FormatName = keyof typeof FORMATS

/** The number of bytes to look at. */
export const HEAD = 64 * 1024

/** Patterns of JSON files, most certain first: all patterns of a row, each after the one before. */
const JSON_MARKS: readonly (readonly [readonly RegExp[], FormatName])[] = [
  [[/^\s*\{\s*"item"\s*:\s*\{/, /"included"\s*:/], 'planka'],
  [[/"(?:idOrganization|labelNames|dateLastActivity|idBoard)"\s*:|trello\.com\//], 'trello'],
  [[/"issues"\s*:\s*\[/], 'jira'],
  [[/^\s*(?:\[\s*)?\{/, /"key"\s*:/, /"fields"\s*:\s*\{/], 'jira'],
  [[/"items"\s*:\s*\[/, /"content"\s*:/], 'github'],
  [[/^\s*\{\s*"items"\s*:\s*\[/], 'github'],
  [[/"ProjectV2/], 'github'],
]

/** Whether a text matches all patterns, one after the other. One pattern for all would take cubic time. */
function matchesInOrder(text: string, marks: readonly RegExp[]): boolean {
  let rest = text
  return marks.every((mark) => {
    const found = mark.exec(rest)
    if (found) rest = rest.slice(found.index + found[0].length)
    return found !== null
  })
}

/**
 * The likely format of a file.
 * @param head its first bytes, up to {@link HEAD}
 */
export function guessFormat(name: string, head: Uint8Array): FormatName {
  const start = String.fromCharCode(...head.subarray(0, 15))
  if (start.startsWith('PK')) return 'phaseboard'
  if (start.startsWith('\x1f\x8b') || start === 'SQLite format 3') return 'kanboard'
  const text = new TextDecoder().decode(head)
  if (/^\s*[{[]/.test(text) || /\.json$/i.test(name)) {
    return JSON_MARKS.find(([marks]) => matchesInOrder(text, marks))?.[1] ?? 'trello'
  }
  return guessTable(name, text.split(/\r?\n/, 1)[0] ?? '')
}

/** The likely format of a table, by its column names. */
function guessTable(name: string, header: string): FormatName {
  const has = (pattern: RegExp) => pattern.test(header)
  if (has(/task id/i) && has(/swimlane/i)) return 'kanboard'
  if (has(/summary/i) && has(/issue (?:key|type)/i)) return 'jira'
  if (has(/\t/) && has(/title/i) && (has(/url/i) || /\.tsv$/i.test(name))) return 'github'
  return 'csv'
}
