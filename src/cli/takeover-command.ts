/** The takeover command. */
import { StartupError } from '../errors.ts'
import type { Replica } from '../exchange/copies/litestream.ts'
import { takeOver } from '../exchange/copies/takeover.ts'
import { timestamp } from '../time.ts'
import { warnOfOrphans } from './backup-commands.ts'
import { shown } from './shown.ts'
import { complain, say } from './terminal.ts'

/** The options as they are given. */
export interface TakeoverArguments {
  config?: string
  first?: string
  firstIsGone?: true
  force?: true
  until?: string
  watch: string
  litestream: string
}

/** `takeover`. @param path the database @throws StartupError for incompatible options */
export async function takeOverFrom(
  path: string,
  url: string | undefined,
  options: TakeoverArguments,
): Promise<void> {
  const { first, firstIsGone, force, until } = options
  if ((first === undefined) === (firstIsGone === undefined)) {
    throw new StartupError('pass the URL of the first machine with --first <url>, or --first-is-gone')
  }
  if (first !== undefined && !/^https?:\/\/[^/]/.test(first)) {
    throw new StartupError(`--first must be an http: or https: URL (got "${first}")`)
  }
  const watch = Number(options.watch) * 1000
  if (!(watch >= 0 && watch <= 3_600_000)) {
    throw new StartupError(`--watch must be a number of seconds, at most 3600 (got "${options.watch}")`)
  }
  if (until !== undefined && Number.isNaN(Date.parse(until))) {
    throw new StartupError(`--until must be a time such as 2027-01-31T12:00:00Z (got "${until}")`)
  }
  const replica = replicaOf(path, url, options)
  const taken = await shown('restoring', 'parts of the log', (display) =>
    takeOver(path, {
      replica,
      first,
      force,
      until: until && timestamp(Date.parse(until)),
      watch,
      ...display,
    }),
  )
  warnOfOrphans(taken)
  const { last, jumpedTo, kept, size, writtenAt, isCut, gap } = taken
  say(`took over ${path} (${size} bytes)`)
  if (last === undefined) say('it has no changes')
  else say(`it is up to change ${last.seq}, made ${agoOf(last.at)}`)
  if (writtenAt !== undefined) say(`the first machine last replicated ${agoOf(writtenAt)}`)
  if (gap) {
    complain(
      `warning: no changes have the numbers from ${gap.from} to ${gap.to}: changes are missing, lost or deleted by another tool`,
    )
  }
  if (isCut)
    complain(
      'warning: its last replication is incomplete: the takeover omits it, with everything from that second',
    )
  if (jumpedTo !== undefined) {
    say(
      `the sequence of changes continues with ${jumpedTo}: clients that saw changes after ${last?.seq} must reload`,
    )
  }
  if (kept !== undefined) say(`the previous database is now ${kept}`)
  say('next: start the service here, and make sure that none starts on the first machine')
}

function replicaOf(
  database: string,
  url: string | undefined,
  { config, litestream: program }: TakeoverArguments,
): Replica {
  if (url !== undefined && config === undefined) {
    if (!/^[a-z][a-z0-9+.-]*:\/\//.test(url)) {
      throw new StartupError(`the replica must be a URL such as s3://bucket/board (got "${url}")`)
    }
    return { program, from: { url } }
  }
  if (url === undefined && config !== undefined) return { program, from: { config, database } }
  throw new StartupError('name the replica by its URL, or Litestream’s configuration with --config')
}

/** A time with its age. */
function agoOf(at: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1000))
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? ['second', 1]
  const count = Math.floor(seconds / length)
  return `at ${at}, ${count} ${unit}${count === 1 ? '' : 's'} ago`
}
