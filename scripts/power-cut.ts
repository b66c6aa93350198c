/** Simulates power cuts of a recorded service, and fails if acknowledged data is lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { cutPower, recordService } from '../test/power-cut.ts'
import { FATES } from '../test/recorded-disk.ts'
import { withoutStrace } from '../test/strace.ts'
import { wholeNumber } from './arguments.ts'
import { createOwner } from './owner.ts'

const { images, seed } = new Command('test:power-cut')
  .option('--images <n>', 'how many times the power is cut', wholeNumber(), 2000)
  .option(
    '--seed <n>',
    'repeats what the clients ask for and the cuts',
    wholeNumber(),
    Math.ceil(Math.random() * 1e8),
  )
  .parse()
  .opts<{ images: number; seed: number }>()

if (withoutStrace) {
  console.error(withoutStrace)
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'phaseboard-power-cut-'))
const { owner, end } = createOwner()
console.log(`${images} images, seed ${seed}`)

try {
  // The end throws if the doctor finds something in the file.
  const recording = await recordService(owner, folder, seed).finally(end)
  const { events, sent } = recording
  const syncs = events.filter(({ kind }) => kind.startsWith('sync')).length
  console.log(`recorded ${sent.length} writes, ${events.length} events, ${syncs} of them syncs`)
  const report = cutPower(recording, { folder, images, seed })
  for (const fate of FATES) {
    const ofFate = report.images.filter((image) => image.fate === fate)
    const sum = (count: (image: (typeof ofFate)[number]) => number) =>
      ofFate.reduce((total, image) => total + count(image), 0)
    console.log(
      `${fate} of what was not synced: ${ofFate.length} images, ${sum(({ inFlight }) => inFlight)} writes in flight of which ${sum(({ happened }) => happened)} had happened`,
    )
  }
  for (const problem of report.problems) console.error(problem)
  if (report.problems.length > 0) {
    console.error(`problems with --images ${images} --seed ${seed}; the image is in ${join(folder, 'image')}`)
    process.exitCode = 1
  } else {
    rmSync(folder, { recursive: true })
    console.log('nothing lost, nothing half-written')
  }
} catch (error) {
  console.error(error)
  console.error(`with --images ${images} --seed ${seed}; the recording is in ${folder}`)
  process.exitCode = 1
}
