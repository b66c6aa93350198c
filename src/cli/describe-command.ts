/** What `--help` says of a command beyond its usage: the form of every command's manual. */
import type { Command } from 'commander'
import { ALL_SETTINGS, defaultOf, descriptionOf, type SETTINGS, type SettingName } from '../settings.ts'

/** Columns of a help text, at most. */
export const HELP_WIDTH = 100

const plain = (markdown: string) => markdown.replaceAll('`', '')

/** What commands say of the environment variables that matter to them. */
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

/** The manual of a command. */
export interface CommandManual {
  /** Paragraphs: what it does that its one line does not say. */
  details?: readonly string[]
  /** The settings that matter to it. */
  settings?: readonly Variable[]
  /** Commands as they are typed, and what each does; `phaseboard` goes without saying. */
  examples: readonly (readonly [command: string, does: string])[]
  /** What 1 means, where it says more than that something failed. */
  failure?: string
  /** Other commands, and documents. */
  seeAlso?: readonly string[]
}

/** A text in lines of at most so many columns, each behind the indent, the first behind `begin`. */
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
      `  1  ${failure ?? 'it failed, and stderr says why'}`,
      '  2  wrong usage or configuration',
    ]),
    ...section('See also', seeAlso.length === 0 ? [] : [wrapped(seeAlso.join(', '), '  ')]),
  ].join('\n')
}

/**
 * Gives a command its manual, which `--help` shows below the usage. Every command has one; a test holds that each has
 * examples and no line is too wide.
 * @returns the command
 */
export const describeCommand = (command: Command, manual: CommandManual): Command =>
  command.addHelpText('after', () => manualText(manual))
