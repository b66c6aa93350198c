/** The people of imported boards: members, known people, or new ones. */
import t, { type Test } from 'tap'
import type { SharedDatabase } from '../../src/db/client.ts'
import { members, people } from '../../src/db/schema.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { rehearse } from '../../src/exchange/imports/import-plan.ts'
import { namedPeople } from '../../src/exchange/imports/named-people.ts'
import type { PeopleOptions } from '../../src/exchange/imports/settle-people.ts'
import type { SourceBoard } from '../../src/exchange/sources/source-board.ts'
import { personIn } from '../../src/exchange/sources/source-values.ts'
import { openTestDatabase } from '../database.ts'
import { importAtOnce } from './import-at-once.ts'
import { kanboardDatabase } from './kanboard-database.ts'
import { readAs, readFixture } from './readers.ts'

const ANN = { id: 'm-ann', name: 'Ann Smith', email: 'Ann@acme.example' }
const BOB = { id: 'm-bob', name: 'Bob Builder', email: 'bob@acme.example' }

/** The id of somebody whose id in the file holds an address. */
const NEW_ID = /^[0-9a-f-]{36}$/

/** A database with two members. */
function open(t: Test) {
  const db = openTestDatabase(t)
  db.insert(members).values([ANN, BOB]).run()
  return db
}

/** A table with one task for each assignee. */
const tasks = (...assignees: string[]) =>
  readAs('csv', ['Title\tAssignee', ...assignees.map((name, n) => `Task ${n}\t${name}`)].join('\n'))

/** Imports a board. @returns its people by name, and the ids in their records */
function imported(db: SharedDatabase, board: SourceBoard, options: PeopleOptions = {}) {
  const plan = planBoard(board, { again: true, ...options })
  importAtOnce(db, plan, null)
  const { projectId, people: settled = [], lines } = plan.result(false)
  const held = db.$client
    .prepare(
      'select assignee_id from kanban_items where project_id = ? and assignee_id is not null order by rowid',
    )
    .pluck()
    .all(projectId)
  return {
    who: Object.fromEntries(settled.map((one) => [one.name, [one.matched, one.memberId ?? one.id]])),
    held: [...new Set(held)],
    line: lines.find((line) => line.startsWith('people')),
    projectId,
  }
}

const rowsOf = (db: SharedDatabase) =>
  db.$client
    .prepare('select id, name, kind, source, source_id as sourceId, email from people order by id')
    .all()

const peopleOf = async (board: Promise<SourceBoard>) => {
  const { cards, people: known } = await board
  return namedPeople(cards, known)
}

t.test(
  'every format has the assignees, the authors of comments and the creators of attachments',
  async (t) => {
    const all = {
      trello: peopleOf(readFixture('trello', 'trello-board.json')),
      planka: peopleOf(readFixture('planka', 'planka-board.json')),
      kanboard: peopleOf(
        readAs('kanboard', kanboardDatabase("update users set email = 'joerg@example.test' where id = 2")),
      ),
      'kanboard, as CSV': peopleOf(readFixture('kanboard', 'kanboard-tasks.csv')),
      'jira, as CSV': peopleOf(readFixture('jira', 'jira.csv')),
      jira: peopleOf(readFixture('jira', 'jira-search.json')),
      github: peopleOf(readFixture('github', 'github-items.json')),
      'github, as a view': peopleOf(readFixture('github', 'github-view.tsv')),
      csv: peopleOf(readFixture('csv', 'tasks.csv')),
    }
    const told: Record<string, unknown> = {}
    for (const [format, found] of Object.entries(all)) {
      told[format] = (await found).map(({ id, name, email }) => [id, name, email])
    }
    t.matchOnly(told, {
      trello: [
        ['683eab805c0de50b0a4d0004', 'Priya Raman', ''],
        ['683c08805c0de50b0a4d0002', 'Amara Osei', ''],
        ['683d5a005c0de50b0a4d0003', 'Jonas Lindqvist', ''],
      ],
      planka: [
        ['102', 'Jörg Müller', ''],
        ['101', 'Åsa Öberg', ''],
      ],
      kanboard: [
        ['joerg', 'Jörg Müller', 'joerg@example.test'],
        ['asa', 'Åsa Öberg', 'asa@example.org'],
      ],
      'kanboard, as CSV': [['joerg', 'Jörg Müller', '']],
      'jira, as CSV': [
        ['712020:joerg', 'Jörg Müller', ''],
        ['712020:asa', 'Åsa Öberg', ''],
      ],
      jira: [
        ['712020:joerg', 'Jörg Müller', ''],
        ['712020:asa', 'Åsa Öberg', ''],
      ],
      github: [
        ['asa', 'asa', ''],
        ['joerg', 'joerg', ''],
      ],
      'github, as a view': [
        ['asa', 'asa', ''],
        ['joerg', 'joerg', ''],
      ],
      csv: [
        ['Jörg Müller', 'Jörg Müller', ''],
        ['Åsa Öberg', 'Åsa Öberg', ''],
      ],
    })
  },
)

