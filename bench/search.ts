/**
 * `npm run bench:search`: searches among many cards and comments in six scripts, the size of the index, and what it adds to a change of a
 * text. In this process on one connection, as the worker thread does it; the event loop searches only files below 2 MiB.
 */
import { join } from 'node:path'
import type SQLite from 'better-sqlite3'
import { openDatabase, writeAs } from '../src/db/client.ts'
import { indexSearch } from '../src/db/search-index.ts'
import { randomOf } from '../src/flow/forecast.ts'
import { createRules } from '../src/requests/rules.ts'
import { show, showRatio } from './format.ts'
import { describeMachine } from './machine.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'

commandLine('bench:search', 'Searches among many cards and comments in six scripts.').parse()

const CARDS = sized(20_000, 200)
const COMMENTS = sized(100_000, 500)
const QUERIES = sized(600, 30)
const CHANGES = sized(2000, 20)
/** Different words of each script; the frequent ones as frequent as in languages (Zipf). */
const WORDS = 20_000

/** The consonants and vowels of a script, and what is between words. Of Chinese, its characters. */
const SCRIPTS: [consonants: string, vowels: string, space: string][] = [
  ['bcdfghjklmnprstvwzß', 'aeiouäöü', ' '],
  ['bcdfghklmnprstvwxy', 'aeiou', ' '],
  ['бвгджзйклмнпрстфхцчшщ', 'аеёиоуыэюя', ' '],
  ['βγδζθκλμνξπρστφχψ', 'αεηιουωάέήίόύώ', ' '],
  [Array.from({ length: 1500 }, (_, index) => String.fromCodePoint(0x4e00 + 7 * index)).join(''), '', ''],
  ['กขคงจชซญดตถทนบปผพฟมยรลวสหอ', 'ะาิีึืุูเแโใไ', ''],
]

const next = randomOf('search')
const random = (below: number): number => next() % below
const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T
/** A number below another, the small ones more often. */
const rank = (below: number): number => Math.floor(below ** (random(1_000_000) / 1_000_000)) - 1

const languages = SCRIPTS.map(([consonants, vowels, space]) => {
  const [all, open] = [[...consonants], [...vowels]]
  const syllable = () =>
    open.length === 0 ? pick(all) : pick(all) + pick(open) + (random(3) === 0 ? pick(all) : '')
  const words = Array.from({ length: WORDS }, () => Array.from({ length: 1 + random(4) }, syllable).join(''))
  return { space, words }
})

function textOf(words: number): string {
  const { words: all, space } = pick(languages)
  return Array.from({ length: words }, () => all[rank(all.length)]).join(space)
}

/** A text of a query: a part of a text, of one to thirty characters. */
function queryOf(): string {
  const text = [...textOf(12)]
  const length = 1 + random(30)
  const from = random(Math.max(1, text.length - length))
  return text.slice(from, from + length).join('')
}

const folder = makeFolder()
const { db, close } = openDatabase(`file:${join(folder, 'search.db')}`)
const { $client: client } = db
const rules = createRules(db)
const ids = writeAs(db, 'ada', () => {
  const { id: project } = rules.projects.create({ name: 'Large' })
  const card = client.prepare(
    'insert into kanban_items (id, project_id, title, description) values (?, ?, ?, ?)',
  )
  const comment = client.prepare(
    "insert into kanban_comments (id, item_id, author_id, content) values (?, ?, 'ada', ?)",
  )
  const cards = Array.from({ length: CARDS }, (_, index) => `card ${index}`)
  for (const id of cards) card.run(id, project, textOf(5), textOf(random(60)))
  for (let index = 0; index < COMMENTS; index++)
    comment.run(`comment ${index}`, pick(cards), textOf(random(25)))
  return cards
}).value
writeAs(db, null, () => indexSearch(db))

const at = (sorted: readonly number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

/** The processor time of work, in milliseconds. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The times of searches by the length of the query, in milliseconds. */
function search(): Map<string, number[]> {
  const times = new Map<string, number[]>()
  for (let query = 0; query < QUERIES; query++) {
    const q = queryOf()
    const length = [...q].length
    const bucket = length < 3 ? '1 or 2' : length < 6 ? '3 to 5' : length < 16 ? '6 to 15' : '16 to 30'
    const spent = cpuOf(() => rules.reading.search.find(q, 'ada', 20))
    times.set(bucket, [...(times.get(bucket) ?? []), spent])
  }
  return times
}

/** Processor milliseconds of a change of a card's title and description. */
function change(of: SQLite.Database): number {
  const update = of.prepare('update kanban_items set title = ?, description = ? where id = ?')
  const spent = cpuOf(() => {
    for (let index = 0; index < CHANGES; index++) {
      writeAs(db, 'ada', () => update.run(textOf(5), textOf(random(60)), pick(ids)))
    }
  })
  return spent / CHANGES
}

const times = search()
const all = [...times.values()].flat().sort((a, b) => a - b)
const size = (like: string) =>
  Number(
    client.prepare('select ifnull(sum(pgsize), 0) / 1e6 from dbstat where name like ?').pluck().get(like),
  )
const words = client.prepare('select count(*) from search_words').pluck().get() as number
const texts = client
  .prepare(
    `select (select sum(length(title) + length(description)) from kanban_items)
      + (select sum(length(content)) from kanban_comments)`,
  )
  .pluck()
  .get() as number
const megabytes = { index: size('search%'), whole: size('%') }
const indexed = change(client)
for (const kind of ['insert', 'update', 'delete']) client.exec(`drop trigger search_kanban_items_${kind}`)
const bare = change(client)
close()
const { cpu, cores, node } = describeMachine(folder)
const rows = [
  ...[...times].sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
  ['all', all] as const,
]
console.log(`# Search

${cpu}, ${cores} cores, Node ${node}. ${show(CARDS)} cards and ${show(COMMENTS)} comments, ${show(texts / 1e6)} million characters in six scripts, ${show(words)} different words.
The first 20 results of ${show(QUERIES)} queries; milliseconds of processor time.

| characters | median | p95 | most |
|---|--:|--:|--:|
${rows
  .map(([name, values]) => {
    const sorted = [...values].sort((a, b) => a - b)
    return `| ${name} | ${show(at(sorted, 0.5))} | ${show(at(sorted, 0.95))} | ${show(at(sorted, 1))} |`
  })
  .join('\n')}

The search's tables take ${show(megabytes.index)} of ${show(megabytes.whole)} MB. A change of a title and a description takes ${show(indexed)} ms of processor time, ${showRatio(indexed / bare)} of one without the index.`)
