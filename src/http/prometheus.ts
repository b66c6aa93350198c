/**
 * The service's metrics for Prometheus. They are counted elsewhere, in plain variables; this module and the library
 * are loaded lazily, by the first scrape.
 */
import { readdir, stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { type Metric, Registry } from 'prom-client'
import { databasePath } from '../db/client.ts'
import { FileContents } from '../db/file-contents.ts'
import type { Distribution } from '../distribution.ts'
import { version } from '../package-files.ts'
import type { RequestSeries } from './request-counters.ts'

type Labels = Record<string, string | number>

/** A line of a metric. */
interface Value {
  value: number
  labels?: Labels
  /** Its name, if it differs from the metric's. */
  metricName?: string
}

/** Reads a metric's lines. */
type Read = () => Value[] | Promise<Value[]>

const NANOSECONDS = 1e9

/** Resolution of event loop delays, in milliseconds. */
const RESOLUTION = 20

const one = (value: number): Value[] => [{ value }]

/** The lines of a histogram. */
function linesOf(name: string, { bounds, counts, sum }: Distribution, labels: Labels = {}): Value[] {
  let count = 0
  const buckets = counts.map((added, index) => {
    count += added
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

const labelsOf = ({ method, route, status, reason }: RequestSeries): Labels => ({
  method,
  route,
  status,
  ...(reason && { reason }),
})

/** Size of a file in bytes; 0 if there is none. */
const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

/** Open file descriptors; NaN if unknown. */
const openFiles = (): Promise<number> =>
  readdir('/proc/self/fd').then(
    (files) => files.length,
    () => Number.NaN,
  )

/** The metrics of one service, in a separate registry: several services in one process must not share numbers. */
export class Exposition {
  readonly contentType: string
  readonly #registry = new Registry()
  readonly #delay: ReturnType<typeof monitorEventLoopDelay>

  /** @param databaseUrl of the service */
  constructor(app: FastifyInstance, databaseUrl: string) {
    this.contentType = this.#registry.contentType
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION })
    this.#delay.enable()
    this.#addTraffic(app)
    this.#addWrites(app)
    this.#addReaders(app)
    this.#addWebhooks(app)
    this.#addMail(app)
    this.#addFiles(app)
    this.#addDatabase(app, databaseUrl)
    this.#addProcess()
  }

  /** The text of a scrape. */
  async text(): Promise<string> {
    const text = await this.#registry.metrics()
    // Each scrape covers the time since the previous one.
    this.#delay.reset()
    return text
  }

  /** Ends the measurements. */
  close(): void {
    this.#delay.disable()
  }

  /** Adds a metric, whose values are read by each scrape. */
  #add(type: 'counter' | 'gauge' | 'histogram', name: string, help: string, read: Read): void {
    const get = async () => ({ name, help, type, aggregator: 'sum', values: await read() })
    this.#registry.registerMetric({ name, get } as unknown as Metric)
  }

  #addTraffic({ requestCounters }: FastifyInstance): void {
    this.#add(
      'counter',
      'phaseboard_http_requests_total',
      'Requests, by route, method and status of the response; with `reason` if the client caused a 500',
      () => [...requestCounters.all()].map((series) => ({ labels: labelsOf(series), value: series.count })),
    )
    const times = 'phaseboard_http_request_duration_seconds'
    this.#add(
      'histogram',
      times,
      'Duration of requests, except streams and requests that wait for a change',
      () =>
        [...requestCounters.all()].flatMap((series) =>
          series.times ? linesOf(times, series.times, labelsOf(series)) : [],
        ),
    )
  }

  #addWrites({ groupCommit, worker, writer }: FastifyInstance): void {
    const { sizes, times, queued } = groupCommit.statistics
    const size = 'phaseboard_commit_group_size'
    this.#add('histogram', size, 'Writes per commit; its count is the number of commits', () =>
      linesOf(size, sizes),
    )
    const time = 'phaseboard_commit_duration_seconds'
    this.#add('histogram', time, 'Duration of a commit, including its sync to disk', () =>
      linesOf(time, times),
    )
    this.#add('gauge', 'phaseboard_write_queue_length', 'Writes that wait for their commit', () =>
      one(queued()),
    )
    this.#add(
      'gauge',
      'phaseboard_worker_queue_length',
      'Tasks of the worker threads, with the current ones',
      () => one(worker.queued() + writer.queued()),
    )
  }

  #addReaders({ snapshots, changeReaders }: FastifyInstance): void {
    this.#add(
      'counter',
      'phaseboard_snapshot_reads_total',
      'Reads of a project or a whole list, by cache hit or miss',
      () => {
        const { hits, misses } = snapshots.use()
        return [
          { labels: { result: 'hit' }, value: hits },
          { labels: { result: 'miss' }, value: misses },
        ]
      },
    )
    this.#add('gauge', 'phaseboard_snapshot_cache_bytes', 'Memory of cached responses', () =>
      one(snapshots.use().bytes),
    )
    this.#add('gauge', 'phaseboard_snapshot_cache_entries', 'Projects and lists in the cache', () =>
      one(snapshots.use().entries),
    )
    this.#add('gauge', 'phaseboard_change_streams', 'Open streams of changes', () =>
      one(changeReaders.count('stream')),
    )
    this.#add('gauge', 'phaseboard_change_polls', 'Requests that wait for a change', () =>
      one(changeReaders.count('poll')),
    )
  }

  #addWebhooks({ rules, deliverer }: FastifyInstance): void {
    const { webhooks } = rules
    const { sequence } = rules.changes
    this.#add('gauge', 'phaseboard_webhooks', 'Webhooks, by state', () => {
      const { active, failing, inactive } = webhooks.summary()
      return [
        { labels: { state: 'active' }, value: active - failing },
        { labels: { state: 'failing' }, value: failing },
        { labels: { state: 'inactive' }, value: inactive },
      ]
    })
    this.#add(
      'gauge',
      'phaseboard_webhook_lag_changes',
      'Changes since the stored place of the slowest active webhook, including those that it does not receive',
      () => {
        const { slowest } = webhooks.summary()
        return one(slowest === null ? 0 : Math.max(0, sequence.last() - slowest))
      },
    )
    this.#add(
      'counter',
      'phaseboard_webhook_deliveries_total',
      'Attempts to deliver a change, by outcome',
      () => [
        { labels: { outcome: 'delivered' }, value: deliverer.attempts.delivered },
        { labels: { outcome: 'failed' }, value: deliverer.attempts.failed },
      ],
    )
    this.#add('gauge', 'phaseboard_changes_last_seq', 'The newest change of the sequence', () =>
      one(sequence.last()),
    )
  }

  #addMail({ rules, courier }: FastifyInstance): void {
    const { queue } = rules.mail
    this.#add('gauge', 'phaseboard_mail_queue', 'Notifications that wait for mail or for the host', () =>
      one(queue.summary().queued),
    )
    this.#add('gauge', 'phaseboard_mail_members', 'Members whom mail does not reach, by state', () => {
      const { failing, stopped } = queue.summary()
      return [
        { labels: { state: 'failing' }, value: failing },
        { labels: { state: 'stopped' }, value: stopped },
      ]
    })
    this.#add(
      'counter',
      'phaseboard_mails_total',
      'Mails, or notifications to the host, by outcome of the attempt',
      () => Object.entries(courier?.counts ?? {}).map(([outcome, value]) => ({ labels: { outcome }, value })),
    )
  }

  #addFiles({ db, files: { total, uploads, downloads } }: FastifyInstance): void {
    const contents = new FileContents(db.$client)
    this.#add('gauge', 'phaseboard_attachments_contents', 'Different files, including incomplete ones', () =>
      one(contents.count()),
    )
    this.#add('gauge', 'phaseboard_attachments_bytes', 'Bytes of all files, including incomplete ones', () =>
      one(contents.bytes()),
    )
    this.#add(
      'gauge',
      'phaseboard_attachments_incomplete_bytes',
      'Bytes of files that are being uploaded or removed',
      () => one(contents.incompleteBytes()),
    )
    this.#add('gauge', 'phaseboard_attachments_limit_bytes', 'The setting ATTACHMENTS_TOTAL', () =>
      one(total),
    )
    this.#add('gauge', 'phaseboard_file_transfers', 'Uploads and large downloads at this moment', () => [
      { labels: { direction: 'upload' }, value: uploads.taken },
      { labels: { direction: 'download' }, value: downloads.taken },
    ])
  }

  #addDatabase({ db: { $client } }: FastifyInstance, databaseUrl: string): void {
    const log = `${databasePath(databaseUrl)}-wal`
    const pageSize = Number($client.pragma('page_size', { simple: true }))
    const pages = $client.prepare<[], number>('pragma page_count').pluck()
    this.#add('gauge', 'phaseboard_database_size_bytes', 'The database, without its write-ahead log', () =>
      one(Number(pages.get()) * pageSize),
    )
    this.#add('gauge', 'phaseboard_database_wal_size_bytes', 'The write-ahead log', async () =>
      one($client.memory ? 0 : await sizeOf(log)),
    )
  }

  #addProcess(): void {
    const delay = this.#delay
    const measures = {
      p50: () => delay.percentile(50),
      p99: () => delay.percentile(99),
      max: () => delay.max,
    }
    for (const [measure, read] of Object.entries(measures)) {
      this.#add(
        'gauge',
        `phaseboard_event_loop_delay_${measure}_seconds`,
        `Delay of the event loop since the previous scrape: ${measure}`,
        () => one(Math.max(0, read() / NANOSECONDS - RESOLUTION / 1000)),
      )
    }
    this.#add('gauge', 'phaseboard_build_info', 'The running version; always 1', () => [
      { labels: { version, node: process.versions.node }, value: 1 },
    ])
    this.#add(
      'counter',
      'process_cpu_seconds_total',
      'Processor time of the process, user and system',
      () => {
        const { user, system } = process.cpuUsage()
        return one((user + system) / 1e6)
      },
    )
    this.#add('gauge', 'process_resident_memory_bytes', 'Memory of the process', () =>
      one(process.memoryUsage.rss()),
    )
    this.#add('gauge', 'nodejs_heap_size_used_bytes', "Memory of the main thread's JavaScript objects", () =>
      one(process.memoryUsage().heapUsed),
    )
    this.#add('gauge', 'process_open_fds', 'Open files and connections', async () => one(await openFiles()))
    this.#add('gauge', 'process_start_time_seconds', 'When the process started, in seconds since 1970', () =>
      one((Date.now() - process.uptime() * 1000) / 1000),
    )
  }
}
