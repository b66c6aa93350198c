/** Boards to import, of every format. */
import fc from 'fast-check'
import type { SourceBoard } from '../../src/exchange/sources/source-board.ts'
import { trelloBoardIn } from '../../src/exchange/sources/trello.ts'
import { toSourceBoard } from '../../src/exchange/sources/trello-board.ts'

const AT = '2026-01-31T00:00:00.000Z'

const name = fc.oneof(
  fc.constantFrom('To do', 'Done', '', ' ', 'x'.repeat(300)),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.toWellFormed()),
)
const color = fc.constantFrom('', '#00ff00')
const rest = fc.dictionary(
  fc.constantFrom('cover', 'badges', 'name'),
  fc.oneof(fc.integer(), fc.string({ maxLength: 5 }), fc.constant('y'.repeat(70_000))),
  { maxKeys: 2 },
)
const dates = { createdAt: fc.constant(AT), updatedAt: fc.constant('2026-02-01T00:00:00.000Z') }
const createdAt = fc.constant(AT)

/** An arbitrary board of a few cards, as importers may produce it. */
export const anyBoard: fc.Arbitrary<SourceBoard> = fc
  .record({
    columns: fc.array(fc.record({ name, color, wipLimit: fc.nat(3), createdAt }), { maxLength: 3 }),
    labels: fc.array(fc.record({ name, color, createdAt }), { maxLength: 3 }),
  })
  .chain(({ columns, labels }) =>
    fc.record({
      format: fc.constantFrom('trello', 'csv'),
      id: fc.uuid(),
      name,
      description: fc.string({ maxLength: 20 }),
      archived: fc.boolean(),
      ...dates,
      columns: fc.constant(columns),
      labels: fc.constant(labels),
      people: fc.constantFrom([], [{ id: 'ada', name: 'Ada Lovelace', email: '' }]),
      rest,
      notes: fc.constant(['unreadable due dates 3']),
      cards: fc.array(
        fc.record({
          id: fc.string({ minLength: 1, maxLength: 5 }),
          title: name,
          description: fc.string({ maxLength: 20 }),
          column: fc.constantFrom(undefined, ...columns),
          position: fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }),
          priority: fc.constantFrom('', 'high'),
          assignees: fc.subarray(['ada', 'bob']),
          dueDate: fc.option(fc.constant(AT), { nil: null }),
          dismissed: fc.boolean(),
          labels: fc.subarray(labels),
          subtasks: fc.array(fc.record({ title: name, completed: fc.boolean(), createdAt }), {
            maxLength: 3,
          }),
          comments: fc.array(
            fc.record({
              authorId: fc.constant('bob'),
              text: fc.string({ minLength: 1, maxLength: 20 }),
              createdAt,
              editedAt: fc.option(fc.constant(AT), { nil: null }),
            }),
            { maxLength: 3 },
          ),
          attachments: fc.array(
            fc.record({
              name,
              url: fc.constantFrom('https://example.org/a', 'https://example.org/b c', 'javascript:0', ''),
              creatorId: fc.option(fc.constantFrom('ada', 'cleo'), { nil: null }),
              createdAt,
              field: fc.constant('attachments'),
              whole: fc.constant({ id: 'x' }),
            }),
            { maxLength: 3 },
          ),
          rest,
          ...dates,
        }),
        { maxLength: 6 },
      ),
    }),
  )

/** A Trello export with a given number of everything. Each title and text contains the word. */
export const trelloExport = (cards: number, word: string): string => {
  const all = Array.from({ length: cards }, (_, n) => n)
  return JSON.stringify({
    id: `board of ${word}`,
    name: `Board of ${word}`,
    lists: [{ id: 'l', name: `List ${word}`, pos: 1 }],
    labels: [{ id: 'label', name: `Label ${word}`, color: 'red' }],
    cards: all.map((n) => ({ id: `c${n}`, name: `${word} ${n}`, idList: 'l', pos: n, idLabels: ['label'] })),
    checklists: all.map((n) => ({
      id: `k${n}`,
      idCard: `c${n}`,
      checkItems: [{ id: `e${n}`, name: `${word} step`, state: 'complete' }],
    })),
    actions: all.map((n) => ({
      type: 'commentCard',
      idMemberCreator: 'm',
      date: AT,
      data: { text: `${word} is said`, card: { id: `c${n}` } },
    })),
  })
}

/** The same, read. */
export const trelloSource = (cards: number, word: string): SourceBoard =>
  toSourceBoard(trelloBoardIn(JSON.parse(trelloExport(cards, word))))
