/** Completion scripts for shells, generated from the commands themselves. */
import type { Command, Option } from 'commander'

/** The supported shells. */
const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** A word that can be typed at a place, with its description. */
interface Word {
  word: string
  says: string
}

/** An option that takes a value. */
interface Valued {
  word: string
  says: string
  /** Empty: anything, perhaps a file. */
  choices: readonly string[]
}

/** A place on the command line: after a command. */
interface Place {
  /** The words before this place, e.g. `phaseboard member add`. */
  path: string
  commands: Word[]
  options: Word[]
  valued: Valued[]
  /** The choices of its arguments. */
  choices: string[]
  /** Whether it takes arguments that may be files. */
  takesFiles: boolean
}

const namesOf = ({ long, short }: Option): string[] =>
  [long, short].filter((name) => name != null) as string[]

/** All places of a program. */
function placesOf(command: Command, above = ''): Place[] {
  const path = `${above} ${command.name()}`.trim()
  const help = command.createHelp()
  const options = help.visibleOptions(command)
  const subcommands = help.visibleCommands(command)
  const taken = command.registeredArguments
  const place: Place = {
    path,
    commands: subcommands.map((one) => ({ word: one.name(), says: one.description() })),
    options: options.flatMap((option) => namesOf(option).map((word) => ({ word, says: option.description }))),
    valued: options
      .filter(({ required, optional }) => required || optional)
      .flatMap((option) =>
        namesOf(option).map((word) => ({ word, says: option.description, choices: option.argChoices ?? [] })),
      ),
    choices: taken.flatMap(({ argChoices = [] }) => argChoices),
    takesFiles: taken.some(({ argChoices }) => argChoices === undefined),
  }
  // The implicit `help` command has no places of its own.
  return [place, ...command.commands.flatMap((one) => placesOf(one, path))]
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The patterns of all places but the first. */
const below = (places: readonly Place[]): string[] => places.slice(1).map(({ path }) => quoted(path))

function bash(places: readonly Place[]): string {
  const values = places.flatMap(({ path, valued }) =>
    valued.map(({ word, choices }) => {
      const reply =
        choices.length === 0
          ? 'COMPREPLY=()'
          : `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur"))`
      return `    ${quoted(`${path} ${word}`)}) ${reply}; return ;;`
    }),
  )
  const words = places.map(({ path, commands, options, choices }) => {
    const all = [...commands.map(({ word }) => word), ...choices, ...options.map(({ word }) => word)]
    return `    ${quoted(path)}) words=${quoted(all.join(' '))} ;;`
  })
  return `# Completion of phaseboard for bash: source <(phaseboard completion bash)
_phaseboard() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at=phaseboard words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${below(places).join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
# Where nothing else fits, names of files.
complete -o default -F _phaseboard phaseboard
`
}

function zsh(places: readonly Place[]): string {
  const described = ({ word, says }: Word) => quoted(`${word.replaceAll(':', '\\:')}:${says}`)
  const values = places.flatMap(({ path, valued }) =>
    valued.map(({ word, choices }) => {
      const reply = choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`
      return `    (${quoted(`${path} ${word}`)}) ${reply}; return ;;`
    }),
  )
  const words = places.map(({ path, commands, options, choices, takesFiles }) => {
    const all = [...commands, ...choices.map((word) => ({ word, says: 'argument' })), ...options]
    return `    (${quoted(path)}) found=(${all.map(described).join(' ')})${takesFiles ? '; files=1' : ''} ;;`
  })
  return `#compdef phaseboard
# Completion of phaseboard for zsh: source <(phaseboard completion zsh), or a file _phaseboard in a folder of $fpath.
_phaseboard() {
  local at=phaseboard files=0 i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${below(places).join(' | ')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  _describe phaseboard found
  (( files )) && _files
}
if [[ "\${funcstack[1]}" == _phaseboard ]]; then _phaseboard "$@"; else compdef _phaseboard phaseboard; fi
`
}

function fish(places: readonly Place[]): string {
  const escaped = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
  const lines = places.flatMap(({ path, commands, options, valued, choices, takesFiles }) => {
    const here = `complete -c phaseboard -n ${escaped(`__phaseboard_at "${path}"`)}`
    const takes = new Map(valued.map((one) => [one.word, one]))
    return [
      ...commands.map(({ word, says }) => `${here} -a ${escaped(word)} -d ${escaped(says)}`),
      ...choices.map((word) => `${here} -a ${escaped(word)}`),
      ...options.map(({ word, says }) => {
        const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`
        const value = takes.get(word)
        const values = value?.choices.length
          ? ` -x -a ${escaped(value.choices.join(' '))}`
          : value
            ? ' -r'
            : ''
        return `${here} ${name}${values} -d ${escaped(says)}`
      }),
      ...(takesFiles ? [`${here} -F`] : []),
    ]
  })
  return `# Completion of phaseboard for fish: phaseboard completion fish | source
function __phaseboard_at
  set -l at phaseboard
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${below(places).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c phaseboard -f
${lines.join('\n')}
`
}

export const completionScript = (program: Command, shell: Shell): string =>
  ({ bash, zsh, fish })[shell](placesOf(program))
