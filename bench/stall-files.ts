/** Import files: large ones, and small ones that expand to something large. */
import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import SQLite from 'better-sqlite3'
import { times } from './times.ts'

const AT = '2026-01-31T00:00:00.000Z'

const LISTS = times(8, (n) => ({ id: `list ${n}`, name: `List ${n}`, pos: n }))
const LABELS = times(20, (n) => ({ id: `label ${n}`, name: `Label ${n}`, color: 'red' }))

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

const trelloComment = (card: string, text: string) => ({
  type: 'commentCard',
  idMemberCreator: 'somebody',
  date: AT,
  data: { text, card: { id: card } },
})

/** A Trello board. Each card has a label, a comment and two checklist entries. @param description that of each card */
export const trelloBoard = (
  cards: number,
  description = 'What there is to say about this card. '.repeat(4),
): Buffer =>
  bytesOf({
    id: `board of ${cards}`,
    name: `Board of ${cards}`,
    lists: LISTS,
    labels: LABELS,
    cards: times(cards, (n) => ({
      id: `card ${n}`,
      name: `Card ${n} of this board`,
      desc: description,
      idList: `list ${n % 8}`,
      idLabels: [`label ${n % 20}`],
      pos: n,
    })),
    checklists: times(cards, (n) => ({
      id: `checklist ${n}`,
      idCard: `card ${n}`,
      name: 'Steps',
      checkItems: times(2, (step) => ({ id: `${n} ${step}`, name: `Step ${step}`, state: 'incomplete' })),
    })),
    actions: times(cards, (n) => trelloComment(`card ${n}`, `What somebody says about card ${n}`)),
  })

/** A Trello board whose cards all have the same id, and therefore share the same `count` comments and checklist entries. */
export const trelloShared = (cards: number, count: number): Buffer =>
  bytesOf({
    id: 'shared',
    name: 'Shared',
    lists: LISTS,
    cards: times(cards, () => ({ id: 'card', name: 'Card', idList: 'list 0' })),
    checklists: [
      {
        id: 'checklist',
        idCard: 'card',
        name: 'Steps',
        checkItems: times(count, (n) => ({ id: `${n}`, name: 'Step' })),
      },
    ],
    actions: times(count, () => trelloComment('card', 'Hm')),
  })

/** A Planka board whose cards all have the same id, and therefore share the same `count` tasks, labels and comments. */
export const plankaShared = (cards: number, count: number): Buffer =>
  bytesOf({
    item: { id: 'shared', name: 'Shared', createdAt: AT },
    included: {
      lists: [{ id: 'list', name: 'List', position: 1, type: 'active' }],
      labels: times(count, (n) => ({ id: `label ${n}`, name: `Label ${n}` })),
      cards: times(cards, () => ({ id: 'card', name: 'Card', listId: 'list' })),
      cardLabels: times(count, (n) => ({ cardId: 'card', labelId: `label ${n}` })),
      tasks: times(count, () => ({ cardId: 'card', name: 'Step' })),
      comments: times(count, () => ({ cardId: 'card', text: 'Hm', createdAt: AT })),
    },
  })

/** A Kanboard database whose tasks all have the same id, and therefore share the same `count` subtasks, comments and tags. */
export function kanboardShared(cards: number, count: number): Buffer {
  const client = new SQLite(':memory:')
  const numbers = (most: number) =>
    `with recursive n (i) as (select 1 union all select i + 1 from n limit ${most})`
  try {
    client.exec(`
      create table projects (id, name, is_active);
      create table tasks (id, title, project_id, is_active);
      create table subtasks (id, task_id, title);
      create table comments (id, task_id, date_creation, comment);
      create table tags (id, name, project_id);
      create table task_has_tags (task_id, tag_id);
      insert into projects values (1, 'Shared', 1);
      ${numbers(cards)} insert into tasks select 1, 'Card', 1, 1 from n;
      ${numbers(count)} insert into subtasks select i, 1, 'Step' from n;
      ${numbers(count)} insert into comments select i, 1, 1767312000, 'Hm' from n;
      ${numbers(count)} insert into tags select i, 'Tag ' || i, 1 from n;
      ${numbers(count)} insert into task_has_tags select 1, i from n;`)
    return client.serialize()
  } finally {
    client.close()
  }
}

