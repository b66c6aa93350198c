/** Asking for a password on the command line: never as an argument, which every process on the machine may read. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { oneLine } from './terminal.ts'

/** Where a password is typed: a terminal, or whatever is piped in. */
export type PasswordInput = NodeJS.ReadableStream & { isTTY?: boolean }

/** What is typed on a terminal is edited as ever, but out of sight. */
const unseen = () => ({
  output: new Writable({ write: (_chunk, _encoding, done) => done() }),
  terminal: true,
  historySize: 0,
})

/**
 * Asks for a password to be set. On a terminal it is asked for twice, and nothing of it is shown; elsewhere it is the
 * first line of the input.
 * @param output where the questions go: not where a result goes that may be piped on
 * @returns the password; empty when there is none
 * @throws Error when the two differ, or when there is no answer (Ctrl-C, Ctrl-D)
 */
export async function askNewPassword(
  question: string,
  input: PasswordInput = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string> {
  const lines = createInterface({ input, ...(input.isTTY && unseen()) })
  // It keeps what is typed or pasted before the next question.
  const answers = lines[Symbol.asyncIterator]()
  async function ask(text: string): Promise<string> {
    output.write(`${oneLine(text)}: `)
    const { value, done } = await answers.next()
    output.write('\n')
    if (done) throw new Error('no password was given')
    return value
  }
  try {
    if (!input.isTTY) return (await answers.next()).value ?? ''
    const password = await ask(question)
    if (password !== '' && (await ask('The same again')) !== password) {
      throw new Error('these were two different passwords')
    }
    return password
  } finally {
    lines.close()
  }
}
