/** One short round of the drill (`npm run test:takeover` runs many), with a folder as the replica. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { LITESTREAM } from './litestream.ts'
import { drillTakeovers } from './takeover.ts'

const skip = LITESTREAM === undefined && 'Litestream has no program for this platform'

t.test('a second machine takes over from the replica of a dead one', { skip }, async (t) => {
  const folder = t.testdir()
  const { rounds, problems } = await drillTakeovers(t, {
    folder,
    rounds: 1,
    writers: 8,
    uploaders: 3,
    seed: 2,
    life: [800, 1200],
    placeOf: (machine) => ({ type: 'file', path: join(folder, `replica-${machine}`) }),
  })
  t.strictSame(problems, [])
  t.equal(rounds.length, 1)
  t.ok(rounds.every(({ acknowledged, lost }) => acknowledged > lost))
  t.ok(rounds.every(({ files }) => files > 0))
  t.ok(
    rounds.some(({ cutOff }) => cutOff > 0),
    'the machine has died during uploads',
  )
})

t.test('Litestream accepts the shipped configuration', { skip }, async (t) => {
  const args = ['databases', '-config', 'deploy/litestream.yml']
  const { stdout } = await promisify(execFile)(LITESTREAM ?? '', args)
  t.match(stdout, /^\/var\/lib\/phaseboard\/phaseboard\.db\s+file$/m)
})
