/** The hook for sent texts without a response yet. */
import { signal } from '@preact/signals'
import { drafts } from './drafts.ts'

/** New texts of one line, e.g. titles, that were sent while the field went on to the next one. */
export interface Unsent {
  /** Texts that were refused, and texts of an earlier visit, which may not have arrived. */
  left: readonly string[]
  /** Records a sent text. */
  begin: (text: string) => void
  /** Records the result: saved, or refused and therefore left. */
  end: (text: string, isSaved: boolean) => void
  /** Records a refused text that was not recorded before. */
  leave: (text: string) => void
  /** Discards the left texts. */
  forget: () => void
}

/** The texts that this page has sent without a response yet, by the name of their draft. They are not left. */
const sending = signal<ReadonlyMap<string, readonly string[]>>(new Map())

/** A list without each of some lines once. */
const without = (lines: readonly string[], some: readonly string[]): readonly string[] =>
  some.reduce((rest, line) => {
    const at = rest.indexOf(line)
    return at === -1 ? rest : rest.toSpliced(at, 1)
  }, lines)

/**
 * Keeps new texts until they are saved, because the field is cleared for the next one at once.
 * @param name the record and field, e.g. `kanban-item:<id>:subtask`
 */
export function useUnsent(name: string): Unsent {
  const key = `${name}:unsent`
  const read = (): readonly string[] => drafts.read(key)?.text.split('\n') ?? []
  const sent = () => sending.peek().get(key) ?? []
  const store = (lines: readonly string[], sent: readonly string[]) => {
    if (lines.length === 0) drafts.remove(key)
    else drafts.keep(key, { text: lines.join('\n'), from: '' })
    drafts.flush()
    // All fields of that name show it, also one that was opened since.
    sending.value = new Map([...sending.peek(), [key, sent]])
  }
  return {
    left: without(read(), sending.value.get(key) ?? []),
    begin: (text) => store([...read(), text], [...sent(), text]),
    end: (text, isSaved) => store(isSaved ? without(read(), [text]) : read(), without(sent(), [text])),
    leave: (text) => store([...read(), text], sent()),
    forget: () => store(sent(), sent()),
  }
}
