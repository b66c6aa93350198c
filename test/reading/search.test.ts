import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ensureInTime, withDeadline } from '../../src/db/deadline.ts'
import { newId } from '../../src/db/ids.ts'
import { indexedWords, indexSearch } from '../../src/db/search-index.ts'
import { wordsOf } from '../../src/db/words.ts'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { invalidField, tookTooLong } from '../../src/errors.ts'
import { fold } from '../../src/folding.ts'
import { Search } from '../../src/reading/search.ts'
import { snippetOf } from '../../src/reading/search-snippets.ts'
import { termsOf } from '../../src/reading/search-terms.ts'
import { openTestDatabase } from '../database.ts'
import { long } from '../helper.ts'
import { rounds, steady } from '../rounds.ts'

/** A database, a search as the member `me`, and a function that runs SQL with values. */
function setUp(t: Test, url = ':memory:') {
  const db = openTestDatabase(t, url)
  const { $client: client } = db
  const search = new Search(db)
  const find = (text: string, limit = 500) => {
    indexSearch(db)
    return search.find(text, 'me', limit)
  }
  const found = (text: string, limit?: number) => find(text, limit).map(({ id }) => id)
  const run = (sql: string, ...values: unknown[]) => client.prepare(sql).run(...values)
  run("insert into projects (id, name) values ('p', 'Apollo')")
  return { db, client, search, find, found, run }
}

const addItem = "insert into kanban_items (id, project_id, title, description) values (?, 'p', ?, ?)"
const addIdea = 'insert into personal_ideas (id, owner_id, title) values (?, ?, ?)'

/** Throws unless the index contains exactly the words of its records. */
const checkIndex = (client: SQLite.Database) =>
  client.exec("insert into search_index (search_index) values ('integrity-check')")

/** Every record as the index should contain it. */
const RECORDS = `
  select 'project' as kind, id, name as title, description || char(10) || next_step as text from projects
  union all select 'kanban-item', id, title, description from kanban_items
  union all select 'kanban-comment', id, '', content from kanban_comments
  union all select 'transcript-summary', id, title, summary || char(10)
    || (select coalesce(group_concat(value, char(10)), '') from json_each(participants)) || char(10)
    || (select coalesce(group_concat(value, char(10)), '') from json_each(action_items)) from transcript_summaries
  union all select 'personal-idea', id, title, description from personal_ideas
  order by kind, id`
const INDEXED = `
  select kind, record_id as id, term, "offset" from search_entries
  left join temp.indexed on indexed.doc = search_entries.id order by kind, record_id, "offset"`

/** What is wrong with the index; undefined if it matches the records. */
function problemOf(client: SQLite.Database): object | undefined {
  indexSearch({ $client: client })
  checkIndex(client)
  client.exec(
    "create virtual table if not exists temp.indexed using fts5vocab (main, search_index, 'instance')",
  )
  const count = (table: string) => client.prepare(`select count(*) from ${table}`).pluck().get()
  const records = client.prepare<[], Record<'kind' | 'id' | 'title' | 'text', string>>(RECORDS).all()
  const expected = records.flatMap(({ kind, id, title, text }) =>
    indexedWords([String(title), String(text)]).map((term, offset) => ({ kind, id, term, offset })),
  )
  const indexed = client.prepare(INDEXED).all()
  const missing = client
    .prepare(
      "select distinct term from temp.indexed where term not like '·%' and term not in (select word from search_words)",
    )
    .all()
  const isRight =
    JSON.stringify(indexed) === JSON.stringify(expected) &&
    missing.length === 0 &&
    count('search_entries') === records.length &&
    count('search_index_docsize') === records.length &&
    count('search_pending') === 0
  return isRight ? undefined : { expected, indexed, missing, entries: count('search_entries') }
}

/** The table of each kind, the required columns of its rows, and the searched columns. */
const SEARCHED = [
  ['project', 'projects', {}, ['name', 'description', 'next_step']],
  ['kanban-item', 'kanban_items', { project_id: 'p' }, ['title', 'description']],
  ['kanban-comment', 'kanban_comments', { item_id: 'i', author_id: 'ada' }, ['content']],
  [
    'transcript-summary',
    'transcript_summaries',
    { project_id: 'p', date: '2026-01-31T00:00:00.000Z' },
    ['title', 'summary', 'participants', 'action_items'],
  ],
  ['personal-idea', 'personal_ideas', { owner_id: 'me' }, ['title', 'description']],
] as const

