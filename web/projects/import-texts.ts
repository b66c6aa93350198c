/** Texts about an import, during it and afterwards. */
import type { Import } from '../../src/client/api.d.ts'
import { secondsOfWriting } from '../../src/exchange/imports/write-time.ts'
import { formatNumber } from '../common/dates.ts'
import { shownTitle } from '../common/titles.ts'
import { imports } from '../later-import-texts.ts'

export function progressOf(job: Import | undefined): string {
  if (job === undefined || job.status === 'waiting') return imports.waiting
  if (job.total === 0) return imports.reading
  const seconds = secondsOfWriting(job.total)
  const wait = seconds > 0 ? ` ${imports.wait(formatNumber(seconds))}` : ''
  return imports.writing(formatNumber(job.done), formatNumber(job.total)) + wait
}

/** The result of an import. @param name the project's; empty for an archive, which creates many */
export function summaryOf({ projectId, counts = {}, total }: Import, name: string): string {
  if (projectId === undefined) return imports.doneArchive(formatNumber(total))
  return imports.done(name, counts.columns ?? 0, counts.items ?? 0)
}

const BEFORE = /imported before(?:, as project (\S+) \((.*)\))?/

/** The project of an earlier import of the same file, which the user can then import anyway; undefined if the service refused for another reason. */
export function importedBefore(error: string): { id?: string; name?: string } | undefined {
  const [found, id, name] = BEFORE.exec(reasonOf(error)) ?? []
  return found === undefined ? undefined : { ...(id && { id }), ...(name && { name }) }
}

/** Why there is no board. */
export function failureOf(error: string): string {
  const name = importedBefore(error)?.name
  return imports.failed(name === undefined ? reasonOf(error) : imports.before(shownTitle(name)))
}

/** The service's message, without the hint for the command line. */
const reasonOf = (error: string): string => (error.split('; use ', 1)[0] ?? '').replace(/\.$/, '')
