/** Others' code in the build: its licences, the bill of materials, and that the installed service needs no other package. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { build } from 'esbuild'
import t from 'tap'
import { OUTSIDE } from '../scripts/bundle.ts'
import { describePackages, installedPackages, LICENCES, packagesIn, SBOM } from '../scripts/third-party.ts'
import './shipped.ts'

const read = (file: string) => readFileSync(file, 'utf8')
const own = JSON.parse(read('package.json'))
const folder = join('dist', /'\.\/(\w+)\/cli\.js'/.exec(read('dist/cli.js'))?.[1] ?? '')

const licences = read(join('dist', LICENCES))
const bill = JSON.parse(read(join('dist', SBOM)))

/** Licences that ask for no more than their text. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

interface Component {
  name: string
  version: string
  licenses: { license?: { id: string }; expression?: string }[]
  properties: { name: string; value: string }[]
}
const components: Component[] = bill.components
const isBundled = ({ properties }: Component) => properties[0]?.value === 'true'
const named = ({ name, version }: { name: string; version: string }) => `${name} ${version}`

/** The folders of packages that plain bundles of the same entries contain. */
async function packagesOfBuild(): Promise<Set<string>> {
  const common = {
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: 'nowhere',
    write: false,
    metafile: true,
  } as const
  const service = build({
    ...common,
    entryPoints: ['src/cli/cli.ts', 'src/app.ts', ...globSync('src/**/*{worker,-reader,-watch}.ts')],
    platform: 'node',
    external: OUTSIDE,
    logLevel: 'silent',
  })
  const page = build({
    ...common,
    entryPoints: ['web/main.tsx', 'web/common/markdown/worker.ts', 'src/client/client.ts'],
    mainFields: ['module:es2019', 'module', 'main'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"', DEVELOPMENT: 'false' },
    loader: { '.css': 'empty' },
    external: ['*?worker'],
  })
  const made = await Promise.all([service, page])
  return new Set(['node_modules/swagger-ui-dist', ...made.flatMap(({ metafile }) => packagesIn(metafile))])
}

t.test(
  'licences and bill name exactly the packages in the build, and what is installed beside it',
  async (t) => {
    const paths = await packagesOfBuild()
    const installed = installedPackages('.')
    const inBuild = new Set(installed.filter(({ path }) => paths.has(path)).map(named))
    t.ok(inBuild.size > 100, `${inBuild.size} packages`)
    t.strictSame(components.filter(isBundled).map(named).toSorted(), [...inBuild].toSorted())

    const beside = installed.filter(({ dev }) => !dev).map(named)
    t.strictSame(
      components.filter((one) => !isBundled(one)).map(named),
      [...new Set(beside)].filter((name) => !inBuild.has(name)),
      'those that are only installed are marked',
    )
    for (const name of Object.keys(own.dependencies))
      t.ok(
        components.some((one) => one.name === name),
        name,
      )

    const headings = [...licences.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S*) \((.+)\)$/gm)]
    const native = installed.filter(({ name }) => OUTSIDE.some((one) => name.startsWith(one))).map(named)
    t.strictSame(
      headings.map(([, name = '']) => name).toSorted(),
      [...inBuild, ...native].toSorted(),
      'each has its licence there, and so has native code, which the container image copies without',
    )
  },
)

t.test('every licence is permissive, and has its text', async (t) => {
  for (const one of components) {
    const [{ license, expression = '' } = {}] = one.licenses
    const choices = license === undefined ? expression.replaceAll(/[()]/g, '').split(' OR ') : [license.id]
    t.ok(
      choices.some((id) => PERMISSIVE.includes(id)),
      `${named(one)}: ${choices.join()}`,
    )
  }
  for (const part of licences.split(`\n\n${'-'.repeat(80)}\n\n`).slice(1)) {
    const [heading = '', ...texts] = part.split('\n\n')
    t.match(texts.join('\n'), /permi(?:ssion|tted)|licensed under|blue oak/i, heading)
  }
})

t.test('the bill is valid CycloneDX 1.6, and the same for the same packages', async (t) => {
  const schemas = 'node_modules/@cyclonedx/cyclonedx-library/res/schema'
  const schemaOf = (name: string) => JSON.parse(read(join(schemas, `${name}.SNAPSHOT.schema.json`)))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema({ ...schemaOf(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` })
  const validate = ajv.compile(schemaOf('bom-1.6'))
  t.ok(validate(bill), JSON.stringify(validate.errors))
  t.notOk(validate({ ...bill, components: [{ name: 'without a type' }] }), 'the test would see a violation')
  t.match(bill, { metadata: { component: { name: own.name, version: own.version } } })
  t.equal(new Set(components.map(named)).size, components.length, 'no component twice')

  const paths = await packagesOfBuild()
  const again = describePackages('.', paths, OUTSIDE)
  t.equal(again[SBOM], read(join('dist', SBOM)))
  t.equal(again[LICENCES], licences)
  const fewer = JSON.parse(describePackages('.', new Set([...paths].slice(1)), OUTSIDE)[SBOM])
  t.not(fewer.serialNumber, bill.serialNumber, 'other content has another serial number')
})

t.test('the build loads nothing from disk but native code', async (t) => {
  const found = new Set<string>()
  for (const name of readdirSync(folder).filter((name) => /\.c?js$/.test(name))) {
    const code = read(join(folder, name))
    for (const [, imported = ''] of code.matchAll(/\b(?:from|(?:require|import)\()"([\w@][^"]*)"/g))
      found.add(imported)
  }
  const others = [...found].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
  // In code that Ajv writes for modules of their own, which nobody asks it for.
  t.strictSame(
    others.filter((name) => !/^ajv(?:-formats)?\/dist\//.test(name)).toSorted(),
    OUTSIDE.toSorted(),
  )
})
