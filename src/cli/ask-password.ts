/** Prompts for a password: never an argument, which every process on the machine can read. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { oneLine } from './terminal.ts'

/** The source of a password: a terminal or a pipe. */
type PasswordInput = NodeJS.ReadableStream & { isTTY?: boolean }

/** Line editing on a terminal without echo. */
const unseen = () => ({
  output: new Writable({ write: (_chunk, _encoding, done) => done() }),
  terminal: true,
  historySize: 0,
})

/**
 * Prompts for a new password: on a terminal twice, without echo; otherwise it reads the first line of the input.
 * @param output where the prompts go: not standard output, which may be piped
 * @returns the password; empty for none
 * @throws Error if the two differ, or if the input ends (Ctrl-C, Ctrl-D)
 */
export async function askNewPassword(
  question: string,
  input: PasswordInput = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string> {
  const lines = createInterface({ input, ...(input.isTTY && unseen()) })
  // The iterator buffers lines that are typed or pasted before the next prompt.
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
      throw new Error('the two passwords differ')
    }
    return password
  } finally {
    lines.close()
  }
}
