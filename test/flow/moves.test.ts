/** Moves in one text, also where another tool has written what no move is. */
import t from 'tap'
import { Moves } from '../../src/flow/moves.ts'

const at = (hour: number) => `2026-03-02T${String(hour).padStart(2, '0')}:00:00.000Z`
const time = (hour: number) => Date.parse(at(hour))
const move = (row: number, hour: number, metadata: string) => [row, at(hour), metadata].join('\u001f')
const way = (from: string, to: string) => JSON.stringify({ from, to })

t.test('the moves of an item, in order of time', async (t) => {
  const moves = new Moves(
    [
      move(7, 9, way('Doing', 'Done')),
      move(8, 8, way('To Do', 'Doing')),
      move(7, 7, way('To Do', 'Doing')),
    ].join('\u001e'),
  )
  t.strictSame(moves.of(7), [
    { at: time(7), from: 'To Do', to: 'Doing' },
    { at: time(9), from: 'Doing', to: 'Done' },
  ])
  t.strictSame(moves.of(8), [{ at: time(8), from: 'To Do', to: 'Doing' }])
  t.strictSame(moves.of(9), [])
  t.strictSame(new Moves('').of(7), [])
})

t.test('what is no move is passed over', async (t) => {
  const odd = ['', 'no JSON', 'null', '[]', '{}', way('', 'Done'), '{"from":1,"to":"Done"}']
  const texts = [
    ...odd.map((metadata) => move(7, 9, metadata)),
    ['7', 'some day', way('a', 'b')].join('\u001f'),
  ]
  const moves = new Moves([...texts, move(7, 8, way('To Do', 'Done'))].join('\u001e'))
  t.strictSame(moves.of(7), [{ at: time(8), from: 'To Do', to: 'Done' }])
})

t.test('separators in what another tool has written come to an end, wherever they are', async (t) => {
  for (const metadata of ['a\u001eb', '\u001e', '\u001f', '\u001e\u001f\u001e', '7\u001e\u001f']) {
    const kept = move(8, 8, way('To Do', 'Done'))
    for (const texts of [
      [move(7, 9, metadata)],
      [move(7, 9, metadata), kept],
      [kept, move(7, 9, metadata)],
    ]) {
      const moves = new Moves(texts.join('\u001e'))
      t.strictSame(moves.of(7), [])
      if (texts[0] === kept) t.equal(moves.of(8).length, 1)
    }
  }
})