/** A word in a column, and a value that contains it. */
const wordFor = (column: string, when: string) => when + column.replace('_', '')
const holding = (word: string, column: string) =>
  column === 'participants' || column === 'action_items' ? JSON.stringify([word]) : `a ${word}`

t.test('every searched column of every kind is indexed: inserted, changed, deleted', async (t) => {
  const { client, find, found, run } = setUp(t)
  run(addItem, 'i', 'Card', '')
  for (const [kind, table, needed, columns] of SEARCHED) {
    const texts = columns.map((column) => [column, holding(wordFor(column, 'before'), column)])
    const values: Record<string, string> = { ...needed, id: 'x', ...Object.fromEntries(texts) }
    const names = Object.keys(values)
    run(`insert into ${table} (${names}) values (${names.map(() => '?')})`, ...Object.values(values))
    for (const column of columns) {
      const before = wordFor(column, 'before')
      const after = wordFor(column, 'after')
      t.match(find(before), [{ kind, id: 'x' }], `${table}.${column}`)
      run(`update ${table} set ${column} = ? where id = 'x'`, holding(after, column))
      t.strictSame(found(before), [], `${table}.${column}: what it was`)
      t.match(find(after), [{ kind, id: 'x' }], `${table}.${column}: what it is now`)
    }
    t.equal(problemOf(client), undefined)
    const last = wordFor(columns[0], 'after')
    run(`update ${table} set id = 'y' where id = 'x'`)
    t.match(find(last), [{ kind, id: 'y' }], `${table}: under another id`)
    run(`delete from ${table} where id = 'y'`)
    t.strictSame(found(last), [], `${table}: deleted`)
    t.equal(problemOf(client), undefined)
  }
})

t.test('all texts of participants and action items are found, in any form', async (t) => {
  const { client, found, run } = setUp(t)
  const add =
    "insert into transcript_summaries (id, project_id, title, date, participants, action_items) values (?, 'p', '', '', ?, ?)"
  run(add, 'a', '["Ada","Bo\\nb"]', '[{"text":"say \\"hello\\"","who":[1,{"name":"Eve"}]},"call back"]')
  for (const word of ['ada', 'bo', 'b', 'hello', 'eve', 'call back']) t.strictSame(found(word), ['a'], word)
  for (const word of ['text', 'who', 'name', 'nb', '1']) t.strictSame(found(`${word} ada`), [], word)

  const odd: unknown[] = [null, '', 'no JSON', '[1', '{"a": "ada"}', '"ada"', 5, Buffer.from('["ada"]')]
  for (const [index, value] of odd.entries()) {
    t.doesNotThrow(() => run(add, `odd ${index}`, value, value), `${value} is no obstacle`)
    t.doesNotThrow(() => run('update transcript_summaries set summary = summary || ?', 'x'))
  }
  checkIndex(client)
})

// --- words ---

/** All sorts of texts: any characters, typical ones, and the syntax of other search engines. */
const SYNTAX =
  '" \' * ^ - + : ( ) { } [ ] , . _ AND OR NOT NEAR( NEAR(a,2) title: text: {title}: \0 \ud800 \udc00 🚀 🦀 é e\u0301 हिन्दी 你好 ß İ a b'
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(' ', ...SYNTAX.split(' ')), maxLength: 15 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
)

const foldedIn = (text: string) => [...wordsOf(text)].map(({ folded }) => folded)

t.test(
  'an item is found by each word of its title, by each part of three characters, and by each beginning of two',
  async (t) => {
    const { found, run } = setUp(t)
    let wordless = 0
    let several = 0
    let parts = 0
    const numRuns = rounds(100)
    fc.assert(
      fc.property(texts, (title) => {
        const words = foldedIn(title)
        if (words.length === 0) wordless++
        if (words.length > 1) several++
        run(addItem, 'i', title, '')
        const isFound = (text: string) => found(text).includes('i')
        const isRight =
          isFound(words.join(' ')) === words.length > 0 &&
          words.every((word) => {
            const letters = [...word]
            return letters.every((_, from) => {
              const part = letters.slice(from, from + 3).join('')
              if (from > 0 && letters.length - from < 3) return true
              parts++
              return isFound(part) && isFound(letters.slice(0, from + 2).join(''))
            })
          })
        run("delete from kanban_items where id = 'i'")
        return isRight
      }),
      { numRuns, ...steady },
    )
    t.ok(
      wordless > numRuns / 60 && several > numRuns / 6 && parts > numRuns,
      `${wordless}, ${several}, ${parts}`,
    )
  },
)

