/**
 * Looks up the host names of webhooks, so that no name delays another.
 *
 * The system's lookup (getaddrinfo) occupies one of two threads of libuv until DNS answers, and cannot be cancelled. So DNS is asked
 * first, which takes no thread and ends with the attempt. The system's lookup, whose result counts, follows at once for a name in
 * the hosts file or with addresses in DNS. Other names, which only the system may know, are looked up one at a time.
 */
import type { LookupAddress, LookupOptions } from 'node:dns'
import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { getOrMake } from '../once.ts'

/** The error of an attempt that ended before its name was looked up, which is not the receiver's fault. */
export const WAITED = 'lookups of other host names took too long'

/** The errors of `Resolver` if DNS does not answer. Any other is an answer. */
const SILENCE = ['ETIMEOUT', 'ECANCELLED']

/** An attempt to deliver, which needs the addresses of a host. */
export interface Seeker {
  /** Ends the attempt. */
  signal: AbortSignal
  /** Whether it waits for lookups of other names. */
  isWaiting: () => boolean
}

/** Passes on all addresses of a host. */
export type HostLookup = (
  host: string,
  options: LookupOptions,
  done: (error: Error | null, addresses: LookupAddress[]) => void,
  seeker: Seeker,
) => void

/** The dependencies of lookups. */
interface HostLookupOptions {
  hostsFile?: string
  /** The addresses of the DNS servers; by default those of the system. */
  servers?: string[]
  /** The system's lookup. */
  lookup?: (host: string, options: LookupOptions & { all: true }) => Promise<LookupAddress[]>
}

/** A lookup that several attempts wait for. */
interface SharedLookup {
  seekers: Seeker[]
  hasStarted: boolean
  addresses: Promise<LookupAddress[]>
}

/** Creates a function that looks up one name at a time, and a name only once for all who wait for it. */
function createQueue() {
  const lookups = new Map<string, SharedLookup>()
  let last: Promise<unknown> = Promise.resolve()

  function enqueue(host: string, lookUp: () => Promise<LookupAddress[]>): SharedLookup {
    const start = async () => {
      await before
      shared.hasStarted = true
      if (shared.seekers.every(({ signal }) => signal.aborted)) throw new Error(WAITED)
      return await lookUp()
    }
    const before = last
    const shared: SharedLookup = { seekers: [], hasStarted: false, addresses: Promise.resolve([]) }
    shared.addresses = start().finally(() => lookups.delete(host))
    last = shared.addresses.catch(() => undefined)
    return shared
  }

  return (host: string, lookUp: () => Promise<LookupAddress[]>, seeker: Seeker) => {
    const shared = getOrMake(lookups, host, () => enqueue(host, lookUp))
    shared.seekers.push(seeker)
    seeker.isWaiting = () => !shared.hasStarted
    return shared.addresses
  }
}

/** Creates the lookup of host names. */
export function createHostLookup({
  hostsFile = '/etc/hosts',
  servers,
  lookup = systemLookup,
}: HostLookupOptions = {}): HostLookup {
  const inQueue = createQueue()

  async function isInHostsFile(host: string): Promise<boolean> {
    const text = await readFile(hostsFile, 'utf8').catch(() => '')
    const words = text.replace(/#.*/g, '').toLowerCase().split(/\s+/)
    return words.includes(host.replace(/\.$/, ''))
  }

  /** @throws an error of `SILENCE` if DNS does not answer */
  async function hasAddresses(host: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted()
    // The servers of the system may have changed since the previous one.
    const resolver = new Resolver()
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    const isFound = (addresses: Promise<string[]>) =>
      addresses.then(
        () => true,
        (error) => {
          if (SILENCE.includes(error.code)) throw error
          return false
        },
      )
    try {
      const found = await Promise.all([isFound(resolver.resolve4(host)), isFound(resolver.resolve6(host))])
      return found.includes(true)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  async function addressesOf(host: string, options: LookupOptions, seeker: Seeker): Promise<LookupAddress[]> {
    const lookUp = () => lookup(host, { ...options, all: true })
    if (await isInHostsFile(host)) return await lookUp()
    if (await hasAddresses(host, seeker.signal)) return await lookUp()
    return await inQueue(host, lookUp, seeker)
  }

  return (host, options, done, seeker) => {
    addressesOf(host, options, seeker).then(
      (addresses) => done(null, addresses),
      (error) => done(error, []),
    )
  }
}
