/** The recorded bytes that baselines send. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnswerIndex, BODIES, INDEX } from '../answers.ts'

/**
 * Reads recorded responses.
 * @param folder their folder; undefined for none
 * @returns the body for each path with its query
 */
export function readAnswers(folder: string | undefined): Map<string, Buffer> {
  if (!folder) return new Map()
  const bodies = readFileSync(join(folder, BODIES))
  const index: AnswerIndex = JSON.parse(readFileSync(join(folder, INDEX), 'utf8'))
  return new Map(Object.entries(index).map(([path, [from, to]]) => [path, bodies.subarray(from, to)]))
}
