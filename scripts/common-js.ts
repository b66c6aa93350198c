/** Converts bundles to CommonJS. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { type Plugin, transform } from 'esbuild'

/** What `import.meta.url` becomes, and its definition. */
const OWN_URL = 'own_url'
const PRELUDE = `const ${OWN_URL}=require("node:url").pathToFileURL(__filename).href;`

/**
 * esbuild describes each token of dependencies again, although their maps only name the file: the first token of each run is enough.
 * @param map a source map as JSON
 */
function withoutRepetitions(map: string): string {
  const { mappings, sources, ...rest } = JSON.parse(map)
  const isOfPackage = (source: number | undefined) =>
    source !== undefined && /(^|\/)node_modules\//.test(sources[source])
  const kept = decode(mappings).map((line) =>
    line.filter(([, source], index) => !isOfPackage(source) || source !== line[index - 1]?.[1]),
  )
  return JSON.stringify({ ...rest, sources, mappings: encode(kept) })
}

/**
 * Writes a bundle as CommonJS, each file as `<name>.cjs` with its source map beside it. esbuild itself splits only bundles of ES modules. The command
 * `serve` loads scripts together with the functions that V8 has compiled earlier, which Node does not offer for ES modules
 * (docs/decisions/080-compiled-functions.md).
 * @param largest the name of the largest file, instead of one with a hash
 */
export const asCommonJs = (largest: string): Plugin => ({
  name: 'as-common-js',
  setup({ initialOptions, onEnd }) {
    Object.assign(initialOptions, {
      write: false,
      sourcemap: 'inline',
      outExtension: { '.js': '.cjs' },
      banner: {},
    })
    onEnd(async ({ outputFiles = [] }) => {
      const [main] = outputFiles.toSorted((one, other) => other.contents.length - one.contents.length)
      // The bundle has failed.
      if (main === undefined) return
      const hashed = basename(main.path, '.cjs')
      const specifier = JSON.stringify(`./${hashed}.cjs`)
      // As long as the other, because the source map has the columns of what follows.
      const renamed = JSON.stringify(`./${largest}.cjs`).padEnd(specifier.length)
      if (renamed.length > specifier.length) throw new Error(`${largest} is longer than ${hashed}`)
      await mkdir(dirname(main.path), { recursive: true })
      await Promise.all(
        outputFiles.map(async ({ path, text }) => {
          const file = path.replace(hashed, largest)
          const { code, map } = await transform(text.replaceAll(specifier, renamed), {
            sourcefile: basename(file),
            format: 'cjs',
            platform: 'node',
            target: 'node22',
            minifySyntax: true,
            minifyWhitespace: true,
            sourcemap: 'external',
            sourcesContent: false,
            define: { 'import.meta.url': OWN_URL },
            banner: PRELUDE,
            // As calls of `require`, dynamic imports need no loader of ES modules.
            supported: { 'dynamic-import': false },
          })
          await Promise.all([
            writeFile(file, `${code}//# sourceMappingURL=${basename(file)}.map\n`),
            writeFile(`${file}.map`, withoutRepetitions(map)),
          ])
        }),
      )
    })
  },
})
