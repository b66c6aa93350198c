import t from 'tap'
import { kanbanItems, people, projects } from '../../src/db/schema.ts'
import { onFile } from '../command-line.ts'

t.test('the command lists, maps and forgets people', async (t) => {
  const { command, db, insert } = onFile(t)
  insert({ id: 'ada', name: 'Ada Lovelace', email: 'ada@example.test', role: 'admin' })
  const row = { kind: 'import', source: 'trello' } as const
  db.insert(people)
    .values([
      { ...row, id: 'p-1', name: 'Ada (Trello)', sourceId: 'ada1' },
      { ...row, id: 'p-2', name: 'Bob', sourceId: 'bob1' },
      { id: 'u-18', name: 'Bob', kind: 'host' },
    ])
    .run()
  db.insert(projects).values({ id: 'project', name: 'Apollo' }).run()
  db.insert(kanbanItems).values({ id: 'card', projectId: 'project', title: 'Card', assigneeId: 'p-1' }).run()

  const list = await command(['people', 'list'])
  t.strictSame(
    list.stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    [
      ['p-1', 'import', 'trello', 'Ada (Trello)'],
      ['ada', 'member', '-', 'Ada Lovelace'],
      ['p-2', 'import', 'trello', 'Bob'],
      ['u-18', 'host', '-', 'Bob'],
    ],
  )

  const twice = await command(['people', 'map', 'Bob', 'ada'])
  t.match(twice, { code: 1, stderr: /2 people are called Bob: give the id/ })
  t.match(await command(['people', 'map', 'nobody', 'ada']), { code: 1, stderr: /Person not found: nobody/ })
  t.match(await command(['people', 'map', 'ada', 'p-1']), { code: 1, stderr: /delete the member first/ })

  const mapped = await command(['people', 'map', 'Ada (Trello)', 'ADA@example.test'])
  t.match(mapped, { code: 0, stdout: /Ada \(Trello\) is Ada Lovelace \(ada\) now\n1 card, 0 leads,/ })
  t.match(db.select().from(kanbanItems).all(), [{ assigneeId: 'ada' }])

  t.match(await command(['people', 'forget', 'u-18']), { code: 0, stdout: 'u-18 is forgotten\n' })
  t.notMatch((await command(['people', 'list'])).stdout, 'u-18')
})
