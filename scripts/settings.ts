/**
 * Generates the documentation and types of the settings from `src/settings.ts`: `npm run settings`. With `--check` it fails if
 * a file is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { ALL_SETTINGS, defaultOf, descriptionOf, type Setting, unitOf } from '../src/settings.ts'

const code = (text: unknown) => `\`${text}\``

function rowOf(name: string, setting: Setting): string {
  const meaning = [descriptionOf(setting), setting.more].filter(Boolean).join(' ')
  return `| ${code(setting.variable)} | ${code(name)} | ${defaultOf(setting)} | ${meaning} |`
}

function typeOf(setting: Setting): string {
  switch (setting.kind) {
    case 'text':
      return setting.becomes ?? 'string'
    case 'number':
      return 'number'
    case 'choice':
      return setting.choices.map((choice) => `'${choice}'`).join(' | ')
    case 'flag':
      return 'boolean'
  }
}

function declarationOf(name: string, setting: Setting): string {
  const unit = unitOf(setting)
  const sentence = unit === undefined ? setting.meaning : `${setting.meaning} In ${unit}.`
  const isOptional = setting.default === undefined && setting.isDerived !== true
  return `  /** ${sentence} */\n  ${name}: ${typeOf(setting)}${isOptional ? ' | undefined' : ''}`
}

const options = ALL_SETTINGS.filter(([, { isForHosts }]) => isForHosts).map(([name]) => name)

/** Generated parts: the file, the name in the marker lines, the text. */
const PARTS: [file: string, mark: string, lines: string[]][] = [
  [
    'docs/configuration.md',
    'settings',
    [
      '| variable | setting | default | meaning |',
      '|---|---|---|---|',
      ...ALL_SETTINGS.map((setting) => rowOf(...setting)),
    ],
  ],
  ['docs/embedding.md', 'options', [`${options.map(code).join(', ')}.`]],
  ['src/phaseboard.d.ts', 'settings', ALL_SETTINGS.map((setting) => declarationOf(...setting))],
  ['src/phaseboard.d.ts', 'options', options.map((name) => `    | '${name}'`)],
]

const isCheck = process.argv.includes('--check')
for (const [file, mark, lines] of PARTS) {
  const found = readFileSync(file, 'utf8')
  const part = new RegExp(`(^.*\\bbegin of ${mark}\\b.*\\n)(?:.*\\n)*?(.*\\bend of ${mark}\\b)`, 'm')
  if (!part.test(found)) throw new Error(`${file} does not say where its ${mark} stand`)
  const wanted = found.replace(part, (_, begin, end) => `${begin}${lines.join('\n')}\n${end}`)
  if (wanted === found) continue
  if (isCheck) {
    console.error(`${file} is not what src/settings.ts says: run \`npm run settings\` and commit it`)
    process.exitCode = 1
  } else writeFileSync(file, wanted)
}
