/**
 * Generates the client's types of the API from the OpenAPI document: `npm run client:types`. With `--check` it fails if
 * the files are out of date.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { buildApp } from '../src/app.ts'
import { type Document, declarationsOf, ofBytes, withoutKey } from './openapi-types.ts'

const HEAD = '/** Made from the OpenAPI document by `npm run client:types`. */\n'

async function readDocument(): Promise<Document> {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  await app.ready()
  const document = (await app.openapi()) as unknown as Document
  await app.close()
  return document
}

const formatted = (file: string, text: string) =>
  execFileSync('biome', ['format', `--stdin-file-path=${file}`], { input: text, encoding: 'utf8' })

const document = await readDocument()
const texts = {
  'src/client/api.d.ts': declarationsOf(document),
  'src/client/without-key.ts': `/** The writes that take no Idempotency-Key. */
export const WITHOUT_KEY: readonly string[] = ${JSON.stringify(withoutKey(document))}\n`,
  'src/client/of-bytes.ts': `/** The operations that respond with any bytes, whatever their type. */
export const OF_BYTES: readonly string[] = ${JSON.stringify(ofBytes(document))}\n`,
}
const isCheck = process.argv.includes('--check')
for (const [file, text] of Object.entries(texts)) {
  const wanted = formatted(file, HEAD + text)
  if (!isCheck) writeFileSync(file, wanted)
  else if (readFileSync(file, 'utf8') !== wanted) {
    console.error(`${file} does not match the OpenAPI document: run \`npm run client:types\` and commit it`)
    process.exitCode = 1
  }
}
