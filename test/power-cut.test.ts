import t from 'tap'
import { cutPower, recordService } from './power-cut.ts'
import { type Event, FATES, makeDisk, readRecord } from './recorded-disk.ts'
import { rounds } from './rounds.ts'
import { withoutStrace } from './strace.ts'

const IMAGES = rounds(120)
const FOLDER = '/data'

const hex = (text: string | Buffer) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

t.test('a trace of system calls is parsed', async (t) => {
  const file = (name: string) => `7<${hex(`${FOLDER}/${name}`)}>`
  const path = (name: string) => `"${hex(`${FOLDER}/${name}`)}"`
  const record = [
    `1  openat(AT_FDCWD<${hex('/')}>, ${path('board.db')}, O_RDWR|O_CREAT|O_CLOEXEC, 0600) = ${file('board.db')}`,
    `1  openat(AT_FDCWD<${hex('/')}>, ${path('board.db')}, O_RDWR|O_CREAT|O_CLOEXEC, 0600) = ${file('board.db')}`,
    `1  openat(AT_FDCWD<${hex('/')}>, ${path('none')}, O_RDONLY) = -1 ENOENT (No such file or directory)`,
    `1  pwrite64(${file('board.db')}, "${hex('abc')}", 3, 10) = 3`,
    `1  fsync(${file('board.db')} <unfinished ...>`,
    `2  pwrite64(${file('board.db')}, "${hex('d')}", 1, 13) = 1`,
    '1  <... fsync resumed>) = 0',
    `1  fdatasync(${file('board.db')}) = -1 EIO (Input/output error)`,
    `1  fsync(7<${hex(FOLDER)}>) = 0`,
    `1  pwrite64(${file('board.db-shm')}, "${hex('x')}", 1, 0) = 1`,
    `1  pwrite64(7<${hex('/elsewhere/board.db')}>, "${hex('x')}", 1, 0) = 1`,
    `1  ftruncate(${file('board.db')}, 5) = 0`,
    `2  read(9<socket:[3]>,  <unfinished ...>`,
    `2  <... read resumed>"${hex('PATCH / HTTP/1.1')}", 65536) = 16`,
    `1  write(9<socket:[3]>, "${hex('HTTP/1.1 200 OK')}", 15) = 15`,
    `1  unlink(${path('board.db')}) = 0`,
    `1  pwrite64(${file('board.db-wal')}, "${hex('e')}", 1, 0) = ?`,
    `1  fsync(${file('board.db-wal')}) = ?`,
  ]
  const withoutFailure = record.filter((line) => !line.includes('EIO'))
  t.strictSame(readRecord(withoutFailure.join('\n'), FOLDER), [
    { kind: 'create', file: 'board.db' },
    { kind: 'write', file: 'board.db', offset: 10, bytes: Buffer.from('abc') },
    { kind: 'write', file: 'board.db', offset: 13, bytes: Buffer.from('d') },
    { kind: 'sync', file: 'board.db', before: 2 },
    { kind: 'sync folder', before: 4 },
    { kind: 'truncate', file: 'board.db', size: 5 },
    { kind: 'received', connection: 'socket:[3]', text: 'PATCH / HTTP/1.1' },
    { kind: 'sent', connection: 'socket:[3]', text: 'HTTP/1.1 200 OK' },
    { kind: 'unlink', file: 'board.db' },
    { kind: 'write', file: 'board.db-wal', offset: 0, bytes: Buffer.from('e') },
  ])
  t.throws(() => readRecord(record.join('\n'), FOLDER), /fdatasync of board.db failed/)
  t.throws(() => readRecord(`1  write(${file('board.db')}, "${hex('x')}", 1) = 1`, FOLDER), /not understood/)
  t.throws(() => readRecord(`1  pwrite64(${file('board.db')}, "${hex('x')}"..., 9, 0) = 9`, FOLDER), /whole/)
})

