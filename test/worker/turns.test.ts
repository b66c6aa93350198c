import t from 'tap'
import { Turns } from '../../src/worker/turns.ts'

t.test('members take turns, and each has its own order', async (t) => {
  const turns = new Turns<string>()
  for (const task of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) turns.add(task[0] as string, task)
  turns.add(null, 'nobody')
  t.equal(turns.size, 8)
  t.strictSame([turns.of('a'), turns.of('b'), turns.of(null), turns.of('d')], [4, 2, 1, 0])
  const next = (count: number) => Array.from({ length: count }, () => turns.next())
  t.strictSame(next(4), ['a1', 'b1', 'c1', 'nobody'])
  // A later task is behind all waiting ones, but not behind all of their parts.
  turns.add('d', 'd1')
  t.strictSame(next(5), ['a2', 'b2', 'd1', 'a3', 'a4'])
  t.strictSame([turns.next(), turns.size], [undefined, 0])
})

t.test('all tasks can be removed at once', async (t) => {
  const turns = new Turns<string>()
  for (const task of ['a1', 'b1', 'a2']) turns.add(task[0] as string, task)
  t.strictSame(turns.clear(), ['a1', 'a2', 'b1'])
  t.strictSame([turns.size, turns.of('a'), turns.next()], [0, 0, undefined])
})

t.test('a task can be removed before its turn', async (t) => {
  const turns = new Turns<string>()
  for (const task of ['a1', 'a2', 'b1']) turns.add(task[0] as string, task)
  turns.remove('a', 'a1')
  turns.remove('a', 'a1')
  turns.remove('b', 'b1')
  turns.remove('c', 'c1')
  t.strictSame([turns.size, turns.of('a'), turns.of('b')], [1, 1, 0])
  t.strictSame([turns.next(), turns.next(), turns.size], ['a2', undefined, 0])
})
