/** Tells chats what happens to cards: one message for a change, and one for a write of many. */
import { storedFields } from '../changes/api-changes.ts'
import type { ChangeRow, Sequence } from '../changes/sequence.ts'
import type { SharedDatabase } from '../db/client.ts'
import type { NamedPerson, People } from '../members/people.ts'
import { once } from '../once.ts'
import { CHAT_TOOLS, type ChatFormat } from './chat-formats.ts'
import { type ChatTexts, chatTexts } from './chat-texts.ts'
import type { Target } from './deliveries.ts'

/** What a webhook to a chat may be told of, as values of its `events`. */
export const CHAT_EVENTS = ['created', 'moved', 'finished', 'assigned', 'commented', 'due'] as const
export type ChatEvent = (typeof CHAT_EVENTS)[number]

/** Changes of one write that are told one by one; of more, only that there are. */
const FEW = 5

/** Changes of a write whose cards are counted. */
const COUNTED = 1000

/** Characters of a title and of a comment. */
const TITLE = 200
const COMMENT = 500

type Fields = Readonly<Record<string, unknown>>

interface Card {
  title: string
  number: number | null
  projectId: string
  key: string | null
  project: string
}

/** The rules that messages read. */
interface ChatRules {
  /** Whether a column of a project is a done column. */
  isDone: (projectId: string, column: string) => boolean
  people: Pick<People, 'named'>
  sequence: Pick<Sequence, 'groupOf'>
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The beginning of a text, in one line. */
const short = (value: unknown, length: number): string => {
  const line = text(value).replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line
}

/** A day, or an instant in UTC. */
const dateOf = (value: string): string =>
  value.endsWith('T00:00:00.000Z') ? value.slice(0, 10) : `${value.slice(0, 16).replace('T', ' ')} UTC`

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  card: once(() =>
    client.prepare<[string], Card>(
      `select title, number, project_id as projectId, projects.key, projects.name as project
      from kanban_items join projects on projects.id = project_id where kanban_items.id = +?`,
    ),
  ),
  // The changes of a write follow each other.
  ofGroup: once(() =>
    client.prepare<[object], { changes: number; cards: number; first: number | null }>(
      `select count(*) as changes, count(distinct item_id) as cards, min(seq) as first from changes
      where seq >= +:group and seq < +:group + ${COUNTED} and "group" = +:group
      and kind in ('kanban-item', 'kanban-comment')`,
    ),
  ),
})

export class ChatMessages {
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #rules: ChatRules
  readonly #publicUrl: string | undefined
  readonly #others: readonly NamedPerson[]

  /** @param others people without a row: the default member */
  constructor(
    db: SharedDatabase,
    rules: ChatRules,
    { publicUrl, others }: { publicUrl: string | undefined; others: readonly NamedPerson[] },
  ) {
    this.#sql = statementsOf(db)
    this.#rules = rules
    this.#publicUrl = publicUrl
    this.#others = others
  }

