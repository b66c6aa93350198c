/** Tells chats what happens to cards: one message for a change, and one for a write of many. */
import { storedFields } from '../changes/api-changes.ts'
import type { ChangeRow, Sequence } from '../changes/sequence.ts'
import type { SharedDatabase } from '../db/client.ts'
import type { NamedPerson, People } from '../members/people.ts'
import { once } from '../once.ts'
import { oneLine } from '../safe-texts.ts'
import { isDay } from '../time.ts'
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

/** Characters of a title and of a comment; a longer one ends with an ellipsis. */
const TITLE = 199
const COMMENT = 499

interface Card {
  title: string
  number: number | null
  projectId: string
  key: string | null
  project: string
}

/** The changes of a write, some cards of them, and the first one. */
interface OfGroup {
  changes: number
  cards: number
  first: number
}

/** What lines begin with, and how to write them. Names and links are already escaped. */
interface Telling {
  by: string
  link: string
  texts: ChatTexts
  escaped: (text: string) => string
}

/** The rules that messages read. */
interface ChatRules {
  /** Whether a column of a project is a done column. */
  isDone: (projectId: string, column: string) => boolean
  people: Pick<People, 'named'>
  sequence: Pick<Sequence, 'groupOf'>
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The fields of one side of a change. */
const fieldsIn = (side: string | null): Readonly<Record<string, unknown>> => storedFields(side ?? '{}') ?? {}

/** A day, or an instant in UTC. */
const dateOf = (value: string): string =>
  isDay(value) ? value.slice(0, 10) : `${value.slice(0, 16).replace('T', ' ')} UTC`

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  card: once(() =>
    client.prepare<[string], Card>(
      `select title, number, project_id as projectId, projects.key, projects.name as project
      from kanban_items join projects on projects.id = project_id where kanban_items.id = +?`,
    ),
  ),
  // The changes of a write follow each other.
  ofGroup: once(() =>
    client.prepare<[object], OfGroup>(
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
    const card = row.itemId === null ? undefined : this.#sql.card().get(row.itemId)
    // It may be gone by now.
    if (card === undefined) return undefined
    const [tool, texts] = [CHAT_TOOLS[format as ChatFormat], chatTexts(language)]
    const url = this.#urlOf(card, row.itemId as string)
    const named = tool.escaped(nameOf(card, texts))
    const link = url === undefined ? named : tool.link(named, url)
    const by = tool.escaped(this.#name(row.actorId, texts))
    const lines = [...this.#happened(row, card, { by, link, texts, escaped: tool.escaped })]
      .filter(([event]) => events.length === 0 || events.includes(event))
      .map(([, line]) => line)
    if (lines.length === 0) return undefined

    const group = this.#rules.sequence.groupOf(row)
    const { changes, cards, first } = this.#sql.ofGroup().get({ group }) as OfGroup
    if (changes > FEW) {
      if (first !== row.seq) return undefined
      const line = texts.several(by, changes >= COUNTED ? undefined : cards)
      return toBody(tool.body({ line, quote: '', url: undefined, open: texts.open }))
    }
    const quote =
      row.kind === 'kanban-comment' ? tool.escaped(oneLine(text(fieldsIn(row.after).content), COMMENT)) : ''
    return toBody(tool.body({ line: lines.join('\n'), quote, url, open: texts.open }))
  }

  /** What a change means for its card: each event, and the line about it. */
  *#happened(
    { kind, action, ...row }: ChangeRow,
    { projectId, project }: Card,
    { by, link, texts, escaped }: Telling,
  ): Iterable<[ChatEvent, string]> {
    if (kind === 'kanban-comment') {
      if (action === 'created') yield ['commented', texts.commented(by, link)]
      return
    }
    const [before, after] = [fieldsIn(row.before), fieldsIn(row.after)]
    if (action === 'created') {
      yield ['created', texts.created(by, link, escaped(oneLine(text(after.column), TITLE)))]
      return
    }
    if (action !== 'updated') return
    if ('projectId' in after) yield ['moved', texts.movedHere(by, link, escaped(project))]
    else if ('column' in after) {
      const [from, to] = [text(before.column), text(after.column)]
      const isDone = (column: string) => this.#rules.isDone(projectId, column)
      yield isDone(to) && !isDone(from)
        ? ['finished', texts.finished(by, link, escaped(to))]
        : ['moved', texts.moved(by, link, escaped(from), escaped(to))]
    }
    const assignee = text(after.assigneeId)
    if (assignee !== '') yield ['assigned', texts.assigned(by, link, escaped(this.#name(assignee, texts)))]
    if ('dueDate' in after) {
      const date = text(after.dueDate)
      yield ['due', date === '' ? texts.notDue(by, link) : texts.due(by, link, escaped(dateOf(date)))]
    }
  }

  #name(id: string | null, texts: ChatTexts): string {
    if (id === null) return texts.somebody
    return oneLine(text(this.#rules.people.named([id], this.#others)[0]?.name), TITLE) || texts.somebody
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

/** The card's number and title. */
function nameOf({ key, number, title }: Card, texts: ChatTexts): string {
  const named = oneLine(text(title), TITLE) || texts.untitled
  return key === null || number === null ? named : `${key}-${number} ${named}`
}

const toBody = (body: object): Buffer => Buffer.from(JSON.stringify(body))