t.test('a text names a person by name, email, or both', async (t) => {
  const told = (text: string) => {
    const { id, name, email } = personIn(text)
    t.equal(id, text)
    return [name, email]
  }
  t.strictSame(told('Ann Smith'), ['Ann Smith', ''])
  t.strictSame(told('ann@acme.example'), ['', 'ann@acme.example'])
  t.strictSame(told('Ann Smith <ann@acme.example>'), ['Ann Smith', 'ann@acme.example'])
  t.strictSame(told('Ann <Smith>'), ['Ann <Smith>', ''])
  t.strictSame(told('@ann'), ['@ann', ''])
  t.strictSame(told(`${'x'.repeat(300)}@acme.example`), [`${'x'.repeat(300)}@acme.example`, ''])
})

t.test("a person with a member's email is that member", async (t) => {
  const db = open(t)
  const board = await tasks('ann@acme.example', 'Bobby <BOB@acme.example>', 'Cleo', 'Bob Builder')
  const { who, held, line } = imported(db, board)
  t.strictSame(who, {
    ann: ['email', 'm-ann'],
    Bobby: ['email', 'm-bob'],
    Cleo: [null, 'Cleo'],
    'Bob Builder': [null, 'Bob Builder'],
  })
  t.strictSame(held, ['m-ann', 'm-bob', 'Cleo', 'Bob Builder'])
  t.equal(line, 'people 4 (2 found here: 2 by email; 2 without a member: Cleo, Bob Builder)')
  t.strictSame(rowsOf(db), [
    {
      id: 'Bob Builder',
      name: 'Bob Builder',
      kind: 'import',
      source: 'csv',
      sourceId: 'Bob Builder',
      email: null,
    },
    { id: 'Cleo', name: 'Cleo', kind: 'import', source: 'csv', sourceId: 'Cleo', email: null },
  ])
})

t.test('a table may have a column of emails, and two people with the same name', async (t) => {
  const db = open(t)
  const board = await readAs(
    'csv',
    'Name,Assignee,Assignee Email\na,Ann,ann@acme.example\nb,Ann,other@acme.example\nc,Ann,\nd,,bob@acme.example\ne,Dan,no email\n',
  )
  t.equal(board.cards[0]?.rest['Assignee Email'], 'ann@acme.example', 'it is kept beside')
  const { who, held } = imported(db, board)
  t.match(held, ['m-ann', NEW_ID, 'm-bob', 'Dan'])
  t.strictSame(who.bob, ['email', 'm-bob'])
  t.match(rowsOf(db), [
    { id: NEW_ID, name: 'Ann', sourceId: '', email: 'other@acme.example' },
    { id: 'Dan', email: null },
  ])
})

t.test('a name with a comma is one name if the table has exactly one email for it', async (t) => {
  const board = await readAs(
    'csv',
    `Name,Assignee,Assignee Email\na,"O'Brien, Sam ",sam@acme.example\nb,"Ann, Bob","ann@acme.example, bob@acme.example"\nc,"Cleo, Dan",no email\n`,
  )
  t.strictSame(
    board.cards.map(({ assignees, rest }) => [assignees, rest.Assignee]),
    [
      [["O'Brien, Sam"], undefined],
      [['Ann', 'Bob'], 'Ann, Bob'],
      [['Cleo', 'Dan'], 'Cleo, Dan'],
    ],
  )
  t.strictSame(board.people[0], { id: "O'Brien, Sam", name: "O'Brien, Sam", email: 'sam@acme.example' })
})

