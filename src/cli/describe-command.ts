/** The manual of a command: what `--help` shows below the usage. */
import type { Command } from 'commander'
import { ALL_SETTINGS, defaultOf, descriptionOf, type SETTINGS, type SettingName } from '../settings.ts'

/** Maximum width of a help text, in columns. */
export const HELP_WIDTH = 100

const plain = (markdown: string) => markdown.replaceAll('`', '')

/** Descriptions of the environment variables that commands mention. */
const VARIABLES: Record<string, string> = {
  ...Object.fromEntries(
    ALL_SETTINGS.map(([, setting]) => [
      setting.variable,
      plain(`${descriptionOf(setting)} Default: ${defaultOf(setting)}.`),
    ]),
  ),
  PHASEBOARD_TOKEN: 'An API token of the service.',
}

/** An environment variable that a command may mention. */
export type Variable = (typeof SETTINGS)[SettingName]['variable'] | 'PHASEBOARD_TOKEN'

export interface CommandManual {
  /** Paragraphs of details. */
  details?: readonly string[]
  settings?: readonly Variable[]
  /** Examples: the command without `phaseboard`, and what it does. */
  examples: readonly (readonly [command: string, does: string])[]
  /** The meaning of exit code 1, if it is more specific than a failure. */
  failure?: string
  /** Related commands and documents. */
  seeAlso?: readonly string[]
}

/** Wraps a text to the maximum width. Lines start with the indent, the first one with `begin`. */
function wrapped(text: string, indent: string, begin = indent): string {
  const lines: string[] = []
  let line = begin
  for (const word of text.split(' ')) {
    const isFirst = line === begin || line === indent
    if (!isFirst && line.length + 1 + word.length > HELP_WIDTH) {
      lines.push(line)
      line = indent + word
    } else {
      line += isFirst ? word : ` ${word}`
    }
  }
  return [...lines, line].join('\n')
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines]

function manualText({ details = [], settings = [], examples, failure, seeAlso = [] }: CommandManual): string {
  const widest = Math.max(0, ...settings.map((name) => name.length))
  return [
    ...details.flatMap((paragraph) => ['', wrapped(paragraph, '')]),
    ...section(
      'Environment',
      settings.map((name) =>
        wrapped(VARIABLES[name] ?? '', ' '.repeat(widest + 4), `  ${name.padEnd(widest)}  `),
      ),
    ),
    ...section(
      'Examples',
      examples.flatMap(([command, does]) => [wrapped(`# ${does}`, '  '), `  phaseboard ${command}`]),
    ),
    ...section('Exit codes', [
      '  0  done',
      `  1  ${failure ?? 'it failed; stderr has the reason'}`,
      '  2  wrong usage or configuration',
    ]),
    ...section('See also', seeAlso.length === 0 ? [] : [wrapped(seeAlso.join(', '), '  ')]),
  ].join('\n')
}

/**
 * Adds a manual to a command, which `--help` shows below the usage. A test checks that every manual has examples and no
 * line is too wide.
 * @returns the command
 */
export const describeCommand = (command: Command, manual: CommandManual): Command =>
  command.addHelpText('after', () => manualText(manual))
