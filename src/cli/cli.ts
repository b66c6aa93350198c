#!/usr/bin/env node
/** The command line. Nothing else reads the process's arguments and environment. */
import { ApiError, StartupError } from '../errors.ts'
import { complain, FAILED, USAGE } from './terminal.ts'

// EPIPE is no failure: the reader (`| head`) has closed the pipe. Other write errors, e.g. a full disk, set the
// exit code but must not crash the process. The first one is reported: a lost line may have held a token or a link.
let isReported = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.exitCode = FAILED
    if (!isReported && stream === process.stdout)
      complain(`the output could not be written: ${error.message}`)
    isReported = true
  })
}

// On this signal Node would open its debugger, unless started with --disable-sigusr1.
process.on('SIGUSR1', () => {})

/** The messages of an error; of a failed validation, all violations. */
function reasonsOf(error: unknown): string[] {
  if (error instanceof ApiError && error.details && 'fieldErrors' in error.details) {
    return Object.entries(error.details.fieldErrors).flatMap(([field, messages]) =>
      messages.map((message) => `${field} ${message}`),
    )
  }
  return [error instanceof Error ? error.message : String(error)]
}

/** Whether an error is one of usage or configuration. */
const isMisuse = (error: unknown) =>
  error instanceof StartupError || (error instanceof ApiError && error.statusCode === 400)

/** Plain `serve`, the usual start: does not load the other commands and their manuals. */
const isPlainServe = process.argv.length === 3 && process.argv[2] === 'serve'

try {
  if (isPlainServe) await (await import('./serve-compiled.ts')).serveCompiled()
  else await (await import('./program.ts')).runCommandLine()
} catch (error) {
  for (const reason of reasonsOf(error)) complain(reason)
  process.exitCode = isMisuse(error) ? USAGE : FAILED
}
