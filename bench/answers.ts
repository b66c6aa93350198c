/** Responses of the service, recorded once as bytes for the baselines: one file with all bodies, and an index. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FILTERED_PATH, get, itemPath, LIST_PATH, type Project, projectPath } from './api.ts'

/** The position of a path's body: start, and end (exclusive). */
export type AnswerIndex = Record<string, [from: number, to: number]>

/** The files in the folder of answers. */
export const BODIES = 'bodies'
export const INDEX = 'index.json'

/**
 * Records the service's responses to the requests of all workloads. For a PATCH it records the unchanged item.
 * @param url where the service listens
 * @param folder the folder for the responses, which is created
 */
export async function recordAnswers(url: string, folder: string): Promise<void> {
  const list = (await get(url, LIST_PATH)).text
  const projects: Project[] = JSON.parse(list)
  const bodies = new Map([
    [LIST_PATH, list],
    [FILTERED_PATH, (await get(url, FILTERED_PATH)).text],
  ])
  for (const project of projects) {
    bodies.set(projectPath(project.id), (await get(url, projectPath(project.id))).text)
    // An item has the same form alone as inside its project, which saves one request for each.
    for (const item of project.kanbanItems) bodies.set(itemPath(item.id), JSON.stringify(item))
  }

  const index: AnswerIndex = {}
  const parts: Buffer[] = []
  let length = 0
  for (const [path, body] of bodies) {
    const part = Buffer.from(body)
    parts.push(part)
    index[path] = [length, length + part.length]
    length += part.length
  }
  mkdirSync(folder)
  writeFileSync(join(folder, BODIES), Buffer.concat(parts))
  writeFileSync(join(folder, INDEX), JSON.stringify(index))
}
