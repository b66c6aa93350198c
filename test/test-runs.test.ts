/** The runner of the tests itself: no failure is lost, and none is tolerated silently. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { testsOf } from '../scripts/changed-tests.ts'
import { runTests } from '../scripts/test-processes.ts'

async function run(t: Test, names: readonly string[]) {
  const files = names.map((name) => ({
    path: `test/fixtures/runs/${name}.test.ts`,
    isAlone: false,
    isWaiting: false,
  }))
  const lines: string[] = []
  const environment = { ...process.env, RUNS_MARK: join(t.testdir(), 'mark') }
  const hasPassed = await runTests(files, environment, (text) => lines.push(text), 1)
  return { hasPassed, text: lines.join(''), last: lines.at(-1) }
}

t.test('a file that fails twice fails the run', async (t) => {
  const { hasPassed, text, last } = await run(t, ['passes', 'fails'])
  t.notOk(hasPassed)
  t.match(text, 'not ok: test/fixtures/runs/fails.test.ts > a sum')
  t.notMatch(text, 'flaky:')
  t.equal(last, '1 passed, 1 failed\n')
})

t.test('an error that nothing catches fails the test that runs', async (t) => {
  const { hasPassed, text } = await run(t, ['throws', 'passes'])
  t.notOk(hasPassed)
  t.match(text, 'not ok: test/fixtures/runs/throws.test.ts > an error later > later')
  t.match(text, 'not ok: test/fixtures/runs/throws.test.ts > a rejection > that nobody awaits > unheard')
  t.notMatch(text, 'nothing else')
})

t.test('files after a process that ended early still run', async (t) => {
  const { hasPassed, text, last } = await run(t, ['ends', 'passes'])
  t.notOk(hasPassed)
  t.match(text, 'not ok: test/fixtures/runs/ends.test.ts: its process ended early')
  t.match(last, /^\d passed, [1-9] failed\n$/)
})

t.test('a file that passes when it is run once more is named', async (t) => {
  const { hasPassed, text, last } = await run(t, ['wavers', 'passes'])
  t.ok(hasPassed)
  t.match(text, 'once more, alone: test/fixtures/runs/wavers.test.ts\n')
  t.match(text, 'flaky:\n  test/fixtures/runs/wavers.test.ts\n')
  t.equal(last, '2 passed, 0 failed\n')
})

t.test('no files are no success', async (t) => {
  const { hasPassed } = await run(t, [])
  t.notOk(hasPassed)
})

t.test('a change of a rule leads to its own tests, and not to all', async (t) => {
  const found = testsOf(['src/board/places.ts'])
  t.ok(found.includes('test/board/places.test.ts'))
  t.notOk(found.includes('test/mail/texts.test.ts'))
  t.strictSame(testsOf(['test/time.test.ts']), ['test/time.test.ts'])
  t.ok(testsOf(['src/time.ts']).includes('test/time.test.ts'), 'that import it')
  t.ok(testsOf(['routes/metrics.ts']).includes('test/routes/metrics.test.ts'), 'of the same name')
  t.ok(
    testsOf(['src/board/items.ts']).includes('test/routes/kanban-items.test.ts'),
    'of routes that use the rule',
  )
})
