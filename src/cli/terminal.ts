/** Output and exit codes of the commands. */

/** Exit codes: the command failed, or the command line is invalid. */
export const FAILED = 1
export const USAGE = 2

/** A text as one line. Text from files or the database may contain control characters, which a terminal would interpret. */
export const oneLine = (text: string) => text.trim().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

/** Writes a line to standard output. */
export const say = (text: string) => process.stdout.write(`${oneLine(text)}\n`)

/** Writes a line to standard error. */
export const complain = (text: string) => process.stderr.write(`${oneLine(`phaseboard: ${text}`)}\n`)

/** Ends a command: no record is called so. */
export function refuseUnknown(what: string, called: string): never {
  throw new Error(`${what} not found: ${called}`)
}

/** The rows of a table as lines: all columns but the last are padded, with two spaces between them. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(oneLine))
  const widthOf = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0))
  const widths = cells[0]?.map((_, column) => widthOf(column)) ?? []
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
