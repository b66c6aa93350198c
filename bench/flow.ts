/**
 * `npm run bench:flow`: the processor time of computing the flow of a large board, compared to listing the same items. Both run
 * in this process on one connection, without network or another thread.
 */
import { join } from 'node:path'
import { openDatabase, writeAs } from '../src/db/client.ts'
import { randomOf } from '../src/flow/forecast.ts'
import { createRules } from '../src/requests/rules.ts'
import { show, showRatio } from './format.ts'
import { describeMachine } from './machine.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'

commandLine('bench:flow', 'Compares the flow of a large board with a list of its items.').parse()

const ITEMS = sized(20_000, 500)
const DAYS = 1095
const ROUNDS = sized(10, 1)
const DAY = 86_400_000
const COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

const folder = makeFolder()
const { db, close } = openDatabase(`file:${join(folder, 'flow.db')}`)
const rules = createRules(db)
const { $client: client } = db
const now = Date.now()

/** A board whose items have moved through the columns for three years. The writes are in chronological order. */
function seed(): string {
  const next = randomOf('bench')
  const random = () => next() / 2 ** 32
  const at = (time: number) => new Date(time).toISOString()
  const { id: project } = writeAs(db, 'ada', () => rules.projects.create({ name: 'Large' })).value
  const insert = client.prepare(
    `insert into kanban_items (id, project_id, title, description, sort_order, created_at, updated_at)
    values (?, ?, ?, printf('%.*c', 300, 'x'), ?, ?, ?)`,
  )
  const move = client.prepare('update kanban_items set "column" = ?, updated_at = ? where id = ?')
  const enter = client.prepare(
    `insert into kanban_activity (id, item_id, type, metadata, created_at)
    values (printf('entry %09d', ?), ?, 'status_change', json_object('from', ?, 'to', ?), ?)`,
  )
  writeAs(db, 'ada', () => {
    const moves: { time: number; item: string; from: string; to: string }[] = []
    for (let index = 0; index < ITEMS; index++) {
      let time = now - random() * DAYS * DAY
      const item = `item ${String(index).padStart(6, '0')}`
      insert.run(item, project, `Item number ${index}`, index, at(time), at(time))
      for (let step = 1; step < COLUMNS.length; step++) {
        time += random() * 10 * DAY
        if (time < now)
          moves.push({ time, item, from: COLUMNS[step - 1] as string, to: COLUMNS[step] as string })
      }
    }
    moves.sort((a, b) => a.time - b.time)
    for (const [index, { time, item, from, to }] of moves.entries()) {
      move.run(to, at(time), item)
      enter.run(index, item, from, to, at(time))
    }
  })
  while (writeAs(db, null, () => rules.changes.subjects.index(10_000)).value > 0);
  return project
}

/** The best of several rounds, in milliseconds, because other load can only make it slower. */
function cpuOf(work: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...rounds)
}

const ADA = { id: 'ada', role: 'member' }
const project = seed()
const from = new Date(now - DAYS * DAY).toISOString()
const list = cpuOf(() => rules.board.itemLists.ofProject(project, {}, { memberId: 'ada', isStrict: false }))
const whole = cpuOf(() => rules.flow.ofProject(project, { from }, ADA))
const recent = cpuOf(() => rules.flow.ofProject(project, {}, ADA))
const entries = client.prepare('select count(*) from kanban_activity').pluck().get() as number
close()
const { cpu, cores, node } = describeMachine(folder)
console.log(`# What the flow of a board costs

${cpu}, ${cores} cores, Node ${node}. ${show(ITEMS)} items with ${show(entries)} moves in three years; processor time, the best of ${ROUNDS} rounds.

| | ms | of the list |
|---|---|---|
| all items as a list | ${show(list)} | |
| flow of three years | ${show(whole)} | ${showRatio(whole / list)} |
| flow of 90 days | ${show(recent)} | ${showRatio(recent / list)} |`)
