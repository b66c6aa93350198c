/**
 * Bundles the board page: `page.html`, and beside it `assets/` with hashed names, each file with a `.br` and a `.gz`, and `docs/`, the
 * page of the API's documentation. Its size budget is in web-budget.ts. Called by build.ts; run directly, it watches for `npm run dev`.
 */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import {
  type BuildOptions,
  context,
  build as esbuild,
  type LogLevel,
  type Metafile,
  type Plugin,
} from 'esbuild'
import { compressAssets } from './compress-assets.ts'
import { collectPackages } from './third-party.ts'
import { BUDGET, checkBudget, type WebSizes } from './web-budget.ts'

const ENTRY = 'web/main.tsx'
const STYLES = 'web/common/styles/index.css'
const PAGE = 'web/page.html'
const ICON = 'web/common/icon.svg'

/** The package with the page of the API's documentation, and the files of it that the page loads (src/http/docs-page.ts). */
const DOCS = 'swagger-ui-dist'
const DOCS_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'index.css',
  'favicon-32x32.png',
  'favicon-16x16.png',
]

/** The placeholder in the page's template. */
const PLACE = '<!-- What the build made goes here. -->'

/** The files of the page: names in `assets/`, and folders in `later`. */
interface WebParts {
  entry: string
  style: string
  /** Static imports of the entry, transitively. */
  modules: string[]
  /** Dynamic imports with their imports, by folder of `web/`. */
  later: Map<string, Set<string>>
}

interface WebBuildOptions {
  budget?: typeof BUDGET
  logLevel?: LogLevel
  earlier?: readonly string[]
  /** Gets the folders of packages with code in the page. */
  packages?: Set<string>
}

/** Bundles the styles separately: imported by scripts, each script would have a style sheet. */
const oneStyleSheet = (styles: string): Plugin => ({
  name: 'one-style-sheet',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.css$/ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'import-statement') return undefined
      if (resolve(resolveDir, path) === styles) return { path, namespace: 'elsewhere' }
      return { errors: [{ text: `${path}: all styles are imported by ${STYLES}` }] }
    })
    onLoad({ filter: /.*/, namespace: 'elsewhere' }, () => ({ contents: '' }))
  },
})

/** Bundles imports of `<module>?worker` separately, as worker scripts. The import's value is the URL. */
const workers = (packages: Set<string>): Plugin => ({
  name: 'workers',
  setup({ onResolve, onLoad, initialOptions }) {
    const { absWorkingDir = '', target, minify = false } = initialOptions
    // The file name is derived from the path, and the names of the chunks from all of it.
    onResolve({ filter: /\.ts\?worker$/ }, ({ path, resolveDir }) => ({
      path: relative(absWorkingDir, resolve(resolveDir, path.replace(/\.ts\?worker$/, '.js'))),
      namespace: 'worker',
    }))
    onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path }) => {
      const { outputFiles, metafile } = await esbuild({
        absWorkingDir,
        ...(target !== undefined && { target }),
        minify,
        entryPoints: [path.replace(/\.js$/, '.ts')],
        bundle: true,
        format: 'iife',
        platform: 'browser',
        legalComments: 'none',
        plugins: [collectPackages(packages)],
        write: false,
        metafile: true,
        logLevel: 'silent',
      })
      const watchFiles = Object.keys(metafile.inputs).map((input) => resolve(absWorkingDir, input))
      return { contents: outputFiles[0]?.contents ?? '', loader: 'file', watchFiles }
    })
  },
})

/** The files of languages in `assets/`: `texts.de-1A2B3C4D.js`. */
const LANGUAGE_FILE = /^(texts\.\w+)-\w+\.js$/

/**
 * Bundles the texts of each language separately. The first chunk awaits them, so they must not import anything of it, which a
 * common bundle would make them do.
 * @param folder of the build
 */
const languages = (folder: string): Plugin => ({
  name: 'languages',
  setup({ onResolve, initialOptions }) {
    onResolve({ filter: /^\.\/texts\.\w+\.ts$/ }, async ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined
      const { target, minify = false, write = true } = initialOptions
      const source = resolve(resolveDir, path)
      const { outputFiles } = await esbuild({
        ...(target !== undefined && { target }),
        minify,
        entryPoints: [source],
        bundle: true,
        format: 'esm',
        platform: 'browser',
        charset: 'utf8',
        legalComments: 'none',
        write: false,
        logLevel: 'silent',
      })
      const content = outputFiles[0]?.contents ?? new Uint8Array()
      const name = `${basename(path, '.ts')}-${hashOf(content)}.js`
      if (write) {
        await mkdir(join(folder, 'assets'), { recursive: true })
        await writeFile(join(folder, 'assets', name), content)
      }
      return { path: `./${name}`, external: true, watchFiles: [source] }
    })
  },
})

