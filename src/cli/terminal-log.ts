/** The log as somebody at a terminal reads it; elsewhere it is JSON lines, for machines. */
import { Writable } from 'node:stream'

const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: '',
  40: 'warning',
  50: 'error',
  60: 'fatal',
}

/** What a logger writes of its own accord. */
const OWN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err'])

/** A text that the terminal shows and does not obey. */
const harmless = (text: string) =>
  text.replace(/[^\P{Cc}\n]/gu, (character) => JSON.stringify(character).slice(1, -1) || '?')

const indented = (text: string) => text.replaceAll(/^/gm, '  ')

/** A line of the log, in words. What is no line of the log stays as it is. */
function describe(line: string): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line)
  } catch {
    return harmless(line)
  }
  const { level, time, msg, err, ...rest } = entry
  const at = new Date(Number(time)).toTimeString().slice(0, 8)
  const head = [at, LEVELS[Number(level)], msg].filter(Boolean).join(' ')
  const fields = Object.entries(rest).filter(([name]) => !OWN.has(name))
  const isListening = 'api' in rest && 'docs' in rest
  const more = isListening
    ? fields.map(([name, value]) => `\n  ${name.padEnd(6)}${value}`).join('')
    : fields.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join('')
  const { stack, message } = Object(err) as { stack?: string; message?: string }
  const cause = err === undefined ? '' : `\n${indented(stack ?? message ?? JSON.stringify(err))}`
  return harmless(isListening ? `${String(msg).split(' · ', 1)}${more}` : head + more + cause)
}

/**
 * Makes a stream for the logger that writes plain lines.
 * @param terminal where they go
 */
export const createTerminalLog = (terminal: Writable): Writable =>
  new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const lines = String(chunk).split('\n').filter(Boolean)
      terminal.write(lines.map((line) => `${describe(line)}\n`).join(''))
      // Nobody waits for a terminal, and one that has gone is no failure.
      done()
    },
  })
