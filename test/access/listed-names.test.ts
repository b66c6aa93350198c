import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { ListedNames } from '../../src/access/host-people.ts'

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
