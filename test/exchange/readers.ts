/** Shared helpers for the tests of readers. */
import { readFileSync } from 'node:fs'
import { FORMATS } from '../../src/exchange/sources/formats.ts'
import type { SourceBoard, SourceCard } from '../../src/exchange/sources/source-board.ts'
import { TooLarge } from '../../src/exchange/sources/source-limits.ts'

/** Reads a fixture, bytes or a text as a format. */
export async function readAs(
  format: string,
  source: Uint8Array | string,
  name = 'board.csv',
): Promise<SourceBoard> {
  const read = await FORMATS[format]?.load()
  if (!read) throw new Error(`there is no format ${format}`)
  return read(typeof source === 'string' ? Buffer.from(source) : source, name)
}

/** Reads a file in test/fixtures. */
export const readFixture = (format: string, file: string): Promise<SourceBoard> =>
  readAs(format, readFileSync(`test/fixtures/${file}`), `some/folder/${file}`)

/** The card with an id. Its column and labels are names. */
export function cardOf(board: SourceBoard, id: string) {
  const card = board.cards.find((one) => one.id === id)
  if (!card) throw new Error(`there is no card ${id}`)
  return plain(card)
}

const plain = (card: SourceCard) => ({
  ...card,
  column: card.column?.name,
  labels: card.labels.map(({ name }) => name),
})

export const columnsOf = (board: SourceBoard): string[] => board.columns.map(({ name }) => name)

/** The one-line error with which a reader refuses a file. Fails if there is none, or if it has more lines. */
export async function refusal(format: string, source: Uint8Array | string): Promise<string> {
  try {
    await readAs(format, source)
  } catch (error) {
    if (
      error instanceof Error &&
      [Error, TooLarge].includes(error.constructor as typeof Error) &&
      !/[\r\n]/.test(error.message)
    )
      return error.message
    throw error
  }
  throw new Error('it was read')
}
