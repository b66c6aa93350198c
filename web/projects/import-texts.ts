/** What is said of an import, while it runs and afterwards. */
import type { Import } from '../../src/client/api.d.ts'
import { formatNumber } from '../common/dates.ts'
import { texts } from '../texts.ts'

/** How far an import has come, in words. */
export function progressOf(job: Import | undefined): string {
  if (job === undefined || job.status === 'waiting') return texts.imports.waiting
  if (job.total === 0) return texts.imports.reading
  return texts.imports.writing(formatNumber(job.done), formatNumber(job.total))
}

/** What an import has made, in words. @param name the project's; empty for an archive, which makes many */
export function toldOf({ projectId, counts = {}, total }: Import, name: string): string {
  if (projectId === undefined) return texts.imports.doneArchive(formatNumber(total))
  return texts.imports.done(name, counts.columns ?? 0, counts.items ?? 0)
}

/** Whether the service refused because the same was imported before: then it can be told to do so again. */
export const wasImportedBefore = (error: string): boolean => /imported before/.test(error)

/** The service's reason without what only the command line knows. */
export const reasonOf = (error: string): string => error.replace(/; use .*$/, '').replace(/\.$/, '')