  /** The body of a test message. */
  test({ format, language }: Target): Buffer {
    const texts = chatTexts(language)
    const { escaped, body } = CHAT_TOOLS[format as ChatFormat]
    return toBody(body({ line: escaped(texts.test), quote: '', url: this.#publicUrl, open: texts.open }))
  }

  /** The body of the message about a change; undefined for one that the webhook is not told of. */
  bodyOf(row: ChangeRow, { format, events, language }: Target): Buffer | undefined {
    const tool = CHAT_TOOLS[format as ChatFormat]
    const texts = chatTexts(language)
    const by = tool.escaped(this.#name(row.actorId, texts))
    const card = row.itemId === null ? undefined : this.#sql.card().get(row.itemId)
    // It may be gone by now.
    if (card === undefined) return undefined
    const url = this.#urlOf(card, row.itemId as string)
    const named = tool.escaped(nameOf(card, texts))
    const link = url === undefined ? named : tool.link(named, url)
    const [before, after] = [row.before, row.after].map((one): Fields => storedFields(one ?? '{}') ?? {})
    const isTold = (event: ChatEvent) => events.length === 0 || events.includes(event)
    const happened = this.#happened(row, before as Fields, after as Fields, card).filter(({ event }) =>
      isTold(event),
    )
    if (happened.length === 0) return undefined

    const group = this.#rules.sequence.groupOf(row)
    const { changes, cards, first } = this.#sql.ofGroup().get({ group }) ?? {
      changes: 1,
      cards: 1,
      first: null,
    }
    if (changes > FEW) {
      if (first !== row.seq) return undefined
      const line = texts.several(by, changes >= COUNTED ? undefined : cards)
      return toBody(tool.body({ line, quote: '', url: undefined, open: texts.open }))
    }
    const line = happened.map(({ say }) => say(texts, by, link, tool.escaped)).join('\n')
    const quote = row.kind === 'kanban-comment' ? tool.escaped(short(after?.content, COMMENT)) : ''
    return toBody(tool.body({ line, quote, url, open: texts.open }))
  }

  /** What a change means for its card. */
  #happened(
    { kind, action }: ChangeRow,
    before: Fields,
    after: Fields,
    { projectId, project }: Card,
  ): Happened[] {
    if (kind === 'kanban-comment') {
      return action === 'created'
        ? [{ event: 'commented', say: (texts, by, card) => texts.commented(by, card) }]
        : []
    }
    if (action === 'created') {
      const column = short(after.column, TITLE)
      return [
        { event: 'created', say: (texts, by, card, escaped) => texts.created(by, card, escaped(column)) },
      ]
    }
    if (action !== 'updated') return []
    const happened: Happened[] = []
    if ('projectId' in after) {
      happened.push({
        event: 'moved',
        say: (texts, by, card, escaped) => texts.movedHere(by, card, escaped(project)),
      })
    } else if ('column' in after) {
      const [from, to] = [text(before.column), text(after.column)]
      const isDone = (column: string) => this.#rules.isDone(projectId, column)
      happened.push(
        isDone(to) && !isDone(from)
          ? { event: 'finished', say: (texts, by, card, escaped) => texts.finished(by, card, escaped(to)) }
          : {
              event: 'moved',
              say: (texts, by, card, escaped) => texts.moved(by, card, escaped(from), escaped(to)),
            },
      )
    }
    const assignee = text(after.assigneeId)
    if (assignee !== '') {
      const say: Happened['say'] = (texts, by, card, escaped) =>
        texts.assigned(by, card, escaped(this.#name(assignee, texts)))
      happened.push({ event: 'assigned', say })
    }
    if ('dueDate' in after) {
      const date = text(after.dueDate)
      const say: Happened['say'] = (texts, by, card, escaped) =>
        date === '' ? texts.notDue(by, card) : texts.due(by, card, escaped(dateOf(date)))
      happened.push({ event: 'due', say })
    }
    return happened
  }

  #name(id: string | null, texts: ChatTexts): string {
    if (id === null) return texts.somebody
    return short(this.#rules.people.named([id], this.#others)[0]?.name, TITLE) || texts.somebody
  }

  #urlOf({ key, number, projectId }: Card, id: string): string | undefined {
    if (this.#publicUrl === undefined) return undefined
    const path =
      key === null || number === null
        ? `projects/${encodeURIComponent(projectId)}/items/${encodeURIComponent(id)}`
        : `${key}-${number}`
    return `${this.#publicUrl}/${path}`
  }
}

/** Something that happened to a card, and its sentence. */
interface Happened {
  event: ChatEvent
  say: (texts: ChatTexts, by: string, card: string, escaped: (text: string) => string) => string
}

/** The card's number and title. */
function nameOf({ key, number, title }: Card, texts: ChatTexts): string {
  const named = short(title, TITLE) || texts.untitled
  return key === null || number === null ? named : `${key}-${number} ${named}`
}

const toBody = (body: object): Buffer => Buffer.from(JSON.stringify(body))
