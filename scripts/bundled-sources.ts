/**
 * For tests that import single source modules: bundled, they and their dependencies load in a third of the time.
 * Every source is an entry point, so each stays a separate module, and the hook redirects imports there. For a
 * single file run with tap, the sources themselves are loaded.
 */
import { globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { basename, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = pathToFileURL(`${resolve(import.meta.dirname, '..')}/`).href

/** The folder of the bundled sources. */
export const BUNDLED_SOURCES = '.tap/sources'
/** The folder of the client's bundle with a source map, which the shipped one does not have. */
export const BUNDLED_CLIENT = '.tap/client'
/** The folder of what V8 counts (`NODE_V8_COVERAGE`). */
export const EXECUTIONS = '.tap/executions'

const BESIDE_CHUNKS = [
  'worker/worker',
  'worker/file-worker',
  'exchange/imports/import-worker',
  'exchange/imports/import-reader',
  'exchange/imports/reader-watch',
]

/**
 * Bundles the sources.
 * @param isMeasured whether coverage is measured, for which coverage.ts reads source maps. Modules have no comment that leads there: reading
 *   the maps would take each process a third of its time. A failing test run alone with tap shows lines of the sources.
 */
export async function bundleSources(isMeasured: boolean): Promise<void> {
  const { bundle, bundleClient } = await import('./bundle.ts')
  const cwd = fileURLToPath(root)
  const folder = resolve(cwd, BUNDLED_SOURCES)
  rmSync(folder, { recursive: true, force: true })
  const sources = globSync('{src,plugins,routes}/**/*.ts', { cwd, exclude: ['**/*.d.ts'] })
  const sourcemap = isMeasured && 'external'
  await bundle(cwd, folder, sources, 'warning', '[dir]/[name]', sourcemap)
  if (isMeasured) await bundleClient(cwd, resolve(cwd, BUNDLED_CLIENT), 'external')
  // Beside the chunks, where modules of a bundle look for threads and processes.
  for (const entry of BESIDE_CHUNKS) {
    writeFileSync(resolve(folder, `${basename(entry)}.js`), `import './src/${entry}.js'\n`)
  }
  // The same for the last build of the board page.
  const { findWebBuild } = await import('../src/http/web-build.ts')
  symlinkSync(findWebBuild(), resolve(folder, 'web'))
}

/**
 * Writes the OpenAPI document of each mode, from the built service, for `test/helper.ts`: generating it would take each
 * test file longer than creating its first application.
 * @returns the folder
 */
export async function writeDocuments(): Promise<string> {
  const { buildApp }: typeof import('../src/app.ts') = await import(`${root}dist/app.js`)
  const documents = resolve(fileURLToPath(root), '.tap/documents')
  mkdirSync(documents, { recursive: true })
  for (const authMode of ['open', 'required'] as const) {
    const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent', authMode })
    await app.ready()
    writeFileSync(resolve(documents, `${authMode}.json`), JSON.stringify(await app.openapi()))
    await app.close()
  }
  return documents
}

/** Resolves imports of sources to their bundled modules. */
export function useBundledSources(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const [, path] = /^((?:src|plugins|routes)\/.*)\.ts$/.exec(found.url.replace(root, '')) ?? []
      return path === undefined
        ? found
        : { ...found, url: `${root}${BUNDLED_SOURCES}/${path}.js`, format: 'module' }
    },
  })
}
