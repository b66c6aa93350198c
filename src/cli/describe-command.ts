/** What `--help` says of a command beyond its usage: the form of every command's manual. */
import type { Command } from 'commander'

/** Columns of a help text, at most. */
export const HELP_WIDTH = 100

/** The settings that commands mention, and what they are to them. */
const SETTINGS = {
  DATABASE_URL: 'the database: file:<path> or a path (default: file:./data/phaseboard.db)',
  HOST: 'the address to listen on (default: 127.0.0.1)',
  PORT: 'the port to listen on, 0 for any free one (default: 3000)',
  PUBLIC_URL: 'where people reach the service (default: http, HOST and PORT)',
  AUTH_MODE: 'open or required: whether every request needs a member (default: by HOST)',
  PHASEBOARD_TOKEN: 'an API token of the service',
  LOG_LEVEL: 'fatal, error, warn, info, debug, trace or silent (default: info)',
} as const

/** A setting that commands mention. */
export type Setting = keyof typeof SETTINGS

/** The manual of a command. */
export interface CommandManual {
  /** Paragraphs: what it does that its one line does not say. */
  details?: readonly string[]
  /** The settings that matter to it. */
  settings?: readonly Setting[]
  /** Commands as they are typed, and what each does; `phaseboard` goes without saying. */
  examples: readonly (readonly [command: string, does: string])[]
  /** What 1 means, where it says more than that something failed. */
  failure?: string
  /** Other commands, and documents. */
  seeAlso?: readonly string[]
}

/** A text in lines of at most so many columns. */
function wrapped(text: string, indent: string): string {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    const isFirst = line === indent
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
      settings.map((name) => `  ${name.padEnd(widest)}  ${SETTINGS[name]}`),
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