t.test('people with the same name are matched only if asked, and only if the name is unique', async (t) => {
  const db = open(t)
  db.insert(people)
    .values([
      { id: 'u-1', name: 'Cleo', kind: 'host' },
      { id: 'former', name: 'Finn', kind: 'member' },
    ])
    .run()
  const board = await tasks('bob  BUILDER', 'Cleo', 'Dan', 'Finn')
  const { who } = imported(db, board, { matchNames: true })
  t.strictSame(who, {
    'bob  BUILDER': ['name', 'm-bob'],
    Cleo: ['name', 'u-1'],
    Dan: [null, 'Dan'],
    Finn: [null, 'Finn'],
  })
  db.insert(members).values({ id: 'm-bob-2', name: 'Bob Builder', email: 'bob2@acme.example' }).run()
  t.strictSame(imported(db, await tasks('Bob Builder'), { matchNames: true }).who['Bob Builder'], [
    null,
    'Bob Builder',
  ])
  const twice = await tasks('Ann Smith', 'Ann Smith <as@other.example>')
  const { held } = imported(db, twice, { matchNames: true })
  t.match(held, ['Ann Smith', NEW_ID], 'nor where two of the board have it')
})

t.test('people can be mapped by hand: from id, name or email to id or email', async (t) => {
  const db = open(t)
  db.insert(people).values({ id: 'u-1', name: 'Cleo', kind: 'host', email: 'cleo@host.example' }).run()
  const board = await tasks('Dan', 'E=mc²', 'f@x.example', 'ann@acme.example')
  const map = [
    { from: 'dan', to: 'BOB@acme.example' },
    { from: 'E=mc²', to: 'm-ann' },
    { from: 'F@x.example', to: 'cleo@host.example' },
    { from: 'csv:ann@acme.example', to: 'u-1' },
  ]
  const { held, line } = imported(db, board, { map })
  t.strictSame(held, ['m-bob', 'm-ann', 'u-1'])
  t.equal(line, 'people 4 (4 found here: 4 by map)')
  const refused = (mapping: { from: string; to: string }, message: string, of = board) =>
    t.throws(() => imported(db, of, { map: [mapping] }), { message })
  refused({ from: 'Gus', to: 'm-ann' }, 'the board has no person with the id, name or email "Gus"')
  refused({ from: 'Dan', to: 'gus' }, 'no person here has the id or email "gus"')
  refused(
    { from: 'Ann', to: 'm-ann' },
    'the board names 2 people "Ann": name one by id, Ann <a@x.example> or Ann <b@x.example>',
    await tasks('Ann <a@x.example>', 'Ann <b@x.example>'),
  )
})

t.test(
  'an id that is already taken gets a prefix of the format, and is the same in later imports',
  async (t) => {
    const db = open(t)
    db.insert(people)
      .values([
        { id: 'Cleo', name: 'Cleo of the host', kind: 'host' },
        { id: 'csv:m-ann', name: 'Somebody', kind: 'host' },
        { id: 'csv:m-ann:2', name: 'Somebody else', kind: 'host' },
      ])
      .run()
    const board = await tasks('m-ann', 'Cleo', 'Dan', 'unknown')
    const first = imported(db, board)
    t.strictSame(
      first.held,
      ['csv:m-ann:3', 'csv:Cleo', 'Dan', 'csv:unknown'],
      'no file can make a member the author of anything',
    )
    const second = imported(db, board)
    t.strictSame(second.held, first.held)
    t.equal(rowsOf(db).length, 7)
    const other = await readFixture('github', 'github-items.json')
    for (const card of other.cards) card.assignees = ['Dan']
    t.strictSame(imported(db, other).held, ['github:Dan'], 'two tools may call two people the same')
  },
)

t.test('a person merged after an earlier import stays merged', async (t) => {
  const db = open(t)
  imported(db, await tasks('Cleo'))
  db.$client.exec("update people set merged_into = 'm-bob' where id = 'Cleo'")
  t.strictSame(imported(db, await tasks('Cleo')).who, { Cleo: ['map', 'm-bob'] })
  db.$client.exec("update people set merged_into = 'Cleo' where id = 'Cleo'")
  t.strictSame(
    imported(db, await tasks('Cleo')).who,
    { Cleo: [null, 'Cleo'] },
    'also where another tool has made a circle',
  )
})