/** A Trello board with one card, which has a description of a given length. */
export const trelloLargeCard = (length: number): Buffer =>
  bytesOf({
    id: 'large',
    name: 'Large',
    lists: LISTS,
    cards: [{ id: 'card', name: 'Large', desc: 'word '.repeat(length / 5), idList: 'list 0' }],
  })

/** A Trello board with one card, which has a given number of checklist entries. */
export const trelloManyEntries = (count: number): Buffer =>
  bytesOf({
    id: 'many',
    name: 'Many',
    lists: LISTS,
    cards: [{ id: 'card', name: 'Many', idList: 'list 0' }],
    checklists: [
      {
        id: 'checklist',
        idCard: 'card',
        name: 'Steps',
        checkItems: times(count, (n) => ({ id: `${n}`, name: `Step ${n}` })),
      },
    ],
  })

/** A table with a given number of tasks. */
export const csvTable = (rows: number): Buffer =>
  Buffer.from(
    `Title,Status,Description,Labels,Due date,Priority\n${times(
      rows,
      (n) =>
        `Card ${n},List ${n % 8},"What there is to say, about this card",Label ${n % 20},2026-03-01,high`,
    ).join('\n')}\n`,
  )

/** A Planka board with a given number of cards, each with a task and a comment. */
export const plankaBoard = (cards: number): Buffer =>
  bytesOf({
    item: { id: `planka ${cards}`, name: `Planka ${cards}`, createdAt: AT },
    included: {
      lists: [{ id: 'list', name: 'List', position: 1, type: 'active' }],
      labels: [],
      cards: times(cards, (n) => ({ id: `${n}`, name: `Card ${n}`, listId: 'list', position: n })),
      tasks: times(cards, (n) => ({ id: `t${n}`, cardId: `${n}`, name: 'Step' })),
      comments: times(cards, (n) => ({ id: `c${n}`, cardId: `${n}`, text: 'Hm', createdAt: AT })),
    },
  })

/** A Kanboard database with a given number of tasks, each with a subtask. */
export function kanboardBoard(cards: number): Buffer {
  const client = new SQLite(':memory:')
  try {
    client.exec(`
      create table projects (id integer primary key, name, is_active);
      create table columns (id integer primary key, title, position, project_id);
      create table tasks (id integer primary key, title, description, project_id, column_id, position, is_active);
      create table subtasks (id integer primary key, task_id, title);
      insert into projects values (1, 'Kanboard ${cards}', 1);
      insert into columns values (1, 'List', 1, 1);
      with recursive n (i) as (select 1 union all select i + 1 from n limit ${cards})
        insert into tasks select i, 'Card ' || i, 'Text', 1, 1, i, 1 from n;
      insert into subtasks select id, id, 'Step' from tasks;`)
    return client.serialize()
  } finally {
    client.close()
  }
}

/** Compresses by gzip. */
export const packed = (bytes: Buffer): Buffer => gzipSync(bytes)

/** `[[],[],...]`, a given number of empty arrays, compressed by gzip. 240 MB of them compress to one. */
export async function packedArrays(count: number): Promise<Buffer> {
  const piece = 1_000_000
  function* pieces() {
    yield '['
    for (let left = count - 1; left > 0; left -= piece) yield '[],'.repeat(Math.min(left, piece))
    yield '[]]'
  }
  const chunks: Buffer[] = []
  for await (const chunk of Readable.from(pieces()).pipe(createGzip({ level: 1 }))) chunks.push(chunk)
  return Buffer.concat(chunks)
}
