import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { FORMATS } from '../../src/exchange/sources/formats.ts'
import { kanboardDatabase } from './kanboard-database.ts'
import { readAs, refusal } from './readers.ts'

/** Files of all formats, which are then damaged. */
const files: [string, Buffer][] = [
  ...readdirSync('test/fixtures')
    .filter((name) => /\.(json|csv|tsv)$/.test(name) && name !== 'trello-board.json')
    .map((name): [string, Buffer] => [name, readFileSync(`test/fixtures/${name}`)]),
  ['db.sqlite', kanboardDatabase()],
]

/** Replacements for bytes. */
const scraps = [
  '',
  '"',
  '""',
  ',',
  '\t',
  ';',
  '\n',
  '\0',
  '{',
  '}',
  '[',
  ']',
  'null',
  '1e999',
  '-1',
  '\\u0000',
  '__proto__',
  '\ud800',
  'ü',
  '0|',
  'T25:61',
]

t.test('a damaged file is read, or refused in one line', async (t) => {
  const change = fc.record({
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    scrap: fc.constantFrom(...scraps),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      // Any other format refuses it at once.
      fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constantFrom(...Object.keys(FORMATS))),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async ([, bytes], format, changes) => {
        let damaged = bytes
        for (const { place, length, scrap } of changes) {
          const at = Math.floor(place * damaged.length)
          damaged = Buffer.concat([
            damaged.subarray(0, at),
            Buffer.from(scrap),
            damaged.subarray(at + length),
          ])
        }
        const board = await readAs(format, damaged).catch(() => undefined)
        if (board === undefined) await refusal(format, damaged)
        else JSON.stringify(board)
      },
    ),
    { numRuns: 400 },
  )
  t.pass('none did worse')
})

t.test('values of any type are read', async (t) => {
  const json = fc.jsonValue({ maxDepth: 2 })
  const thing = fc.dictionary(
    fc.constantFrom(
      'id',
      'name',
      'cardId',
      'listId',
      'position',
      'data',
      'type',
      'labelId',
      'createdAt',
      'key',
      'fields',
      'content',
      'status',
    ),
    json,
  )
  const things = fc.array(thing, { maxLength: 4 })
  const planka = fc.record({
    item: thing,
    included: fc.record({
      lists: things,
      cards: things,
      tasks: things,
      taskLists: things,
      cardLabels: things,
      labels: things,
      actions: things,
      customFieldValues: things,
    }),
  })
  const fields = fc.dictionary(
    fc.constantFrom(
      'summary',
      'status',
      'issuetype',
      'parent',
      'comment',
      'labels',
      'assignee',
      'priority',
      'description',
      'created',
      'project',
      'customfield_1',
    ),
    fc.oneof(json, thing),
  )
  const jira = fc.record({
    issues: fc.array(fc.record({ key: fc.string(), fields }), { maxLength: 3 }),
    names: json,
  })
  const github = fc.record({
    items: fc.array(
      fc.record({ content: json, status: json, labels: json, assignees: json, 'due date': json }),
      { minLength: 1, maxLength: 3 },
    ),
    fields: json,
  })
  const wekan = fc.record({
    swimlanes: things,
    lists: things,
    cards: fc.array(
      fc.dictionary(
        fc.constantFrom(
          '_id',
          'title',
          'listId',
          'swimlaneId',
          'members',
          'labelIds',
          'parentId',
          'customFields',
          'dueAt',
        ),
        fc.oneof(json, things),
      ),
      { maxLength: 4 },
    ),
    checklists: things,
    checklistItems: things,
    comments: things,
    users: things,
    customFields: things,
  })
  const deck = fc
    .record({ title: json, stacks: fc.oneof(json, things), labels: json, users: json })
    .map((board) => ({
      boards: { 1: { ...board, stacks: [{ title: 'A', cards: board.stacks }, board.stacks] } },
    }))
  const task = fc.dictionary(
    fc.constantFrom(
      'id',
      'title',
      'assignees',
      'labels',
      'related_tasks',
      'comments',
      'done',
      'due_date',
      'priority',
      'attachments',
    ),
    fc.oneof(json, things),
  )
  const vikunja = fc
    .record({ tasks: fc.array(task, { maxLength: 3 }), buckets: fc.oneof(json, things), views: json })
    .map((project) => [project])
  for (const [format, arbitrary] of Object.entries({ planka, jira, github, wekan, deck, vikunja })) {
    await fc.assert(
      fc.asyncProperty(arbitrary as fc.Arbitrary<object>, async (value) => {
        const board = await readAs(format, JSON.stringify(value))
        for (const card of board.cards) {
          if (typeof card.title !== 'string' || typeof card.id !== 'string') throw new Error('no text')
          if (!/^\d{4}-.*Z$/.test(card.createdAt)) throw new Error(`no time: ${card.createdAt}`)
        }
      }),
      { numRuns: 100 },
    )
    t.pass(format)
  }
})
