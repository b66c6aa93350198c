/** Moves in activity entries, including invalid ones by other tools. */
import t from 'tap'
import { movesIn, movesOf } from '../../src/flow/moves.ts'
import { openTestDatabase } from '../database.ts'

const at = (hour: number) => `2026-03-02T${String(hour).padStart(2, '0')}:00:00.000Z`
const time = (hour: number) => Date.parse(at(hour))
const way = (from: string, to: string) => JSON.stringify({ from, to })

/** An entry: the rowid of its item, its time, and its metadata. */
type Entry = readonly [row: number, at: string, metadata: string | null]

const movesAmong = (entries: readonly Entry[]) => {
  const [rows, times, metadata] = [0, 1, 2].map((place) =>
    JSON.stringify(entries.map((entry) => entry[place])),
  )
  return movesOf({ rows, times, metadata } as Parameters<typeof movesOf>[0])
}

t.test('the moves of an item, in order of time', async (t) => {
  const moves = movesAmong([
    [7, at(9), way('Doing', 'Done')],
    [8, at(8), way('To Do', 'Doing')],
    [7, at(7), way('To Do', 'Doing')],
  ])
  t.strictSame(moves.get(7), [
    { at: time(7), from: 'To Do', to: 'Doing' },
    { at: time(9), from: 'Doing', to: 'Done' },
  ])
  t.strictSame(moves.get(8), [{ at: time(8), from: 'To Do', to: 'Doing' }])
  t.strictSame(moves.get(9), undefined)
  t.strictSame(movesAmong([]).get(7), undefined)
})

t.test('changes without a move are skipped', async (t) => {
  const odd = ['', null, 'no JSON', 'null', '[]', '{}', way('', 'Done'), '{"from":1,"to":"Done"}']
  const moves = movesAmong([
    ...odd.map((metadata): Entry => [7, at(9), metadata]),
    [7, 'some day', way('a', 'b')],
    [7, at(8), way('To Do', 'Done')],
  ])
  t.strictSame(moves.get(7), [{ at: time(8), from: 'To Do', to: 'Done' }])
})

t.test('each move is found, even beyond the size of the cache', async (t) => {
  const hours = Array.from({ length: 1500 }, (_, index) => index)
  const moves = movesAmong(hours.map((index) => [index, at(7), way(`From ${index}`, 'Done')]))
  t.strictSame(
    hours.map((index) => moves.get(index)?.[0]?.from),
    hours.map((index) => `From ${index}`),
  )
})

t.test('invalid rows of other tools do not hide the moves beside them', async (t) => {
  const db = openTestDatabase(t)
  db.$client.exec(`insert into projects (id, name) values ('project', 'Apollo');
    insert into kanban_items (id, project_id, title) values ('kept', 'project', 'Kept'), ('odd', 'project', 'Odd');`)
  const rowOf = db.$client.prepare<[string], number>('select rowid from kanban_items where id = ?').pluck()
  const enter = db.$client.prepare(
    "insert into kanban_activity (id, item_id, type, metadata, created_at) values (?, ?, 'status_change', ?, ?)",
  )
  enter.run('before', 'kept', way('To Do', 'Doing'), at(7))
  const odd = [
    'a\u001eb',
    '\u001e',
    '\u001f',
    '\u001e\u001f\u001e',
    'a\0b',
    '"',
    Buffer.from([0xff, 0x00]),
    null,
  ]
  for (const [index, value] of odd.entries()) {
    enter.run(`metadata ${index}`, 'odd', value, at(8))
    enter.run(`time ${index}`, 'odd', way('To Do', 'Done'), value ?? 'none')
  }
  enter.run('after', 'kept', Buffer.from(way('Doing', 'Done')), at(9))
  const { ofProject, ofItems } = movesIn(db)
  for (const moves of [ofProject('project'), ofItems('["odd", "kept"]')]) {
    t.strictSame(moves.get(rowOf.get('kept') as number), [
      { at: time(7), from: 'To Do', to: 'Doing' },
      { at: time(9), from: 'Doing', to: 'Done' },
    ])
    t.equal(moves.get(rowOf.get('odd') as number), undefined)
  }
})