const optionsFor = (
  root: string,
  folder: string,
  packages: Set<string>,
  isDevelopment = false,
): BuildOptions & { metafile: true } => ({
  absWorkingDir: root,
  // The names of chunks have a hash of their modules' paths from the root, so it must not matter where the packages are.
  preserveSymlinks: true,
  entryPoints: [ENTRY, STYLES],
  outdir: join(folder, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  // The modern build of pragmatic-drag-and-drop is a third smaller.
  mainFields: ['module:es2019', 'module', 'main'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"', DEVELOPMENT: String(isDevelopment) },
  minify: true,
  // Every visitor would load licence comments; the build has a file with all licences.
  legalComments: 'none',
  plugins: [oneStyleSheet(join(root, STYLES)), workers(packages), languages(folder)],
  metafile: true,
  logLevel: 'warning',
})

/** Dynamic imports, including packages, as paths from the root. */
const lazySources = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ entryPoint }) =>
    entryPoint === undefined || entryPoint === ENTRY || entryPoint === STYLES ? [] : [entryPoint],
  )

/**
 * Puts everything that the first load needs into one chunk. The bundler makes a chunk of each set of modules that the same
 * entries need. If all later entries import the first entry too, all of its modules are in one set.
 */
const oneFirstChunk = (root: string, lazy: readonly string[]): Plugin => ({
  name: 'one-first-chunk',
  setup({ onLoad }) {
    const paths = new Set(lazy.map((source) => join(root, source)))
    onLoad({ filter: /\.(tsx?|m?js)$/ }, async ({ path }) => {
      if (!paths.has(path)) return undefined
      const content = await readFile(path, 'utf8')
      const loader = /\.tsx?$/.test(path) ? (path.endsWith('x') ? 'tsx' : 'ts') : 'js'
      return { contents: `${content}\nimport ${JSON.stringify(join(root, ENTRY))}`, loader }
    })
  },
})

/** A script with all that it imports statically, and the workers that it starts. */
function closureOf({ outputs }: Metafile, file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind === 'import-statement' || kind === 'file-loader') closureOf({ inputs: {}, outputs }, path, found)
  }
  return found
}

/** The folder in `web/` of a module; a package keeps its name. */
const folderOf = (source: string) =>
  /^web\/([^/]+)\//.exec(source)?.[1] ?? /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? source

function partsOf(metafile: Metafile): WebParts {
  const outputs = Object.entries(metafile.outputs)
  const outputOf = (source: string) => outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? ''
  const entry = outputOf(ENTRY)
  const style = outputOf(STYLES)
  const first = closureOf(metafile, entry)
  const later = new Map<string, Set<string>>()
  for (const [file, { entryPoint }] of outputs) {
    if (entryPoint === undefined || first.has(file) || file === style) continue
    const folder = folderOf(entryPoint)
    const chunks = [...closureOf(metafile, file)].filter((chunk) => !first.has(chunk))
    later.set(folder, new Set([...(later.get(folder) ?? []), ...chunks.map((chunk) => basename(chunk))]))
  }
  const modules = [...first].filter((file) => file !== entry).map((file) => basename(file))
  return { entry: basename(entry), style: basename(style), modules, later }
}

/** The hash of a file in its name. */
const hashOf = (content: Uint8Array) =>
  createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase()

/** Writes a file of the page's own under a name with its hash. @returns the name */
async function addIcon(root: string, folder: string): Promise<string> {
  const content = await readFile(join(root, ICON))
  const name = `icon-${hashOf(content)}.svg`
  await writeFile(join(folder, 'assets', name), content)
  return name
}

/** Writes the page with addresses relative to the service's root, which the service adapts to the page's address. */
async function writePage(root: string, folder: string, parts: WebParts, icon: string): Promise<void> {
  const template = await readFile(join(root, PAGE), 'utf8')
  if (!template.includes(PLACE)) throw new Error(`${PAGE} has no place for what the build made`)
  const links = [
    `<link rel="icon" type="image/svg+xml" href="./assets/${icon}">`,
    `<link rel="stylesheet" href="./assets/${parts.style}">`,
    ...parts.modules.map((name) => `<link rel="modulepreload" href="./assets/${name}">`),
    `<script type="module" src="./assets/${parts.entry}"></script>`,
  ]
  await writeFile(join(folder, 'page.html'), template.replace(PLACE, links.join('\n')))
}

