/** Bundles the sources. */
import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build, type LogLevel, type Plugin } from 'esbuild'
import { asCommonJs } from './common-js.ts'
import { collectPackages } from './third-party.ts'

const APP = 'src/app.ts'

/** A module with classes that both parts of the bundle compare with `instanceof`: they share it. */
const SHARED = 'src/errors.ts'

/**
 * The entry points of the bundle; each becomes `<name>.js`, beside the others and their
 * shared chunks. To add one, put it here (`src/worker/worker.ts` is a thread's,
 * `import-reader.ts` a process's). Modules find it
 * by `moduleBeside` (`src/package-files.ts`), in the bundle and in the sources. Commands and modules for
 * applications also need a file in `dist/`: `entriesFor` in build.ts.
 */
const ENTRY_POINTS = [
  'src/cli/cli.ts',
  'src/worker/worker.ts',
  'src/worker/file-worker.ts',
  'src/exchange/imports/import-worker.ts',
  'src/exchange/imports/import-reader.ts',
  'src/exchange/imports/reader-watch.ts',
]

/**
 * The service, bundled by itself: what it loads at the start is one file (`service.cjs`), instead of some 70 chunks
 * (docs/decisions/005-bundled-at-start.md).
 */
const SERVICE = ['src/cli/serve-command.ts', APP]

/** The client, which browsers run too: a separate file without Node modules. */
const CLIENT = 'src/client/client.ts'

/** Native code: Node loads it from `node_modules`. */
export const OUTSIDE = ['better-sqlite3', '@node-rs/argon2']

/**
 * Node reads every source map at startup. For dependencies the maps only have the file of a stack frame; only our own
 * sources are mapped line by line.
 */
const ownSourceMaps: Plugin = {
  name: 'own-source-maps',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: withFileOnly(await readFile(path, 'utf8')),
      loader: 'js',
    }))
  },
}

const FILE_ONLY = btoa(JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' }))
const withFileOnly = (code: string) =>
  `${code}\n//# sourceMappingURL=data:application/json;base64,${FILE_ONLY}`

/**
 * `request.is` of @fastify/sensible uses a table of all media types, which loads more slowly than the rest of
 * the plugin. It is loaded lazily.
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

/** Fastify creates servers for HTTPS and HTTP/2 with these. We only have plain HTTP (TLS ends in a proxy), and they load slowly. */
const lateServers: Plugin = {
  name: 'late-servers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(https|http2)$/ }, ({ path, importer }) =>
      /\/fastify\/lib\/server\.js$/.test(importer) ? { path, namespace: 'late-server' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'late-server' }, ({ path }) => ({
      contents: `for (const name of ['createServer', 'createSecureServer'])
        exports[name] = (...args) => require('${path}')[name](...args)`,
    }))
  },
}

/** The source of a package with these parts replaced. @throws if one is not there exactly once */
async function replacedIn(path: string, parts: readonly (readonly [from: string, to: string])[]) {
  let contents = await readFile(path, 'utf8')
  for (const [from, to] of parts) {
    if (contents.split(from).length !== 2) throw new Error(`${path} has changed: no ${from}`)
    contents = contents.replace(from, to)
  }
  return contents
}

/**
 * As routes are added, find-my-way generates functions: one for each node that compares its text, and two for each route. Here nodes compare their text
 * with `indexOf`, as those with long texts do anyway, and the first request for a route generates its functions.
 */
const lateRouterFunctions: Plugin = {
  name: 'late-router-functions',
  setup({ onLoad }) {
    const replaced: Record<string, [string, string][]> = {
      'node.js': [['const LONG_PREFIX_MIN_LENGTH = 16', 'const LONG_PREFIX_MIN_LENGTH = 2']],
      'handler-storage.js': [
        [
          '_createParamsObject: this._compileCreateParamsObject(params)',
          `_createParamsObject: (...values) => {
            handlerObject._createParamsObject = this._compileCreateParamsObject(params)
            return handlerObject._createParamsObject(...values)
          }`,
        ],
        [
          'this._compileGetHandlerMatchingConstraints(constrainer, constraints)',
          `this._getHandlerMatchingConstraints = (derived) => {
            this._compileGetHandlerMatchingConstraints(constrainer, constraints)
            return this._getHandlerMatchingConstraints(derived)
          }`,
        ],
      ],
    }
    onLoad({ filter: /\/find-my-way\/lib\/(node|handler-storage)\.js$/ }, async ({ path }) => {
      const contents = await replacedIn(path, replaced[basename(path)] ?? [])
      return { contents: withFileOnly(contents), loader: 'js' }
    })
  },
}