t.test('ids in a table exported by Phaseboard are people of this service', async (t) => {
  const db = open(t)
  const header =
    'id,title,description,column,priority,assigneeId,dueDate,labels,subtasks,source,createdAt,updatedAt,dismissed'
  const row = (id: string, assignee: string) => `${id},T,,Done,high,${assignee},,,,manual,,,false`
  const own = await readAs('csv', `${header}\n${row('1', 'm-ann')}\n${row('2', 'm-gone')}\n`)
  const { who, held } = imported(db, own)
  t.strictSame(who, { 'm-ann': ['id', 'm-ann'], 'm-gone': [null, 'm-gone'] })
  t.strictSame(held, ['m-ann', 'm-gone'])

  const named = await readAs(
    'csv',
    `${header},assignee\n${row('3', 'm-gone')},Gone Girl <ann@acme.example>\n${row('4', '')},\n`,
  )
  t.strictSame(
    named.people.map(({ id, name, email }) => [id, name, email]),
    [['m-gone', 'Gone Girl <ann@acme.example>', '']],
    'and the table says what others are called',
  )
  t.strictSame(
    named.cards.map(({ assignees, rest }) => [assignees[0] ?? null, 'assignee' in rest]),
    [
      ['m-gone', false],
      [null, false],
    ],
  )
})

t.test('the project stores how people were matched', async (t) => {
  const db = open(t)
  const { projectId } = imported(db, await tasks('ann@acme.example', 'Cleo'))
  const { metadata } = db.$client.prepare('select metadata from projects where id = ?').get(projectId) as {
    metadata: string
  }
  t.strictSame(JSON.parse(metadata).csv.people, [{ name: 'ann', memberId: 'm-ann' }])
  const many = await tasks(...Array.from({ length: 1200 }, (_, n) => `Person of a rather long name ${n}`))
  const map = many.cards.map(({ assignees }) => ({ from: String(assignees[0]), to: 'm-ann' }))
  const large = imported(db, many, { map })
  const row = db.$client.prepare('select metadata from projects where id = ?').get(large.projectId) as {
    metadata: string
  }
  t.notOk(JSON.parse(row.metadata).csv.people, 'unless that is too much')
  t.strictSame(large.held, ['m-ann'])
})

t.test(
  'a person whose id in the file holds an address is the same in later imports, also once merged',
  async (t) => {
    const db = open(t)
    const odd = 'dan@a.example|dan@b.example'
    const first = imported(db, await tasks('cleo@acme.example', 'Cleo <CLEO@acme.example>', odd))
    t.match(first.held, [NEW_ID, NEW_ID])
    t.equal(first.held.length, 2)
    const again = await tasks('Cleo@Acme.example', odd)
    t.strictSame(imported(db, again).held, first.held)
    const history = JSON.stringify(db.$client.prepare("select * from changes where kind <> 'member'").all())
    t.notOk(history.includes('.example'))
    db.$client.prepare("update people set merged_into = 'm-bob' where id = ?").run(first.held[0])
    t.strictSame(imported(db, again).held, ['m-bob', first.held[1]])
    const { people: dry } = rehearse(db, planBoard(await tasks('eve@acme.example'), { again: true }))
    t.match(dry, [{ id: 'eve@acme.example', name: 'eve', memberId: null }], 'a dry run says what `map` takes')
  },
)

t.test('a dry run reports the same people, and creates nobody', async (t) => {
  const db = open(t)
  const plan = planBoard(await tasks('ann@acme.example', 'Cleo'))
  const { people: settled, lines } = rehearse(db, plan)
  t.match(settled, [
    { id: 'ann@acme.example', matched: 'email', memberId: 'm-ann', items: 1, comments: 0 },
    { id: 'Cleo', matched: null, memberId: null, items: 1, comments: 0 },
  ])
  t.ok(lines.includes('people 2 (1 found here: 1 by email; 1 without a member: Cleo)'))
  t.strictSame(rowsOf(db), [])
})

t.test('a board with too many people is refused', async (t) => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`)
  const db = open(t)
  const most = planBoard(await tasks(...names(10_000)))
  const { people: settled, counts, lines } = rehearse(db, most)
  t.equal(settled?.length, 500)
  t.equal(counts.people, 10_000)
  t.match(
    lines.find((line) => line.startsWith('people')),
    /: p0, .*, p9, and 9990 more\)$/,
  )
  const more = await tasks(...names(10_001))
  t.throws(() => planBoard(more), { message: 'it names 10001 people, and a board may name 10000' })
})
