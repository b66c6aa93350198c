/**
 * Stack traces in terms of the sources. Node's own `--enable-source-maps` parses the map of every module as it loads it,
 * a tenth of startup; here a map is read lazily, when the first stack trace names its file.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The cache of maps, by the URL of the module; undefined for none. */
const maps = new Map<string, SourceMap | undefined>()

function mapOf(module: string): SourceMap | undefined {
  if (!maps.has(module)) {
    maps.set(module, undefined)
    try {
      maps.set(module, new SourceMap(JSON.parse(readFileSync(new URL(`${module}.map`), 'utf8'))))
    } catch {
      // Modules of Node and of packages have no map there.
    }
  }
  return maps.get(module)
}

/** A frame in V8's format, at its position in the sources. */
function describe(frame: NodeJS.CallSite): string {
  const text = `${frame}`
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  if (!file || !line || !column) return text
  // ES modules have URLs, CommonJS has paths.
  const module = isAbsolute(file) ? pathToFileURL(file).href : file
  if (!module.startsWith('file:')) return text
  const entry = mapOf(module)?.findEntry(line - 1, column - 1)
  // The map only identifies dependencies as such.
  if (!entry || !('originalSource' in entry) || !entry.originalSource) return text
  const { originalSource, originalLine, originalColumn } = entry
  const source = new URL(originalSource, module).href
  return text.replace(`${file}:${line}:${column}`, `${source}:${originalLine + 1}:${originalColumn + 1}`)
}

/** Maps the stack traces of this process, unless Node does so itself. */
export function mapStackTraces(): void {
  if (process.sourceMapsEnabled) return
  Error.prepareStackTrace = (error, frames) =>
    [`${error}`, ...frames.map((frame) => `    at ${describe(frame)}`)].join('\n')
}
