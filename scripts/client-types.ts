/**
 * Generates what the client knows of the API from the OpenAPI document, unless it is current: `npm run client:types`. Builds and the type
 * check do it, too.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, GENERATED, root } from './build-name.ts'
import { type Document, declarationsOf, ofBytes, withoutKey } from './openapi-types.ts'

const HEAD = `/** Made from the OpenAPI document of the sources ${build}. */\n`

const isCurrent = (file: string) =>
  existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8').startsWith(HEAD)

async function readDocument(): Promise<Document> {
  const { buildApp } = await import('../src/app.ts')
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  await app.ready()
  const document = (await app.openapi()) as unknown as Document
  await app.close()
  return document
}

/** Formats a text like the sources. Biome does not format files that git ignores, so it gets another name. */
const formatted = (text: string) =>
  execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--stdin-file-path=generated.ts'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })

async function generate(): Promise<void> {
  const document = await readDocument()
  const texts = [
    declarationsOf(document),
    `/** The writes that take no Idempotency-Key. */
export const WITHOUT_KEY: readonly string[] = ${JSON.stringify(withoutKey(document))}\n`,
    `/** The operations that respond with any bytes, whatever their type. */
export const OF_BYTES: readonly string[] = ${JSON.stringify(ofBytes(document))}\n`,
  ]
  mkdirSync(join(root, 'dist'), { recursive: true })
  for (const [index, file] of GENERATED.entries()) {
    // Another build may be reading it.
    const aside = join(root, 'dist', randomUUID())
    writeFileSync(aside, formatted(`${HEAD}${texts[index]}`))
    renameSync(aside, join(root, file))
  }
}

if (!GENERATED.every(isCurrent)) await generate()
