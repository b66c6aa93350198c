/** Limits the memory of unread streams: in total, and per member. */

/** Limits of unsent bytes of the streams of one member, and of all. */
const OF_ONE = 8 * 1024 * 1024
const OF_ALL = 64 * 1024 * 1024

/** Bytes sent between two checks of all streams: the limits may be exceeded by that much. */
const UNSEEN = 1024 * 1024

/** The measured properties of a stream. */
export interface WeighedStream {
  /** Its member, if any. */
  owner: string | undefined
  /** The unread texts. */
  unsent: () => readonly Buffer[]
  /** When it stopped reading; undefined if it reads. */
  waitsSince: number | undefined
  cut: () => void
}

const bytesOf = (buffers: Iterable<Buffer>): number => {
  let bytes = 0
  for (const { length } of buffers) bytes += length
  return bytes
}

/** Cuts streams until the others are within the limits: first those that have not read for longest. */
function cutDown(streams: { stream: WeighedStream; unsent: readonly Buffer[] }[], most: number): void {
  const uses = new Map<Buffer, number>()
  for (const { unsent } of streams) {
    for (const buffer of unsent) uses.set(buffer, (uses.get(buffer) ?? 0) + 1)
  }
  // A text sent to many streams is in memory once.
  let bytes = bytesOf(uses.keys())
  if (bytes <= most) return
  const since = ({ stream }: { stream: WeighedStream }) => stream.waitsSince ?? Number.POSITIVE_INFINITY
  for (const { stream, unsent } of streams.toSorted((one, other) => since(one) - since(other) || 0)) {
    for (const buffer of unsent) {
      const left = Number(uses.get(buffer)) - 1
      uses.set(buffer, left)
      if (left === 0) bytes -= buffer.length
    }
    stream.cut()
    if (bytes <= most) return
  }
}

/** Checks the streams of a service after every so many sent bytes. */
export class UnreadStreams {
  #sent = 0
  readonly #streams: () => Iterable<WeighedStream>

  constructor(streams: () => Iterable<WeighedStream>) {
    this.#streams = streams
  }

  /** Records bytes sent to a stream. */
  sent(bytes: number): void {
    this.#sent += bytes
    if (this.#sent < UNSEEN) return
    this.#sent = 0
    this.#weigh()
  }

  #weigh(): void {
    const behind = [...this.#streams()]
      .map((stream) => ({ stream, unsent: stream.unsent() }))
      .filter(({ unsent }) => unsent.length > 0)
    if (bytesOf(behind.flatMap(({ unsent }) => unsent)) <= OF_ONE) return
    for (const [owner, own] of Map.groupBy(behind, ({ stream }) => stream.owner)) {
      if (owner !== undefined) cutDown(own, OF_ONE)
    }
    cutDown(
      behind.filter(({ stream }) => stream.unsent().length > 0),
      OF_ALL,
    )
  }
}
