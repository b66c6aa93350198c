import fc from 'fast-check'
import t from 'tap'
import { defaultPhaseConfig, firstPhase } from '../../src/projects/phases.ts'

const namesOf = (type: string) => defaultPhaseConfig(type).map(({ name }) => name)

t.test('each listed type has its own sequence', async (t) => {
  t.strictSame(namesOf('technical'), ['Discovery', 'Design', 'Development', 'Testing', 'Deployment'])
  t.strictSame(namesOf('business'), ['Discovery', 'Planning', 'Execution', 'Review', 'Close'])
  t.strictSame(namesOf('custom'), ['Planning', 'In Progress', 'Complete'])
})

t.test('every other type has the sequence of custom', async (t) => {
  for (const type of ['', 'research', 'Technical', 'constructor', '__proto__']) {
    t.strictSame(namesOf(type), namesOf('custom'), type)
  }
  fc.assert(
    fc.property(
      fc.string().filter((type) => type !== 'technical' && type !== 'business'),
      (type) => `${namesOf(type)}` === `${namesOf('custom')}`,
    ),
  )
})

t.test('a returned sequence is a copy', async (t) => {
  const [first] = defaultPhaseConfig('technical')
  if (first) first.name = 'changed'
  t.equal(namesOf('technical')[0], 'Discovery')
})

t.test('the first phase is the name of the first element, or none', async (t) => {
  t.equal(firstPhase([{ name: 'One' }, { name: 'Two' }]), 'One')
  t.equal(firstPhase([]), '')
  for (const odd of [null, 5, 'One', {}, ['One']]) t.equal(firstPhase([odd]), '', JSON.stringify(odd))
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.string() }), { minLength: 1 }), (config) => {
      return firstPhase(config) === config[0]?.name
    }),
  )
})