t.test('a power cut keeps what was synced, and any part of the rest', async (t) => {
  const write = (offset: number, text: string): Event => ({
    kind: 'write',
    file: 'a',
    offset,
    bytes: Buffer.from(text),
  })
  /** All possible contents of the disk after these events, from many random choices. */
  const outcomes = (events: Event[], fate: (typeof FATES)[number]) => {
    const disk = makeDisk()
    for (const [number, event] of events.entries()) disk.apply(event, number)
    const chances = [0, 0.2, 0.4, 0.6, 0.8, 0.99]
    const found = chances.flatMap((one) =>
      chances.flatMap((two) =>
        chances.map((three) => {
          let calls = 0
          const files = disk.cut(fate, () => [one, two, three][calls++ % 3] as number)
          return [...files].map(([name, bytes]) => `${name}:${bytes.toString().replaceAll('\0', '.')}`).join()
        }),
      ),
    )
    return [...new Set(found)].sort()
  }
  const folder = (before: number): Event => ({ kind: 'sync folder', before })
  const made: Event[] = [{ kind: 'create', file: 'a' }, folder(1)]
  const synced: Event[] = [...made, write(0, 'abcd'), { kind: 'sync', file: 'a', before: 3 }]
  for (const fate of FATES) t.strictSame(outcomes(synced, fate), ['a:abcd'], fate)
  t.strictSame(outcomes(made.slice(0, 1), 'none'), [''], 'nor is a name there before its folder is synced')
  t.strictSame(outcomes(made.slice(0, 1), 'some'), ['', 'a:'])
  const gone: Event[] = [...synced, { kind: 'unlink', file: 'a' }]
  t.strictSame(outcomes(gone, 'none'), ['a:abcd'])
  t.strictSame(outcomes([...gone, folder(5)], 'none'), [''])

  const more: Event[] = [...synced, write(4, 'ef'), write(0, 'XY'), { kind: 'truncate', file: 'a', size: 3 }]
  t.strictSame(outcomes(more, 'none'), ['a:abcd'])
  t.strictSame(outcomes(more, 'all'), ['a:XYc'])
  t.ok(outcomes(more, 'some').includes('a:XYcd'), 'a later write may happen without an earlier one')
  t.ok(outcomes(more, 'torn').includes('a:abcdef'), 'what comes after the cut does not happen')
  const begun: Event[] = [...made, write(0, 'abcd'), { kind: 'sync', file: 'a', before: 2 }]
  t.strictSame(outcomes(begun, 'none'), ['a:'], 'a sync is not for what was written after it had begun')

  const sectors = `${'a'.repeat(512)}${'b'.repeat(512)}${'c'.repeat(512)}`
  const torn = outcomes([...made, write(0, sectors)], 'torn').map((text) => text.length - 'a:'.length)
  t.strictSame(
    torn.toSorted((one, other) => one - other),
    [0, 512, 1024],
    'a torn write ends with a sector',
  )
  const scattered = outcomes([...made, write(0, sectors)], 'sectors')
  t.ok(
    scattered.some((text) => /^a:\.{512}b/.test(text)),
    'a later sector may happen without an earlier one',
  )
})

t.test('a power cut loses no acknowledged write', { skip: withoutStrace }, async (t) => {
  const seed = Number(process.env.POWER_CUT_SEED ?? Math.ceil(Math.random() * 1e8))
  const again = `again with: npm run test:power-cut -- --images ${IMAGES} --seed ${seed}`
  const folder = t.testdir()
  const recording = await recordService(t, folder, seed)

  await t.test('in any image of the disk', async (t) => {
    const { images, problems } = cutPower(recording, { folder, images: IMAGES, seed })
    t.strictSame(problems, [], again)
    t.equal(images.length, IMAGES, again)
    // The result is only as good as the number of images that it tried.
    const count = (is: (image: (typeof images)[number]) => unknown) => images.filter(is).length
    const tried = {
      'with changes that were not synced': count(({ unsynced }) => unsynced > 0),
      'during the first start': count(({ isFirstStart }) => isFirstStart),
      'around the copying of the log': count(({ isCheckpoint }) => isCheckpoint),
      'with files that were acknowledged': count(({ files }) => files > 0),
      'with writes in flight': count(({ inFlight }) => inFlight > 0),
      'in which some of these had happened': count(({ happened }) => happened > 0),
      'and others had not': count(({ inFlight, happened }) => happened < inFlight),
    }
    for (const [what, times] of Object.entries(tried))
      t.ok(times >= IMAGES / 20, `${what}: ${times}`, { again })
  })

  const isSync = (event: Event) => event.kind === 'sync' && event.file.endsWith('-wal')
  const LOSS = [/(lost|half-written|not as acknowledged|not gone)/]

  t.test('a service that does not sync is detected', async (t) => {
    // Replaced by another kind of event, so that the numbers of events stay.
    const nothing: Event = { kind: 'received', connection: '', text: '' }
    const events = recording.events.map((event) => (isSync(event) ? nothing : event))
    t.match(cutPower({ ...recording, events }, { folder, images: IMAGES, seed }).problems, LOSS, again)
  })

  t.test('a service that responds before the sync is detected', async (t) => {
    const events = [...recording.events]
    let last: number | undefined
    for (const [number, event] of events.entries()) {
      if (isSync(event)) last = number
      if (event.kind !== 'sent' || last === undefined) continue
      events[number] = events[last] as Event
      events[last] = event
      last = number
    }
    t.match(cutPower({ ...recording, events }, { folder, images: IMAGES, seed }).problems, LOSS, again)
  })
})
