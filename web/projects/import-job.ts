/** The import that this tab has started. It continues after its dialog is closed, and a message then reports its end. */
import { signal } from '@preact/signals'
import { api, type Import, isPassing, messageOf, sending } from '../common/api.ts'
import { projectList } from '../common/projects.ts'
import { read } from '../common/session.ts'
import { toast } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { go, paths } from '../router.ts'
import { texts } from '../texts.ts'
import type { FormatName } from './file-format.ts'
import { failureOf, summaryOf } from './import-texts.ts'

/** The delays between two polls of an import, in milliseconds: the first, the longest, and after a failure. */
const PAUSE = { first: 100, longest: 1000, failure: 3000 }

/** The maximum length of a name. */
const LONGEST = 200

export interface ImportOptions {
  /** Empty: the file tells. */
  format: FormatName | ''
  /** Whether people of the board become the people here with the same name, if the name is unique. */
  matchNames: boolean
  /** Whether to import it even if the same file was imported before. */
  again: boolean
  /** Columns of a table with their fields: `Due by=due`. */
  map: readonly string[]
  /** The name of the board, if the file has none of its own. */
  name: string | undefined
  /** The time zone in which midnight is a day. */
  timeZone: string | undefined
}

/** The progress of this tab's import. */
export type ImportState =
  | { step: 'sending' }
  | { step: 'running'; job: Import | undefined }
  | { step: 'done'; job: Import; name: string }
  | { step: 'failed'; error: string; file: File; options: ImportOptions }

/** Undefined if there is no import. */
export const importState = signal<ImportState | undefined>(undefined)

/** Whether the dialog is open, which then shows the result. Otherwise a message does. */
let isWatched = false

/** Discards a completed import, so that the next one can start. */
export function clearImport(): void {
  const step = importState.peek()?.step
  if (step === 'done' || step === 'failed') importState.value = undefined
}

/** Records whether the dialog is open. */
export function watchImport(on: boolean): void {
  isWatched = on
  if (!on) clearImport()
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Polls the progress of an import until it ends. */
async function follow(id: string): Promise<Import> {
  for (let wait = PAUSE.first; ; wait = Math.min(wait * 1.5, PAUSE.longest)) {
    await pause(wait)
    try {
      const job = await read(() => api.get('/api/imports/{id}', { path: { id } }))
      if (job.status === 'done' || job.status === 'failed') return job
      importState.value = { step: 'running', job }
    } catch (error) {
      if (!isPassing(error)) throw error
      await pause(PAUSE.failure)
    }
  }
}

async function nameOf(projectId: string | undefined): Promise<string> {
  if (projectId === undefined) return ''
  return (await read(() => api.get('/api/projects/{id}', { path: { id: projectId } }))).name
}

/** The query of an import's request, without empty options. */
const queryOf = ({ format, matchNames, again, map, name, timeZone }: ImportOptions) => ({
  format: format || undefined,
  map: map.length > 0 ? [...map] : undefined,
  again: again || undefined,
  matchNames: matchNames || undefined,
  name: name?.trim().slice(0, LONGEST) || undefined,
  timeZone,
})

/** Uploads a file, and follows its import. */
export async function startImport(file: File, options: ImportOptions): Promise<void> {
  importState.value = { step: 'sending' }
  try {
    const { data } = await write({
      isApart: true,
      ...sending('post', '/api/imports', { query: queryOf(options), body: file }),
    })
    importState.value = { step: 'running', job: undefined }
    const job = await follow(data.id)
    if (job.status === 'failed') throw new Error(job.error)
    importState.value = { step: 'done', job, name: await nameOf(job.projectId) }
    projectList.refresh()
  } catch (error) {
    importState.value = { step: 'failed', error: messageOf(error), file, options }
  }
  if (!isWatched) showResult()
}

/** Shows a message about the result if no dialog is open. */
function showResult(): void {
  const state = importState.peek()
  importState.value = undefined
  if (state?.step === 'failed') toast(failureOf(state.error), [], 'alert')
  if (state?.step !== 'done') return
  const { projectId } = state.job
  const open = projectId !== undefined && { label: texts.open, run: () => go(paths.board(projectId)) }
  toast(summaryOf(state.job, state.name), open ? [open] : [])
}
