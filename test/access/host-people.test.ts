import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { ListedNames, SeenPeople } from '../../src/access/host-people.ts'

t.test('a name that could not be stored is stored when it is listed again', async (t) => {
  const stored: string[] = []
  const errors: unknown[] = []
  let isBroken = true
  const store = async ({ name }: { name: string }) => {
    if (isBroken) throw new Error('the disk is full')
    stored.push(name)
  }
  const names = new ListedNames(store, (error) => errors.push(error))
  const person = { id: 'u-18', name: 'Bob Builder' }
  names.rename(person)
  await turn()
  t.match(errors, [{ message: 'the disk is full' }])
  isBroken = false
  names.rename(person)
  names.rename(person)
  await turn()
  t.strictSame([stored, errors.length], [['Bob Builder'], 1], 'once')
})

t.test(
  'a person who could not be recorded is recorded at the next visit, and anew once forgotten',
  async (t) => {
    const recorded: string[] = []
    const errors: unknown[] = []
    let isBroken = true
    let isKept = true
    const record = async ({ name }: { name: string }) => {
      if (isBroken) throw new Error('the disk is full')
      recorded.push(name)
    }
    const people = new SeenPeople(
      record,
      () => isKept,
      (error) => errors.push(error),
    )
    const visit = async (name = 'Bob Builder') => {
      people.see({ id: 'u-18', name })
      await turn()
    }
    await visit()
    t.match(errors, [{ message: 'the disk is full' }])
    isBroken = false
    await visit()
    await visit()
    t.strictSame([recorded, errors.length], [['Bob Builder'], 1], 'once')
    await visit('Bob the Builder')
    t.strictSame(recorded, ['Bob Builder', 'Bob the Builder'], 'a new name is recorded')
    isKept = false
    await visit('Bob the Builder')
    t.equal(recorded.length, 3, 'who was forgotten is recorded anew')
  },
)
