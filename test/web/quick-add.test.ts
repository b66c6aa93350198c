/** The tokens of typed cards, by rule. */
import t from 'tap'
import type { KanbanLabel } from '../../src/client/api.d.ts'
import { mentionsIn, readCards, typingAt } from '../../web/board/quick-add.ts'
import { parseDate } from '../../web/common/date-words.ts'
import { laterEnglish } from '../../web/later-texts.ts'

const label = (id: string, name: string) => ({ id, name }) as KanbanLabel
const LABELS = [label('d', 'Design'), label('ds', 'Design system'), label('c', 'C++')]
const PEOPLE = [
  { id: 'maria', name: 'Maria Santos' },
  { id: 'jo', name: 'Jo Berg' },
  { id: 'jo2', name: 'Jo Hansen' },
  { id: 'imported', name: 'Priya Raman', kind: 'import' },
  { id: 'priya', name: 'Priya Raman', kind: 'member' },
]
const isText = new Set<string>()

const read = (text: string) =>
  readCards(text, {
    labels: LABELS,
    peopleOf: (word) => PEOPLE.filter(({ name }) => name.toLowerCase().includes(word)),
    dateOf: (date) =>
      parseDate(date, { now: new Date(2026, 10, 25), words: laterEnglish.dates.words, locales: ['en'] }),
    isText: (token) => isText.has(token),
  })

/** A card as one line: its title, and what its tokens mean. */
const cardsOf = (text: string) =>
  read(text).cards.map(({ title, labels, fields }) =>
    [
      title,
      ...labels.map(({ id }) => `#${id}`),
      fields.assigneeIds?.join('+'),
      fields.priority,
      fields.dueDate,
    ]
      .filter(Boolean)
      .join(' | '),
  )

t.test('tokens are read, and the rest is the title', async (t) => {
  t.strictSame(cardsOf('Call @Maria Santos about the logo #design !high due:fri'), [
    'Call about the logo | #d | maria | high | 2026-11-27T00:00:00.000Z',
  ])
  t.strictSame(cardsOf('@maria plan'), ['plan | maria'], 'the only one with this first name')
  t.strictSame(cardsOf('@jo plan'), ['@jo plan'], 'which of the two?')
  t.strictSame(cardsOf('@Jo Hansen plan'), ['plan | jo2'])
  t.strictSame(
    cardsOf('@priya plan\n@Priya Raman plan'),
    ['plan | priya', 'plan | priya'],
    'the member of two with one name',
  )
  t.strictSame(cardsOf('x #Design system y'), ['x y | #ds'], 'the longest name')
  t.strictSame(cardsOf('x #Design systems'), ['x systems | #d'])
  t.strictSame(cardsOf('Fix #c++ !LOW DUE:2027-01-02'), ['Fix | #c | low | 2027-01-02T00:00:00.000Z'])
  t.strictSame(cardsOf('a #design #c++ #design'), ['a #design | #d | #c'], 'a label once')
  t.strictSame(
    cardsOf('a @Jo Hansen @maria @Jo Hansen'),
    ['a @Jo Hansen | jo2+maria'],
    'several people, each once',
  )
  t.strictSame(cardsOf('a !low !high due:fri due:mon'), ['a !high due:mon | low | 2026-11-27T00:00:00.000Z'])
})

t.test('a due date has as many words as mean one', async (t) => {
  const days = {
    'Call due:24.12. Maria': ['Call Maria', '2026-12-24T00:00:00.000Z'],
    'Call due:in 3 days': ['Call', '2026-11-28T00:00:00.000Z'],
    'due:24 Dec 2027 Call Maria': ['Call Maria', '2027-12-24T00:00:00.000Z'],
    'Buy due:fri 5 apples': ['Buy 5 apples', '2026-11-27T00:00:00.000Z'],
    'Buy due:24.12. 30 apples': ['Buy 30 apples', '2026-12-24T00:00:00.000Z'],
    'Buy due: fri': ['Buy due: fri'],
    'Call due:fri 17:30 Maria': ['Call Maria', new Date(2026, 10, 27, 17, 30).toISOString()],
    'Call due:5pm': ['Call', new Date(2026, 10, 25, 17).toISOString()],
  }
  for (const [text, expected] of Object.entries(days)) t.strictSame(cardsOf(text), [expected.join(' | ')])
  const [token] = read('Call due:fri 17:30 Maria').tokens
  t.equal('Call due:fri 17:30 Maria'.slice(token?.start, token?.end), 'due:fri 17:30')
})

t.test('text that is not a token stays text', async (t) => {
  for (const text of [
    'Write to ann@maria.example',
    'Issue #12 and #unknown',
    'C#design',
    'Wow !great due:someday due: @ # !',
    '#Designer',
    '@nobody',
    'a  b',
  ]) {
    t.strictSame(cardsOf(text), [text])
  }
  t.strictSame(cardsOf('#design'), ['#design'], 'a title that would be empty')
  isText.add('#design')
  t.strictSame(cardsOf('x #design !low'), ['x #design | low'], 'a token that the user undid')
  isText.clear()
})

t.test('each line is a card', async (t) => {
  const text = ' One !low\n\n  \nTwo #design\r\nThree'
  t.strictSame(cardsOf(text), ['One | low', 'Two | #d', 'Three'])
  t.equal(read(text).requests, 4)
  for (const { start, end, text: token } of read(text).tokens) t.equal(text.slice(start, end), token)
  t.strictSame(cardsOf(''), [])
  t.strictSame(cardsOf('\n \n'), [])
  const many = Array.from({ length: 5000 }, (_, at) => `Card ${at} #design @maria`).join('\n')
  t.equal(read(many).requests, 10_000)
})

t.test('a name that is being typed is found at the caret', async (t) => {
  t.strictSame(typingAt('Call @Ma', 8), { kind: 'person', start: 5, typed: 'Ma' })
  t.strictSame(typingAt('#', 1), { kind: 'label', start: 0, typed: '' })
  t.strictSame(typingAt('a\n#de x', 5), { kind: 'label', start: 2, typed: 'de' })
  for (const [text, caret] of [
    ['a@b', 3],
    ['@ma', 2],
    ['@ma ', 4],
    ['ma', 2],
  ] as const) {
    t.equal(typingAt(text, caret), undefined, text)
  }
  t.strictSame(mentionsIn('@Maria a@b @jo,\n@MARIA'), ['maria', 'jo,'])
})