/**
 * Adds the files of the API's documentation: texts only compressed, a quarter of their size, since few read them.
 * @param folder of the build
 * @returns the package that they are from
 */
async function addDocs(folder: string): Promise<string> {
  const from = dirname(createRequire(import.meta.url).resolve(`${DOCS}/package.json`))
  await mkdir(join(folder, 'docs'), { recursive: true })
  for (const name of DOCS_FILES) {
    const [file, to] = [join(from, name), join(folder, 'docs', name)]
    if (name.endsWith('.png')) await copyFile(file, to)
    else {
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
      await writeFile(`${to}.br`, await promisify(brotliCompress)(await readFile(file), { params }))
    }
  }
  return `node_modules/${DOCS}`
}

/**
 * Bundles the page.
 * @param root the folder of the sources
 * @param folder of the build
 * @param options.earlier folders of earlier builds of the page, to reuse compressed files
 * @returns its sizes
 * @throws OverBudget above the budget; esbuild's error for invalid sources
 */
export async function buildWeb(
  root: string,
  folder: string,
  { budget = BUDGET, logLevel = 'warning', earlier = [], packages = new Set() }: WebBuildOptions = {},
): Promise<WebSizes> {
  const options = { ...optionsFor(root, folder, packages), logLevel }
  const lazy = lazySources((await esbuild({ ...options, minify: false, write: false })).metafile)
  const { metafile } = await esbuild({
    ...options,
    plugins: [...(options.plugins ?? []), oneFirstChunk(root, lazy), collectPackages(packages)],
    // Its warnings have been printed.
    logLevel: 'silent',
  })
  const parts = partsOf(metafile)
  const icon = await addIcon(root, folder)
  await writePage(root, folder, parts, icon)
  packages.add(await addDocs(folder))
  const sizes = await compressAssets(
    join(folder, 'assets'),
    earlier.map((build) => join(build, 'assets')),
  )
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0)
  const weighed: WebSizes = {
    first: {
      js: sum([parts.entry, ...parts.modules]),
      css: sum([parts.style]),
      // Sent uncompressed.
      html: (await readFile(join(folder, 'page.html'))).length,
      icon: sum([icon]),
    },
    later: {
      ...Object.fromEntries([...parts.later].map(([name, names]) => [name, sum(names)])),
      ...Object.fromEntries(
        [...sizes].flatMap(([name, size]) => {
          const [, language] = LANGUAGE_FILE.exec(name) ?? []
          return language === undefined ? [] : [[language, size]]
        }),
      ),
    },
  }
  checkBudget(weighed, budget)
  return weighed
}

/** The options of a quick build with the pages for development: neither minified nor compressed, with source maps. */
const developmentOptions = (root: string, folder: string, icon: string, onBuilt: () => void) => ({
  ...optionsFor(root, folder, new Set(), true),
  minify: false,
  sourcemap: 'linked' as const,
  plugins: [
    oneStyleSheet(join(root, STYLES)),
    workers(new Set()),
    languages(folder),
    {
      name: 'page',
      setup({ onEnd }) {
        onEnd(async ({ metafile }) => {
          // esbuild has printed its errors.
          if (metafile !== undefined) await writePage(root, folder, partsOf(metafile), icon)
          onBuilt()
        })
      },
    } satisfies Plugin,
  ],
})

/** Empties the folder of a build for development. @returns the name of the icon */
async function prepare(root: string, folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'assets'), { recursive: true })
  await addDocs(folder)
  return addIcon(root, folder)
}

/** Bundles the page once like `watchWeb`. */
export async function buildForDevelopment(root: string, folder: string): Promise<void> {
  const icon = await prepare(root, folder)
  await esbuild(developmentOptions(root, folder, icon, () => undefined))
}

/**
 * Bundles the page again whenever its sources change.
 * @returns after the first build; ends with the process
 */
export async function watchWeb(root: string, folder: string): Promise<void> {
  const icon = await prepare(root, folder)
  const made = Promise.withResolvers<void>()
  const watching = await context(developmentOptions(root, folder, icon, made.resolve))
  await watching.watch()
  await made.promise
}
