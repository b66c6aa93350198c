/** The report of the stall probe, and the limits of its rows. */
import { show } from './format.ts'
import type { Machine } from './machine.ts'
import type { Measured } from './stall-measure.ts'

/** Limits of every request: event loop and write lock in milliseconds, memory above idle in bytes. */
export const LIMITS = { stall: 50, lock: 100, memory: 250e6 }

/** A limited figure. */
export type Figure = keyof typeof LIMITS

/** The service's memory above idle, in bytes; undefined if unknown. */
const aboveIdle = ({ memory: { idle, peak } }: Measured): number | undefined =>
  idle === undefined || peak === undefined ? undefined : Math.max(0, peak - idle)

/** The exceeded limits of a row. */
export function overIn(measured: Measured): string[] {
  const { row, longest, lock, failure, isRemarkOver } = measured
  const memory = aboveIdle(measured) ?? 0
  return [
    ...(longest > LIMITS.stall ? ['stall'] : []),
    ...(lock.longest > (row.lock ?? LIMITS.lock) ? ['lock'] : []),
    ...(memory > LIMITS.memory ? ['memory'] : []),
    ...(failure === undefined && !isRemarkOver ? [] : ['answer']),
  ]
}

const bold = (text: string, isBold: boolean) => (isBold ? `**${text}**` : text)
const showMemory = (bytes: number | undefined) => show(bytes === undefined ? undefined : bytes / 1e6, 0)

const COLUMNS = [
  'request',
  'answer',
  'longest stall, ms',
  'p99, ms',
  'as seen, ms',
  'lock, ms',
  'as seen, ms',
  'took, s',
  'CPU, s',
  'RSS, MB',
  'above idle, MB',
  'children, MB',
]

/** The header of the table. */
export const HEAD = `| ${COLUMNS.join(' | ')} |\n|---|---|${'--:|'.repeat(COLUMNS.length - 2)}`

/** A line of the table. Values above a limit are bold. */
export function showRow(measured: Measured): string {
  const { row, answer, longest, p99, longestSeen, lock, seconds, cpu, memory } = measured
  const over = overIn(measured)
  const milliseconds = (what: string, value: number) => bold(show(value, 0), over.includes(what))
  const cells = [
    row.title,
    bold(answer.replaceAll('|', '\\|').replace(/\s+/g, ' '), over.includes('answer')),
    milliseconds('stall', longest),
    show(p99, 0),
    show(longestSeen, 0),
    row.ends === true ? '–' : milliseconds('lock', lock.longest),
    row.ends === true ? '–' : show(lock.longestSeen, 0),
    show(seconds, 1),
    show(cpu, 1),
    [memory.before, memory.peak, memory.after].map(showMemory).join(' → '),
    bold(showMemory(aboveIdle(measured)), over.includes('memory')),
    memory.ofChildren > 0 ? showMemory(memory.ofChildren) : '–',
  ]
  return `| ${cells.join(' | ')} |`
}

/** The report. @param date the day of the run */
export function renderReport(machine: Machine, date: string, measured: Measured[]): string {
  const over = measured.filter((one) => overIn(one).length > 0)
  return `# Stalls, ${date}

How long one client's request holds up all others, \`npm run bench:stalls\`. Each row has a service of its own as \`npm start\` runs
it, on a file of its own. Meanwhile another connection asks for \`/healthz\` every few milliseconds: the longest
stall is the longest it waited, less what the event loop waited for a processor that something else was using; *as seen* is without
that. p99 is over all that time, as if it had been asked for every 5 ms. Another thread tries to begin a write, too: *lock* is the
longest time that it could not, less what the busiest thread waited for a processor. RSS is before, at its peak and half a second
after; *above idle* is the peak less what the service held once it had started; what its children held is apart. CPU is the process's with
all its threads.

No request may take more than ${LIMITS.stall} ms of the event loop, ${LIMITS.lock} ms of the write lock (a batch its second) and ${showMemory(LIMITS.memory)} MB: what is above is **bold** (${over.length} of ${measured.length} rows).

${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node.js ${machine.node}, databases on ${machine.fileSystem}, fdatasync ${show(machine.fdatasync)} ms.

${HEAD}
${measured.map(showRow).join('\n')}
`
}
