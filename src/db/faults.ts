/** Detects faults of the disk or the file, which make every write fail. */

/** SQLite errors that are no write's fault: disk full, no permission, I/O errors, a damaged file. */
const FAULT = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PERM|PROTOCOL)/

/** The first error of this kind along the chain of causes. */
export function faultOf(error: unknown): (Error & { code: unknown }) | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && FAULT.test(String(error.code)) ? error : faultOf(error.cause)
}
