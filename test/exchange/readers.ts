/** Shared helpers for the tests of readers. */
import { readFileSync } from 'node:fs'
import { readBoard, type SourceOptions } from '../../src/exchange/sources/read-source.ts'
import type { SourceBoard, SourceCard } from '../../src/exchange/sources/source-board.ts'
import { TooLarge } from '../../src/exchange/sources/source-limits.ts'

/** Reads a fixture, bytes or a text as a format; without one, as what it is. */
export const readAs = (
  format: string | undefined,
  source: Uint8Array | string,
  name = 'board.csv',
  options: SourceOptions = {},
): Promise<SourceBoard> =>
  readBoard(typeof source === 'string' ? Buffer.from(source) : source, name, { ...options, format })

/** Reads a file in test/fixtures. */
export const readFixture = (
  format: string | undefined,
  file: string,
  options?: SourceOptions,
): Promise<SourceBoard> =>
  readAs(format, readFileSync(`test/fixtures/${file}`), `some/folder/${file}`, options)

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
export async function refusal(format: string | undefined, source: Uint8Array | string): Promise<string> {
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