/** `@fastify/cookie` imports its library, an ES module, while it is registered. In the bundle that would be a file of its own. */
const cookieLibrary: Plugin = {
  name: 'cookie-library',
  setup({ onLoad }) {
    onLoad({ filter: /\/@fastify\/cookie\/index\.js$/ }, async ({ path }) => {
      const contents = await replacedIn(path, [["await import('cookie')", "require('cookie')"]])
      return { contents: withFileOnly(contents), loader: 'js' }
    })
  },
}

/** Importing a Node module reads all its properties, and some of them load much more (`node:http` a web client). */
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
 * Has a part of the bundle load a module from the other part.
 * @param modules sources, relative to the root
 * @param extension of that part's files
 */
const fromOtherPart = (root: string, modules: readonly string[], extension: string): Plugin => ({
  name: 'from-other-part',
  setup({ onResolve }) {
    const found = new Map(modules.map((path) => [join(root, path), `./${basename(path, '.ts')}${extension}`]))
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
      const output = found.get(join(resolveDir, path))
      return output === undefined ? undefined : { path: output, external: true }
    })
  },
})

/**
 * Splitting makes a chunk for each set of modules that the same entries and dynamic imports need. Here each dynamic import needs
 * the whole application, which has been loaded by then: so that is one chunk.
 */
const applicationInOneChunk = (root: string): Plugin => ({
  name: 'application-in-one-chunk',
  setup({ onLoad }) {
    const late = new Set<string>()
    // Before any is loaded: some are imported in both ways. Commands are not part of the service.
    for (const file of globSync('{plugins,routes,src}/**/*.ts', { cwd: root, exclude: ['src/cli/**'] })) {
      const source = readFileSync(join(root, file), 'utf8')
      for (const [, path = ''] of source.matchAll(/\bimport\('(\.[^']+\.ts)'\)/g))
        late.add(join(root, dirname(file), path))
    }
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      late.has(path)
        ? {
            contents: `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(join(root, APP))}`,
            loader: 'ts',
          }
        : undefined,
    )
  },
})

/**
 * Bundles the service and the commands.
 * @param root the folder of the sources
 * @param folder of the bundle
 * @param entryPoints sources, relative to the root, to bundle instead
 * @param entryNames the names of the outputs
 * @param sourcemap whether stack traces show the sources; `external`: only write the source maps
 * @returns the folders of packages with code in it
 */
export async function bundle(
  root: string,
  folder: string,
  entryPoints?: string[],
  logLevel: LogLevel = 'warning',
  entryNames = '[name]',
  sourcemap: boolean | 'external' = true,
): Promise<Set<string>> {
  const packages = new Set<string>()
  const part = (entries: string[], ...plugins: Plugin[]) =>
    build({
      absWorkingDir: root,
      entryPoints: entries,
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
      plugins: [
        ...plugins,
        sameNamesInTheBundle,
        lateMediaTypes,
        lateServers,
        lateRouterFunctions,
        cookieLibrary,
        ...(sourcemap ? [ownSourceMaps] : []),
        requiredBuiltins,
        collectPackages(packages),
      ],
      external: OUTSIDE,
      banner: {
        js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
      },
      logLevel,
    })
  if (entryPoints) {
    await part(entryPoints)
    return packages
  }
  // Both end, also if one fails: whoever removes the folder then must not be followed by the other's files.
  const made = await Promise.allSettled([
    part([...ENTRY_POINTS, SHARED], fromOtherPart(root, SERVICE, '.cjs')),
    part(SERVICE, fromOtherPart(root, [SHARED], '.js'), applicationInOneChunk(root), asCommonJs('service')),
  ])
  const failed = made.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return packages
}

/** Bundles `phaseboard/client`, with its few dependencies. @param folder of the file @returns the folders of packages with code in it */
export async function bundleClient(
  root: string,
  folder: string,
  sourcemap: false | 'external' = false,
): Promise<Set<string>> {
  const packages = new Set<string>()
  await build({
    absWorkingDir: root,
    entryPoints: [CLIENT],
    outdir: folder,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    minify: true,
    sourcemap,
    plugins: [collectPackages(packages)],
    logLevel: 'warning',
  })
  return packages
}