t.test('a query has no syntax but quotation marks: it finds its words', async (t) => {
  const { find, run } = setUp(t)
  for (const [index, title] of SYNTAX.split(' ').entries()) run(addItem, `i${index}`, `${title} a b`, title)
  let hits = 0
  const numRuns = rounds(200)
  const withoutQuotes = texts.map((text) => text.replaceAll(/["“”„«»]/g, ' '))
  fc.assert(
    fc.property(withoutQuotes, (text) => {
      const results = find(text)
      if (results.length > 0) hits++
      // Characters without spaces between them stay next to each other.
      const apart = [...wordsOf(text)].reduce(
        (all, { folded, isSingle, start }, index, { [index - 1]: before }) =>
          all + (isSingle && before?.isSingle && start <= before.end ? '' : ' ') + folded,
        '',
      )
      return JSON.stringify(results) === JSON.stringify(find(apart))
    }),
    { numRuns, ...steady },
  )
  t.ok(hits > numRuns / 100, `${hits} texts found something`)
})

t.test('all words must match, in any order and field, each as a part of a word', async (t) => {
  const { found, run } = setUp(t)
  run(addItem, 'i', 'Fix the Engine', 'It leaks oil 🛢️')
  run(addItem, 'j', 'Paint the engine', 'red')
  run(
    'insert into kanban_comments (id, item_id, author_id, content) values (?, ?, ?, ?)',
    'c',
    'i',
    'ada',
    'Oil',
  )
  const expected: [string, string[]][] = [
    ['engine', ['i', 'j']],
    ['oil engine', ['i']],
    ['engine oil the', ['i']],
    ['leak', ['i']],
    ['eak gine', ['i']],
    ['engine, leak', ['i']],
    ['engine paint fix', []],
    ['engine engine ENGINE', ['i', 'j']],
    ['ngine', ['i', 'j']],
    ['en', ['i', 'j']],
    ['ng', []],
    ['e', []],
    ['ENGINE', ['i', 'j']],
    ['éngïne', ['i', 'j']],
    ['"the engine"', ['i', 'j']],
    ['"fix the" oil', ['i']],
    ['„the engine“', ['i', 'j']],
    ['"engine the"', []],
    ['"he engine"', []],
    ['"the', ['i', 'j']],
    ['""', []],
    ['nothing', []],
    ['', []],
    ['  \t\n', []],
    ['"*()-^:', []],
    ['🛢', ['i']],
    ['🚀', []],
  ]
  for (const [text, ids] of expected) t.strictSame(found(text).toSorted(), ids, text)
})

/** Texts of one script, and queries that find them. */
const SCRIPTS: Record<string, [text: string, ...queries: string[]]> = {
  German: ['Rechnung für die Straße bezahlen', 'rech bez', 'STRASSE', 'fur', 'chnung', 'stra\u00dfe'],
  Polish: ['Łódź i żółw', 'lodz', 'ŁÓDŹ', 'zolw'],
  Vietnamese: ['Đặng Thị', 'dang', 'đặng thi'],
  Danish: ['Smørrebrød æble', 'smorrebrod', 'aeble', 'rebro'],
  Turkish: ['İstanbul ısı', 'istanbul', 'isi', 'STAN'],
  Greek: ['Αθήνας οδός', 'ΑΘΗΝΑΣ', 'αθηνα', 'ΟΔΟΣ'],
  Russian: ['Ёлка и подъезд', 'елка', 'ЁЛКА', 'дъезд'],
  Hebrew: ['שָׁלוֹם עולם', 'שלום', 'עולם'],
  Arabic: ['مُحَمَّد', 'محمد', 'محم'],
  Hindi: ['हिन्दी भाषा', 'हिन्दी', 'न्दी'],
  Korean: ['한국어 검색', '한국', '검색', '한'],
  Chinese: ['检查车轮', '车', '车轮', '查车'],
  Japanese: ['車輪を検査するガレージ', '輪', '検査', 'ｶﾞﾚｰｼﾞ', 'カ\u3099レ'],
  Thai: ['ภาษาไทย', 'ษ', 'ไทย'],
  Lao: ['ພາສາລາວ', 'ລາວ', 'ລ'],
  Khmer: ['ភាសាខ្មែរ', 'ខ្មែរ', 'ស'],
  Burmese: ['မြန်မာဘာသာ', 'ဘာ', 'မာ'],
  emoji: ['Deploy 🚀 by 👩‍💻 in 🇩🇪 ❤️', '🚀', '👩‍💻', '🇩🇪', '❤', 'ploy 🚀'],
}

t.test('parts of words are found in every script, however they are written', async (t) => {
  const { found, run } = setUp(t)
  for (const [script, [text]] of Object.entries(SCRIPTS)) run(addItem, script, '', text)
  for (const [script, [, ...queries]] of Object.entries(SCRIPTS)) {
    for (const query of queries) t.ok(found(query).includes(script), `${script}: ${query}`)
  }
  t.strictSame(found('🇪🇩'), [], 'the letters of a flag in another order')
  t.strictSame(found('轮车'), [])
  t.strictSame(found('カレ'), [], 'another letter than ガ')
})

t.test('a text that folds to a word of another is found by it', async (t) => {
  const { found, run } = setUp(t)
  const letters = [...new Set(Object.values(SCRIPTS).flatMap((all) => [...all.join('').normalize('NFC')]))]
  const word = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 8 })
  const ways: ((text: string) => string)[] = [
    (text) => text.normalize('NFD'),
    (text) => text.normalize('NFKC'),
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    fold,
  ]
  let compared = 0
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom(...ways), (all, write) => {
      const text = all.join(' ')
      const written = write(text)
      if (fold(written) !== fold(text) || foldedIn(text).length === 0) return true
      compared++
      run(addItem, 'i', text, '')
      const isFound = found(written).includes('i') && found(`"${written}"`).includes('i')
      run("delete from kanban_items where id = 'i'")
      return isFound
    }),
    { numRuns: rounds(200), ...steady },
  )
  t.ok(compared > rounds(200) / 2, `${compared} compared`)
})

