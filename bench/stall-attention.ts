/** The rows of notifications: writes that concern hundreds of watchers. */
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import type { SharedDatabase } from '../src/db/client.ts'
import { change, idsOf } from './stall-data.ts'
import { ITEMS_PATH, type Row, type Situation } from './stall-rows.ts'

const ITEMS =
  'select id from kanban_items where project_id = (select min(id) from projects) order by id limit ?'

/** The time limit for the notifications, in milliseconds: less than that of a row, whose file is removed then. */
const STORING = 50_000

/** Members with a mail for each notification, and a consumer without backlog. */
function addMembers(db: SharedDatabase, count: number): void {
  change(
    db,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
    insert into members (id, name, email, handle) select 'm' || i, 'm' || i, i || '@watch.test', 'w' || i from n`,
    count,
  )
  change(
    db,
    "insert into member_preferences (member_id, email) select id, 'each' from members where id like 'm%'",
  )
  change(db, "insert or replace into consumers (name, after) select 'notifications', max(seq) from changes")
}

/** Moves items of one project in one write, and waits until all watchers are notified. */
const moving = (items: number, members: number, prepare: (db: SharedDatabase) => void): Row => ({
  title: '',
  data: 'board',
  prepare: (db) => {
    addMembers(db, members)
    prepare(db)
  },
  run: async ({ client, file }: Situation) => {
    const reader = new SQLite(file, { readonly: true })
    try {
      const ids = reader.prepare<[number], string>(ITEMS).pluck().all(items)
      const start = performance.now()
      const update = { column: 'Elsewhere' }
      await client.send('PATCH', ITEMS_PATH, { ids, update })
      const stored = reader.prepare<[], number>('select count(*) from notifications').pluck()
      while (Number(stored.get()) < members) {
        if (performance.now() - start > STORING)
          throw new Error(`only ${stored.get()} of ${members} were notified within ${STORING / 1000} s`)
        await sleep(100)
      }
      const time = Math.round(performance.now() - start)
      const mails = reader.prepare<[], number>('select count(*) from mails').pluck().get()
      return `${ids.length} items; ${stored.get()} were stored after ${time} ms, ${mails} mails are due`
    } finally {
      reader.close()
    }
  },
})

/** The rows. */
export const ATTENTION: Record<string, Row> = {
  'watched-items': {
    ...moving(500, 200, (db) => {
      const watch = db.$client.prepare(
        "insert into item_watches (item_id, member_id) select ?, id from members where id like 'm%' limit 200",
      )
      for (const id of idsOf(db, ITEMS, 500)) watch.run(id)
    }),
    title: 'move 500 items, each watched by 200 members',
  },
  'watched-board': {
    ...moving(200, 1000, (db) => {
      change(
        db,
        `insert into project_watches (project_id, member_id)
        select (select min(id) from projects), id from members where id like 'm%'`,
      )
    }),
    title: 'move 200 items of a board that 1,000 members watch',
  },
}
