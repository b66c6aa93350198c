/**
 * Stack traces in terms of the sources. Node's own `--enable-source-maps` parses the map of every module as it loads it,
 * which takes a tenth of the start; here a map is read when the first stack trace names its file.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

/** The maps that were looked for, by the URL of the module; undefined where there is none. */
const maps = new Map<string, SourceMap | undefined>()

function mapOf(module: string): SourceMap | undefined {
  if (!maps.has(module)) {
    maps.set(module, undefined)
    try {
      maps.set(module, new SourceMap(JSON.parse(readFileSync(new URL(`${module}.map`), 'utf8'))))
    } catch {
      // Modules of Node and of packages have none, or not there.
    }
  }
  return maps.get(module)
}

/** A frame as V8 writes it, at its place in the sources. */
function describe(frame: NodeJS.CallSite): string {
  const text = `${frame}`
  const [module, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  if (!module?.startsWith('file:') || !line || !column) return text
  const entry = mapOf(module)?.findEntry(line - 1, column - 1)
  // Of a dependency the map knows nothing but that it is one.
  if (!entry || !('originalSource' in entry) || !entry.originalSource) return text
  const { originalSource, originalLine, originalColumn } = entry
  const source = new URL(originalSource, module).href
  return text.replace(`${module}:${line}:${column}`, `${source}:${originalLine + 1}:${originalColumn + 1}`)
}

/** Maps the stack traces of this process, unless Node does so itself. */
export function mapStackTraces(): void {
  if (process.sourceMapsEnabled) return
  Error.prepareStackTrace = (error, frames) =>
    [`${error}`, ...frames.map((frame) => `    at ${describe(frame)}`)].join('\n')
}