t.test('a query has fifty words at most', async (t) => {
  const { found, run } = setUp(t)
  const words = Array.from({ length: 51 }, (_, index) => `w${index}`)
  run(addItem, 'i', words.join(' '), '')
  t.strictSame(found(words.slice(1).join(' ')), ['i'])
  t.throws(() => found(words.join(' ')), invalidField('q', 'must NOT have more than 50 different words'))
  t.strictSame(found('w1 '.repeat(100)), ['i'], 'each counts once')
})

// --- order ---

t.test(
  'titles come before texts, whole words before beginnings and parts, new records before old ones',
  async (t) => {
    const { found, run } = setUp(t)
    const expected = [
      ['the same, newer', 'Paint of the engine', ''],
      ['words in the title', 'Engine paint', ''],
      ['a beginning in the title', 'Painting the engine', 'paint'],
      ['a part in the title', 'Repaint the engine', 'paint'],
      ['words anywhere', 'Engine', 'paint'],
      ['a beginning anywhere', 'Painter', 'engine and oil'],
      ['parts', 'Oil', 'engines repainted'],
    ] as const
    for (const [name, title, text] of expected.toReversed()) run(addItem, name, title, text)
    t.strictSame(
      found('engine paint'),
      expected.map(([name]) => name),
    )
    run("update kanban_items set title = 'Engine to paint' where id = 'parts'")
    t.strictSame(found('engine paint').slice(0, 3), ['the same, newer', 'words in the title', 'parts'])
  },
)

