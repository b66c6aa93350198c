/** The report: all results, as Markdown. */
import { version } from '../src/package-files.ts'
import type { ColdFigures } from './cold.ts'
import { show, showRate, showRatio, table } from './format.ts'
import { goalsOf, isReached } from './goals.ts'
import { type GrowthRow, LIST_CONNECTIONS } from './growth.ts'
import { BOARD_SIZES, type LargeBoardRow } from './large-board.ts'
import type { Machine } from './machine.ts'
import type { Effort, Figures } from './measure.ts'
import { type PerServer, SERVERS, type ServerName } from './servers.ts'
import type { SessionRow } from './session.ts'
import type { StartFigures } from './start.ts'
import type { Throughput } from './throughput.ts'

/** The results of a run; skipped ones are undefined. */
export interface Results extends Throughput {
  machine: Machine
  /** YYYY-MM-DD */
  date: string
  /** The command line. */
  command: string
  effort: Effort
  /** Whether the load generator had its own core. */
  isCoreReserved: boolean
  starts: StartFigures | undefined
  idleMemory: PerServer | undefined
  cold: ReadonlyMap<ServerName, ColdFigures> | undefined
  growth: GrowthRow[] | undefined
  largeBoard: LargeBoardRow[] | undefined
  session: SessionRow[] | undefined
}

/** From this share of a core on, the load generator may have slowed down the server. */
const BUSY_GENERATOR = 0.9
const isGeneratorBusy = ({ generatorLoad }: Figures) => generatorLoad >= BUSY_GENERATOR

const percent = (share: number | undefined) => (share === undefined ? '–' : `${Math.round(share * 100)} %`)
const megabytes = (bytes: number | undefined) => (bytes === undefined ? '–' : show(bytes / 1e6, 1))

/** All goals, as a Markdown table. */
export function goalTable(results: Results): string {
  const rows = goalsOf(results).map((goal) => {
    const reached = isReached(goal)
    return [
      goal.title,
      reached === undefined ? 'not measured' : reached ? 'reached' : '**not reached**',
      `${goal.bound} ${show(goal.limit)}`,
      showRatio(goal.measured),
    ]
  })
  return table(['goal', 'result', 'needed', 'measured'], rows, 2)
}

function workloadTable(workloads: Results['workloads']): string {
  const cells = (figures: Figures) => [
    showRate(figures.requestsPerSecond),
    showRatio(figures.ratio),
    show(figures.p50),
    show(figures.p99),
    show(figures.cpuPerRequest, 1),
    showRatio(figures.cpuRatio),
    percent(figures.serverLoad),
    percent(figures.generatorLoad) + (isGeneratorBusy(figures) ? ' †' : ''),
  ]
  const rows = [...workloads].flatMap(([title, row]) =>
    [...row].map(([server, figures], position) => [
      position === 0 ? `**${title}**` : '',
      server,
      ...cells(figures),
    ]),
  )
  const head = [
    'requests/s',
    'to node:http',
    'p50 ms',
    'p99 ms',
    'CPU µs/request',
    'to node:http',
    'server',
    'generator',
  ]
  return table(['workload', 'server', ...head], rows, 2)
}

function growthTable(growth: GrowthRow[], kind: GrowthRow['of']): string {
  const rows = growth
    .filter(({ of }) => of === kind)
    .sort((one, other) => one.workload.localeCompare(other.workload))
    .map(({ workload, size, row }) => {
      const [own, reference] = [row.get('Phaseboard'), row.get('node:http')]
      return [
        workload,
        show(kind === 'items in the project' ? size.itemsPerProject : size.projects, 0),
        own ? showRate(own.requestsPerSecond) : '–',
        reference ? showRate(reference.requestsPerSecond) : '–',
        showRatio(own?.ratio),
        show(own?.cpuPerRequest, 1),
        show(own?.megabytesPerSecond, 1),
        show(reference?.megabytesPerSecond, 1),
      ]
    })
  const head = ['requests/s', 'node:http', 'ratio', 'CPU µs/request', 'MB/s', 'node:http MB/s']
  return table(['workload', kind, ...head], rows)
}

function largeBoardTable(rows: LargeBoardRow[]): string {
  const [small, large] = [show(BOARD_SIZES.small, 0), show(BOARD_SIZES.large, 0)]
  const head = (figure: string) => [`${figure}, ${small} items`, `${large} items`, 'ratio']
  return table(
    ['workload', ...head('CPU µs/request'), ...head('requests/s')],
    rows.map(({ workload, small, large }) => [
      workload,
      show(small.cpuPerRequest, 1),
      show(large.cpuPerRequest, 1),
      showRatio(large.cpuRatio),
      showRate(small.requestsPerSecond),
      showRate(large.requestsPerSecond),
      showRatio(large.ratio),
    ]),
  )
}

