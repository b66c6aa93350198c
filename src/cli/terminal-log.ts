/** The log as plain lines on a terminal; elsewhere it is JSON lines, for machines. */
import { Writable } from 'node:stream'

const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: '',
  40: 'warning',
  50: 'error',
  60: 'fatal',
}

/** The logger's own fields. */
const OWN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err'])

/** Escapes control characters, which a terminal would interpret. */
const escapeControls = (text: string) =>
  text.replace(/[^\P{Cc}\n]/gu, (character) => JSON.stringify(character).slice(1, -1) || '?')

const indented = (text: string) => text.replaceAll(/^/gm, '  ')

/** A plain line for a JSON line of the log. Other text stays unchanged. */
function describe(line: string): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line)
  } catch {
    return escapeControls(line)
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
  return escapeControls(isListening ? `${String(msg).split(' · ', 1)}${more}` : head + more + cause)
}

/**
 * Creates a stream for the logger that writes plain lines.
 * @param terminal where they go
 */
export const createTerminalLog = (terminal: Writable): Writable =>
  new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const lines = String(chunk).split('\n').filter(Boolean)
      terminal.write(lines.map((line) => `${describe(line)}\n`).join(''))
      // A terminal needs no backpressure, and a closed one is no failure.
      done()
    },
  })
