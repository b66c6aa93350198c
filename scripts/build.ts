/**
 * Bundles the sources into `dist/`: read as single files instead of some 400 modules, the service starts in a
 * fraction of the time and memory. Where the development dependencies are left out (`npm ci --omit=dev`),
 * there is nothing to build with, and an existing bundle is kept.
 */
import { existsSync } from 'node:fs'
import { chmod, readFile, rm } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

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

/** Native code, and files that a package reads from its own folder: Node loads these, from the bundle too. */
const OUTSIDE = ['better-sqlite3', '@node-rs/argon2', '@fastify/swagger-ui']

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

const esbuild = await import('esbuild').catch(() => undefined)
if (esbuild) {
  await rm('dist', { recursive: true, force: true })
  await esbuild.build({
    entryPoints: ['src/cli.ts', 'src/app.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    sourcemap: true,
    sourcesContent: false,
    // Names are kept for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [sameNamesInTheBundle, ownSourceMaps, requiredBuiltins],
    external: OUTSIDE,
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
  await chmod('dist/cli.js', 0o755)
} else if (!existsSync('dist/cli.js')) {
  console.warn(
    'phaseboard: dist/ is not built: run `npm ci` with the development dependencies, or copy dist/ here',
  )
}