t.test('every match has one rank, which depends on its own texts', async (t) => {
  const { find, run, client } = setUp(t)
  run(addItem, 'i', 'Nothing', '')
  const word = fc.constantFrom('car', 'card', 'scar', 'oil', 'Öl', 'x')
  const words = (maxLength: number) => fc.array(word, { maxLength }).map((all) => all.join(' '))
  const record = fc.record({ title: words(3), text: words(4), isComment: fc.boolean() })
  /** The rank of a record, smallest first; undefined if it does not match. */
  const rankOf = (asked: readonly string[], title: string, text: string): number | undefined => {
    const inTitle = foldedIn(title)
    const all = foldedIn(`${title} ${text}`)
    const every = (among: string[], isMeant: (one: string, wanted: string) => boolean) =>
      asked.every((wanted) => among.some((one) => isMeant(one, wanted)))
    const is = (one: string, wanted: string) => one === wanted
    const begins = (one: string, wanted: string) =>
      is(one, wanted) || (wanted.length > 1 && one.startsWith(wanted))
    const has = (one: string, wanted: string) =>
      begins(one, wanted) || (wanted.length > 2 && one.includes(wanted))
    const ranks = [
      every(inTitle, is),
      every(inTitle, begins),
      every(inTitle, has),
      every(all, begins),
      every(all, has),
    ]
    const rank = ranks.indexOf(true)
    return rank < 0 ? undefined : rank
  }
  const query = fc.array(word, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '))
  fc.assert(
    fc.property(fc.array(record, { maxLength: 12 }), query, (records, text) => {
      client.exec('savepoint try')
      try {
        const asked = foldedIn(text)
        const expected = records.flatMap(({ title, text, isComment }, index) => {
          const id = `r${index}`
          if (isComment)
            run(
              "insert into kanban_comments (id, item_id, author_id, content) values (?, 'i', 'a', ?)",
              id,
              text,
            )
          else run(addItem, id, title, text)
          const rank = rankOf(asked, isComment ? '' : title, text)
          return rank === undefined ? [] : [{ rank, index, id }]
        })
        expected.sort((a, b) => a.rank - b.rank || b.index - a.index)
        t.strictSame(
          find(text).map(({ id }) => id),
          expected.map(({ id }) => id),
          `${text} in ${JSON.stringify(records)}`,
        )
      } finally {
        client.exec('rollback to try; release try')
      }
    }),
    { numRuns: rounds(100), ...steady },
  )
})

t.test(
  'records of one rank are in the descending order of creation, and the limit applies after that',
  async (t) => {
    const { found, run } = setUp(t)
    const ids = Array.from({ length: 30 }, newId)
    for (const id of ids) run(addItem, id, 'Same', '')
    run("update kanban_items set title = 'Same again' where id = ?", ids[3])
    const newest = ids.toReversed()
    t.strictSame(found('same'), newest)
    for (const limit of [1, 2, 29, 30, 31]) t.strictSame(found('same', limit), newest.slice(0, limit))
  },
)

// --- access ---

t.test("others' ideas are not results, and do not count for the limit", async (t) => {
  const { db, search, run } = setUp(t)
  for (let index = 0; index < 30; index++) run(addIdea, `a${index}`, 'other', 'secret secret')
  run(addIdea, 'mine', 'me', `my secret ${'and so on '.repeat(20)}`)
  run(addItem, 'i', 'Card', `no secret ${'and so on '.repeat(50)}`)
  indexSearch(db)
  const found = (owner: string, limit: number) => search.find('secret', owner, limit).map(({ id }) => id)
  t.strictSame(found('me', 1), ['mine'])
  t.strictSame(found('me', 500), ['mine', 'i'])
  t.strictSame(found('nobody', 1), ['i'])
  t.strictSame(found('', 500), ['i'])
  t.strictSame(found('ME', 500), ['i'])
  t.equal(found('other', 500).length, 31)
  run("update personal_ideas set owner_id = 'nobody' where id = 'mine'")
  t.strictSame(found('me', 500), ['i'])
  t.strictSame(found('nobody', 500), ['mine', 'i'])
})

// --- snippets ---

t.test('a snippet marks the matches, in the column that matched best', async (t) => {
  const { find, run } = setUp(t)
  const snippets = (text: string) => find(text).map(({ snippet }) => snippet)
  const words = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ')
  run(addItem, 'i', 'Fix the <b>engine</b>', `${words} & it **leaks** "Öl" ${words}`)
  t.strictSame(snippets('engine'), ['Fix the <b>**engine**</b>'], 'nothing is escaped')
  t.strictSame(snippets('fix eng'), ['**Fix** the <b>**engine**</b>'])
  const [snippet = ''] = snippets('leaks ol')
  t.match(snippet, /^…w\d+ .*& it \*\*\*\*leaks\*\*\*\* "\*\*Öl\*\*" .*w\d+…$/)
  t.equal(snippet.match(/[\wÖ]+/g)?.length, 32)
  run("insert into projects (id, name, description, next_step) values ('q', 'Gemini', 'Dock', 'Undock')")
  t.strictSame(snippets('dock'), ['**Dock**\n**Undock**'])
  run(
    "insert into transcript_summaries (id, project_id, title, date, action_items) values ('t', 'p', 'x', '', ?)",
    '["Call Eve"]',
  )
  t.strictSame(snippets('eve'), ['Call **Eve**'], 'without the line breaks of empty fields')
})

t.test('a snippet is short, even with very long words', async (t) => {
  const { find, run } = setUp(t)
  const snippetOf = (description: string) => {
    run('delete from kanban_items')
    run(addItem, 'i', 'Card', description)
    return find('needle')[0]?.snippet ?? ''
  }
  const filler = long(3000)
  t.equal(snippetOf(`needle ${filler}`), `**needle** ${filler.slice(0, 489)}…`)
  t.equal(snippetOf(`${filler} needle`), `…${filler.slice(0, 124)} **needle**…`)
  t.equal(snippetOf(`needle${filler}`), `**needle${filler.slice(0, 492)}…**`)
  for (const half of ['', 'x']) {
    const snippet = snippetOf(`${'🚀'.repeat(1001)}${half} needle ${half}${'🚀'.repeat(1001)}`)
    t.match(snippet, /^….{15,130}\*\*needle\*\*.*…$/u)
    t.ok(snippet.isWellFormed())
  }
  t.equal(snippetOf(`needle ${long(489)}`), `**needle** ${long(489)}`, 'what fits stays whole')
})

t.test('a snippet is the part with most of the words, the first of several', async (t) => {
  const wanted = termsOf('one two thr')
  const filler = 'x '.repeat(40)
  const snippet = (...texts: string[]) => snippetOf(texts, wanted, 1000)
  t.equal(snippet('One', 'two, one'), '**two**, **one**', 'of the text with more of them')
  t.equal(snippet('One', 'two'), '**One**', 'else of the title')
  t.match(
    snippet(`one one ${filler} a two three ${filler} one two three`),
    /^…[x ]+\*\*one\*\* \*\*two\*\* \*\*three\*\*$/,
  )
  t.match(
    snippet(`one ${filler} two and three and two ${filler} one`),
    /^…[x ]+\*\*two\*\* and \*\*three\*\*/,
  )
  t.equal(snippet(`a ${filler}`), `a ${'x '.repeat(31).trim()}…`, 'the beginning where nothing is in it')
  t.equal(snippetOf(['a b c'], wanted, 3), 'a b…', 'or in what is read of it')
  t.equal(snippet('', ''), '')
})

t.test('a snippet marks phrases and characters without spaces as one', async (t) => {
  const snippet = (query: string, text: string) => snippetOf([text], termsOf(query), 1000)
  t.equal(snippet('"two one"', 'One two one two'), 'One **two** **one** two')
  t.equal(snippet('車輪', '車の車輪を検査'), '車の**車輪**を検査')
  t.equal(snippet('👩‍💻', 'by 👩‍💻!'), 'by **👩‍💻**!')
  t.equal(snippet('eng', 'Turbo-Engine, reengineered'), 'Turbo-**Engine**, **reengineered**')
})

// --- limits ---

/** A text of 100,000 characters with as many matches as possible. */
const MANY = 'q '.repeat(50_000)

t.test('a text with fifty thousand matches is found like any other', async (t) => {
  const { find, run } = setUp(t)
  for (let item = 0; item < 5; item++) run(addItem, `i${item}`, 'Card', MANY)
  const results = find('q '.repeat(50))
  t.equal(results.length, 5)
  t.equal(results[0]?.snippet, `${'**q** '.repeat(32).trim()}…`)
})

t.test('a part that too many words have inside is found as their beginning', async (t) => {
  const { db, run } = setUp(t)
  const many = (count: number, word: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => word(index)).join(' ')
  run(
    addItem,
    'inside',
    'Card',
    many(6, (index) => `u${index}need`),
  )
  run(
    addItem,
    'beginning',
    'Card',
    many(3, (index) => `need${index}`),
  )
  run(addItem, 'word', 'Card', 'need')
  indexSearch(db)
  const found = (words: number) => new Search(db, { words }).find('need', 'me', 10).map(({ id }) => id)
  t.strictSame(found(6), ['word', 'beginning', 'inside'])
  t.strictSame(found(5), ['word', 'beginning'])
})

t.test('a search that takes too long is stopped: by its own deadline, or by an earlier one', async (t) => {
  const { db, search, run } = setUp(t)
  for (let item = 0; item < 20; item++) run(addItem, `i${item}`, 'Card', '')
  indexSearch(db)
  const find = (one: Search) => one.find('card', 'me', 10).length
  const slow = new Search(db, { time: -1 })
  t.throws(() => find(slow), tookTooLong('Search'))
  const late = () => new Error('late')
  t.throws(() => withDeadline(db, -1, late, () => find(search)), late())
  t.throws(() => withDeadline(db, 60_000, late, () => find(slow)), tookTooLong('Search'))
  t.throws(
    () => withDeadline(db, -1, late, () => withDeadline(db, 60_000, Error, () => find(search))),
    late(),
  )
  t.throws(() => withDeadline(db, -1, late, () => ensureInTime(db)), late())
  t.equal(find(search), 10, 'and then there is none')
})

t.test('a worker thread does long searches even of a small file', async (t) => {
  const { db, run } = setUp(t)
  for (let item = 0; item < 20; item++) run(addItem, `i${item}`, 'Card', '')
  indexSearch(db)
  const find = (one: Search, text: string) => one.find(text, 'me', 30).length
  limitWork(db)
  // On a busy machine a few milliseconds may pass without a processor.
  t.equal(find(new Search(db, { timeOnLoop: 60_000 }), 'card'), 20)
  t.throws(() => find(new Search(db, { timeOnLoop: -1 }), 'card'), TooMuchWork)
  t.throws(() => find(new Search(db, { timeOnLoop: 60_000, wordsOnLoop: 0 }), 'ard'), TooMuchWork)
})

// --- cost ---

t.test('changes of unsearched columns run the same SQLite program as without the index', async (t) => {
  const { client, run } = setUp(t)
  run(addItem, 'i', 'Card', '')
  const moving = [
    'update kanban_items set sort_order = ?, "column" = ?, updated_at = ? where id = +?',
    'update kanban_items set project_id = ?, priority = ?, dismissed = ?, metadata = ? where id = +?',
    'update projects set sort_order = ?, status = ? where id = +?',
    'update kanban_comments set edited_at = ? where id = +?',
    'update personal_ideas set sort_order = ? where id = +?',
  ]
  const program = (sql: string) =>
    client
      .prepare<unknown[], { opcode: string; p1: number; p2: number; p4: unknown }>(`explain ${sql}`)
      .all(Array.from(sql.matchAll(/\?/g), () => null))
      .map(({ opcode, p1, p2, p4 }) => [opcode, p1, p2, p4])
  const programs = moving.map(program)

  const data = () => client.prepare('select * from search_index_data').all()
  const before = data()
  run("update kanban_items set sort_order = 5, title = title, description = '' where id = 'i'")
  run("update projects set name = name, next_step = next_step, health = 'blocked'")
  t.strictSame(data(), before, 'nor does a text that stays the same')

  const triggers = client
    .prepare<[], string>("select name from sqlite_schema where type = 'trigger' and name like 'search%'")
    .pluck()
  for (const name of triggers.all()) client.exec(`drop trigger ${name}`)
  t.strictSame(moving.map(program), programs)
})

// --- writers ---

/** A write. `at` and `to` choose among few ids, so that writes meet. */
const step = fc.record({
  sql: fc.constantFrom(
    'insert or ignore into projects (id, name, description) values (:id, :text, :other)',
    'insert or ignore into kanban_items (id, project_id, title, description) values (:id, :parent, :text, :other)',
    'insert or ignore into kanban_comments (id, item_id, author_id, content) values (:id, :parent, :other, :text)',
    "insert or ignore into transcript_summaries (id, project_id, title, date, action_items) values (:id, :parent, :text, '', :json)",
    'insert or ignore into personal_ideas (id, owner_id, title) values (:id, :other, :text)',
    'insert or replace into projects (id, name) values (:id, :text)',
    'replace into kanban_items (id, project_id, title) values (:id, :parent, :text)',
    'replace into kanban_comments (id, item_id, author_id, content) values (:id, :parent, :other, :text)',
    'insert into kanban_items (id, project_id, title) values (:id, :parent, :text) on conflict do update set title = excluded.title',
    'insert into kanban_items (id, project_id, title) values (:id, :parent, :text) on conflict do update set sort_order = 1',
    'insert or replace into personal_ideas (id, owner_id, title) select id || 2, owner_id, title from personal_ideas',
    'update projects set name = :text, next_step = :other where id = :id',
    'update kanban_items set title = :text where id = :id',
    'update kanban_items set description = :text, sort_order = 2 where project_id = :parent',
    'update kanban_items set project_id = :parent where id = :id',
    'update or replace kanban_items set id = :parent where id = :id',
    'update kanban_comments set content = :text where item_id = :parent',
    'update transcript_summaries set participants = :json where id = :id',
    'update personal_ideas set description = :text',
    'delete from projects where id = :id',
    'delete from kanban_items where id = :id',
    'delete from kanban_comments where id = :id',
    'delete from personal_ideas where id = :id',
    'savepoint undo',
    'rollback to undo',
    'release undo',
    'vacuum',
  ),
  at: fc.constantFrom('a', 'b', 'c'),
  to: fc.constantFrom('a', 'b', 'c'),
  text: fc.constantFrom('one', 'one two', 'two three', '', 'Ünïcödé', 'x\0y'),
  other: fc.constantFrom('four', 'one', ''),
  isTool: fc.boolean(),
})

t.test('after any writes of any tool, the index equals the records', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { client } = setUp(t, `file:${path}`)
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  // Other tools may have both off.
  tool.pragma('foreign_keys = off')
  tool.pragma('trusted_schema = off')
  let done = 0
  const numRuns = rounds(8)
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
      fc.boolean(),
      (steps, isRecursive) => {
        tool.pragma(`recursive_triggers = ${isRecursive ? 'on' : 'off'}`)
        for (const table of [
          'projects',
          'kanban_items',
          'kanban_comments',
          'transcript_summaries',
          'personal_ideas',
        ])
          client.exec(`delete from ${table}`)
        client.exec("insert into projects (id, name) values ('a', 'x'), ('b', 'y')")
        for (const { sql, at, to, text, other, isTool } of steps) {
          // Only one connection at a time has an open transaction.
          const writer = client.inTransaction ? client : tool.inTransaction || isTool ? tool : client
          const values = { id: at, parent: to, text, other, json: JSON.stringify([text, other]) }
          try {
            const statement = writer.prepare(sql)
            if (/:/.test(sql)) statement.run(values)
            else statement.run()
            done++
          } catch (error) {
            // A missing parent, an unknown savepoint, or a vacuum inside a transaction.
            if (!/constraint|no such savepoint|VACUUM/i.test(String(error))) throw error
          }
        }
        for (const connection of [client, tool]) if (connection.inTransaction) connection.exec('commit')
        const problem = problemOf(client)
        if (problem) throw new Error(JSON.stringify(problem, null, 2))
      },
    ),
    { numRuns },
  )
  t.ok(done > 10 * numRuns, `${done} writes`)
})

