/**
 * What a build says of others' code: the licences of all packages in it, and a software bill of materials. Both follow from
 * esbuild's metafiles and npm's list of installed packages, and have no dates or random numbers.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/** The names of the two files. The second is CycloneDX 1.6, and its ending is the one that CycloneDX recommends. */
export const LICENCES = 'THIRD-PARTY-LICENSES.txt'
export const SBOM = 'sbom.cdx.json'

/** An installed package: an entry of npm's list. */
export interface Installed {
  /** Its folder, relative to the root: `node_modules/fastify`. */
  path: string
  name: string
  version: string
  /** An SPDX expression. */
  licence: string
  /** Its tarball's hash, as npm writes it: `sha512-` and Base64. */
  integrity?: string
  /** Whether it is only installed for development. */
  dev?: boolean
}

const PACKAGE = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//

/**
 * The folders of packages with code in the outputs of a bundle, as in npm's list. Modules of which nothing is left do not count.
 */
export function packagesIn({ outputs }: Metafile): string[] {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const kept = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return [...new Set(kept.flatMap(([path]) => PACKAGE.exec(path)?.[1] ?? []))]
}

/** Adds the packages of a bundle to a set. */
export const collectPackages = (found: Set<string>): Plugin => ({
  name: 'collect-packages',
  setup({ initialOptions, onEnd }) {
    initialOptions.metafile = true
    onEnd(({ metafile }) => {
      if (metafile) for (const path of packagesIn(metafile)) found.add(path)
    })
  },
})

/** The installed packages, in the order of their names. */
export function installedPackages(root: string): Installed[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'))
  const all = Object.entries<Omit<Installed, 'path' | 'name' | 'licence'> & { license?: string }>(packages)
  return all
    .map(([path, { version, license = '', integrity, dev }]) => ({
      path,
      name: path.replace(/.*node_modules\//, ''),
      version,
      licence: license,
      ...(integrity && { integrity }),
      ...(dev && { dev }),
    }))
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

const keyOf = ({ name, version }: Installed) => `${name}@${version}`

/** One of each name and version: npm installs some several times. */
const withoutCopies = (packages: readonly Installed[]) => [
  ...new Map(packages.map((one) => [keyOf(one), one])).values(),
]

const LEGAL = /^(licen[cs]e|copying|notice)|\.licen[cs]e\.txt$/i

/** The texts of a package's licence and notices; none if it ships without any. */
function textsOf(root: string, { path }: Installed): string[] {
  const names = readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isFile() && LEGAL.test(entry.name))
    .map(({ name }) => name)
  return names.sort().map((name) =>
    readFileSync(join(root, path, name), 'utf8')
      .replaceAll('\r', '')
      .trim(),
  )
}

/**
 * The text for packages that ship without one: that of their licence, with their author.
 * @throws for a licence of which no text is known
 */
function standardText(root: string, { path, name, licence }: Installed, others: readonly string[]): string {
  const { author = `the authors of ${name}` } = JSON.parse(
    readFileSync(join(root, path, 'package.json'), 'utf8'),
  )
  const own = readFileSync(join(root, 'LICENSE'), 'utf8').trim()
  const text =
    licence === 'MIT'
      ? own.replace(/^Copyright .*$/m, `Copyright (c) ${author.name ?? author}`)
      : others.find((one) => licence === 'Apache-2.0' && /^Apache License\s+Version 2\.0/.test(one))
  if (text === undefined) throw new Error(`${name} ships no licence, and no text of ${licence} is known`)
  return text
}

/** The licences of packages, those with the same text together. */
function describeLicences(root: string, packages: readonly Installed[]): string {
  const texts = new Map(packages.map((one) => [one, textsOf(root, one)]))
  const all = [...texts.values()].flat()
  const groups = Map.groupBy(packages, (one) => {
    const found = texts.get(one) ?? []
    return (found.length > 0 ? found : [standardText(root, one, all)]).join('\n\n')
  })
  const parts = Array.from(groups, ([text, group]) =>
    [...group.map((one) => `${one.name} ${one.version} (${one.licence})`), '', text].join('\n'),
  )
  return `${['Phaseboard contains code of these packages.', ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/** The package URL, which also names the package in the bill. */
const purlOf = ({ name, version }: { name: string; version: string }) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

function describeComponent(one: Installed, isBundled: boolean) {
  const isExpression = /\s/.test(one.licence)
  return {
    type: 'library',
    'bom-ref': purlOf(one),
    name: one.name,
    version: one.version,
    scope: 'required',
    ...(one.integrity && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.slice(7), 'base64').toString('hex') }],
    }),
    licenses: [isExpression ? { expression: one.licence } : { license: { id: one.licence } }],
    purl: purlOf(one),
    properties: [{ name: 'phaseboard:bundled', value: String(isBundled) }],
  }
}

/** The bill: packages in the build, and those that npm installs beside it. Its serial number is a hash of its content. */
function describeBill(root: string, packages: readonly Installed[], isBundled: (one: Installed) => boolean) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const components = packages.map((one) => describeComponent(one, isBundled(one)))
  const own = {
    type: 'application',
    'bom-ref': purlOf({ name, version }),
    name,
    version,
    licenses: [{ license: { id: license } }],
    purl: purlOf({ name, version }),
  }
  const content = {
    metadata: { component: own },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) }],
  }
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  // A UUID of version 8: its content is the maker's own.
  const uuid = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5')
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    ...content,
  }
}

/**
 * Describes the packages whose code ships.
 * @param bundled the folders of packages with code in the build
 * @param native names of the packages that are installed beside it and never bundled. The container image holds them without their own licences
 * @returns the contents of {@link LICENCES} and {@link SBOM}
 */
export function describePackages(
  root: string,
  bundled: ReadonlySet<string>,
  native: readonly string[],
): Record<typeof LICENCES | typeof SBOM, string> {
  const installed = installedPackages(root)
  const inBuild = withoutCopies(installed.filter(({ path }) => bundled.has(path)))
  const keys = new Set(inBuild.map(keyOf))
  // The binaries of @node-rs/argon2 are packages of their own, whose names begin with its name.
  const beside = installed.filter(({ name }) => native.some((one) => name.startsWith(one)))
  const shipped = installed.filter((one) => keys.has(keyOf(one)) || !one.dev)
  return {
    [LICENCES]: describeLicences(root, withoutCopies([...inBuild, ...beside])),
    [SBOM]: `${JSON.stringify(
      describeBill(root, withoutCopies(shipped), (one) => keys.has(keyOf(one))),
      null,
      1,
    )}\n`,
  }
}
