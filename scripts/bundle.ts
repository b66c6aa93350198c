/** How the sources become a bundle. */
import { readFile } from 'node:fs/promises'
import { build, type LogLevel, type Plugin } from 'esbuild'

/**
 * What something outside the bundle starts from; each becomes `<name>.js`, side by side with the others and with the
 * chunks that they share. To add one, put it here (`src/worker/worker.ts` is a thread's,
 * `import-reader.ts` a process's). Whichever module of the bundle looks
 * for it finds it by `moduleBeside` (`src/package-files.ts`), in the sources, which development runs, as well. Commands and what
 * applications import need a file of their own in `dist/` too: `entriesFor` in build.ts.
 */
const ENTRY_POINTS = [
  'src/cli/cli.ts',
  'src/app.ts',
  'src/worker/worker.ts',
  'src/worker/large-worker.ts',
  'src/exchange/imports/import-worker.ts',
  'src/exchange/imports/import-reader.ts',
  'src/exchange/imports/reader-watch.ts',
]

/** What browsers run too: a file of its own, without Node, that needs nothing else. */
const CLIENT = 'src/client/client.ts'

/** Native code, and files that a package reads from its own folder: Node loads these, from the bundle too. */
const OUTSIDE = ['better-sqlite3', '@node-rs/argon2', '@fastify/swagger-ui']

/**
 * Node reads every source map as it starts. Of a dependency it tells the file that a stack frame is in; only our own
 * sources are mapped line by line.
 */
const ownSourceMaps: Plugin = {
  name: 'own-source-maps',
  setup({ onLoad }) {
    const map = btoa(JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' }))
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${map}`,
      loader: 'js',
    }))
  },
}

/**
 * `request.is` of @fastify/sensible looks media types up in a table of all there are, which takes longer to load than the rest of
 * the plugin. It is loaded by the first call.
 */
const lateMediaTypes: Plugin = {
  name: 'late-media-types',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^type-is$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'late',
      pluginData: { resolveDir },
    }))
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path, pluginData }) => ({
      contents: `module.exports = (...args) => require('${path}/index.js')(...args)`,
      resolveDir: pluginData.resolveDir,
    }))
  },
}

/** An imported module of Node's has all its properties read, and some load much more (`node:http` a web client). */
const requiredBuiltins: Plugin = {
  name: 'required-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require('${path}')`,
    }))
  },
}

/**
 * A dynamically imported CommonJS package has its exports by name under Node, but only a `default` in the bundle.
 * An own module that imports it statically has the same names in both.
 */
const sameNamesInTheBundle: Plugin = {
  name: 'same-names-in-the-bundle',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind !== 'dynamic-import' || path.startsWith('node:') || OUTSIDE.includes(path)
        ? undefined
        : {
            errors: [
              { text: `import('${path}'): let a module of our own import the package, and import that` },
            ],
          },
    )
  },
}

/**
 * Bundles the service.
 * @param root the folder of the sources
 * @param folder where the bundle goes
 * @param entryPoints sources, relative to the root
 * @param entryNames the names of what they become
 * @param sourcemap whether stack traces lead to the sources
 */
export async function bundle(
  root: string,
  folder: string,
  entryPoints = ENTRY_POINTS,
  logLevel: LogLevel = 'warning',
  entryNames = '[name]',
  sourcemap = true,
): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints,
    entryNames,
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    sourcemap,
    sourcesContent: false,
    // Names are kept for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [sameNamesInTheBundle, lateMediaTypes, ...(sourcemap ? [ownSourceMaps] : []), requiredBuiltins],
    external: OUTSIDE,
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel,
  })
}

/** Bundles `phaseboard/client`, with its few dependencies. @param folder where the file goes */
export async function bundleClient(root: string, folder: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [CLIENT],
    outdir: folder,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  })
}