t.test('comments without an item are not found', async (t) => {
  const { client, found, run } = setUp(t)
  run(addItem, 'i', 'Card', '')
  run("insert into kanban_comments (id, item_id, author_id, content) values ('c', 'i', 'ada', 'Hm')")
  t.strictSame(found('hm'), ['c'])
  client.pragma('foreign_keys = off')
  run("delete from kanban_items where id = 'i'")
  t.strictSame(found('hm'), [])
})

t.test('a file from before the search is indexed at its next start', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { entries } = JSON.parse(readFileSync('drizzle/meta/_journal.json', 'utf8'))
  const before = entries.slice(
    0,
    entries.findIndex(({ tag }: { tag: string }) => tag.endsWith('_search')),
  )
  const old = new SQLite(path)
  old.exec(
    'create table __drizzle_migrations (id integer primary key, hash text not null, created_at numeric)',
  )
  for (const { tag, when } of before) {
    old.exec(readFileSync(`drizzle/${tag}.sql`, 'utf8'))
    old.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run(tag, when)
  }
  old.exec(`
    insert into projects (id, name, description, next_step) values ('q', 'Gemini one', 'two', 'three');
    insert into kanban_items (id, project_id, title, description) values ('i', 'q', 'one', 'two');
    insert into kanban_comments (id, item_id, author_id, content) values ('c', 'i', 'ada', 'one two');
    insert into transcript_summaries (id, project_id, title, date, summary, participants, action_items) values
      ('t', 'q', 'one', '', 'two', '["Ada"]', '["three"]'), ('u', 'q', 'no', '', '', 'no JSON', null);
    insert into personal_ideas (id, owner_id, title, description) values ('e', 'me', 'one', 'two');`)
  old.close()

  const { client, found, run } = setUp(t, `file:${path}`)
  t.strictSame(found('one two').toSorted(), ['c', 'e', 'i', 'q', 't'])
  t.strictSame(found('three one').toSorted(), ['q', 't'])
  t.strictSame(found('ada'), ['t'])
  checkIndex(client)
  run("delete from transcript_summaries where id = 'u'")
  t.equal(problemOf(client), undefined)
  run("delete from projects where id = 'q'")
  t.strictSame(found('one'), ['e'])
  t.equal(problemOf(client), undefined)
})