const sessionTable = (rows: SessionRow[]) =>
  table(
    ['asked by', 'requests/s', 'to /healthz', 'CPU µs/request', 'ratio'],
    rows.map(({ workload, figures }) => [
      workload,
      showRate(figures.requestsPerSecond),
      showRatio(figures.ratio),
      show(figures.cpuPerRequest, 1),
      showRatio(figures.cpuRatio),
    ]),
  )

const coldTable = (cold: ReadonlyMap<ServerName, ColdFigures>) =>
  table(
    ['server', 'projects/s', 'to node:http', 'p50 ms', 'p99 ms', 'first list, ms'],
    [...cold].map(([server, { projectsPerSecond, ratio, p50, p99, firstList }]) => [
      server,
      showRate(projectsPerSecond),
      showRatio(ratio),
      show(p50),
      show(p99),
      show(firstList, 0),
    ]),
  )

function perServerTable(head: string[], columns: string[][]): string {
  const rows = SERVERS.map((server, row) => [server, ...columns.map((column) => column[row] ?? '–')])
  return table(
    ['server', ...head],
    rows.filter(([, ...cells]) => cells.some((cell) => cell !== '–')),
  )
}

function about({ machine, date, command, effort, isCoreReserved }: Results): string {
  const facts = {
    date,
    command: `\`${command}\``,
    service: `Phaseboard ${version}`,
    processor: `${machine.cpu}, ${machine.cores} cores`,
    memory: `${show(machine.memoryBytes / 2 ** 30, 1)} GiB`,
    system: machine.system,
    'Node.js': machine.node,
    'file system': `${machine.fileSystem}; fdatasync of 4 KiB takes ${show(machine.fdatasync)} ms`,
    rounds: `${effort.rounds} of ${effort.seconds} s after ${effort.warmUpSeconds} s to warm up`,
    cores: isCoreReserved
      ? 'one for the load generator, the others for the servers'
      : 'shared by the load generator and the servers',
  }
  return table(['', ''], Object.entries(facts), 2)
}

/** The report. @param chart the chart's file, relative to the report */
export function renderReport(results: Results, chart: string | undefined): string {
  const {
    workloads,
    starts,
    idleMemory,
    loadedMemory,
    cold,
    growth,
    largeBoard,
    session,
    remarks,
    machine,
    date,
  } = results
  const section = (title: string, isThere: unknown, ...paragraphs: string[]) =>
    isThere ? [`## ${title}`, ...paragraphs] : []
  const paragraphs = [
    `# Benchmark, ${date}: ${machine.cpu}, ${machine.cores} cores`,
    about(results),
    ...remarks.map((remark) => `**${remark}**`),
    ...section(
      'Goals',
      true,
      goalTable(results),
      chart ? `![Requests per second, to node:http](${chart})` : '',
    ),
    ...section(
      'Workloads',
      workloads.size,
      '50 projects of 40 items. Medians of the rounds; ratios are of the same round. *server* and *generator*: how much of a ' +
        'core each was busy. A server that is not busy for all of it waits: for the disk, for what else runs on the machine, ' +
        'or for the generator.',
      workloadTable(workloads),
      [...workloads.values()].some((row) => [...row.values()].some(isGeneratorBusy))
        ? '† The generator had nothing to spare: the server may be faster than this.'
        : '',
    ),
    ...section(
      'Growth',
      growth,
      `Projects of 40 items, 32 connections (the list: ${LIST_CONNECTIONS}).`,
      growthTable(growth ?? [], 'projects in the file'),
      'One project in the file.',
      growthTable(growth ?? [], 'items in the project'),
    ),
    ...section(
      'Large board',
      largeBoard,
      'One project in the file, 32 connections. Ratios are of 20,000 items to 200, in the same round.',
      largeBoardTable(largeBoard ?? []),
    ),
    ...section(
      'Session',
      session,
      'Who am I, `GET /api/session`, asked by nobody, by session and by token, 32 connections. Ratios are to `/healthz` of the same service, in the same round.',
      sessionTable(session ?? []),
    ),
    ...section(
      'Cold reads',
      cold,
      'Freshly started, 1,000 projects in the file: each read once (32 connections), and, started anew, the list.',
      coldTable(cold ?? new Map()),
    ),
    ...section(
      'Memory',
      idleMemory || loadedMemory,
      'Resident, in MB: left alone after the start, and after the workloads that read.',
      perServerTable(
        ['idle', 'loaded'],
        [idleMemory, loadedMemory].map((memory) => SERVERS.map((server) => megabytes(memory?.[server]))),
      ),
    ),
    ...section(
      'Start',
      starts,
      `From starting the process to its first answer, median. The service's first GET of a project then takes ${show(starts?.firstRead, 0)} ms.`,
      perServerTable(['ms'], [SERVERS.map((server) => show(starts?.ready[server], 0))]),
    ),
  ]
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`
}
