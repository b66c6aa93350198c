/**
 * Fits cards to the API's limits: text lengths, and the size of one card, since every later read or
 * change reads all of it.
 */
import { LIMITS } from '../../schemas/common.ts'
import type { SourceCard, SourceComment, SourceSubtask } from '../sources/source-board.ts'
import { TooLarge } from '../sources/source-limits.ts'
import { fitLinks } from './fit-links.ts'
import { readableName, shorten } from './names.ts'

/** The limits of one card; text in characters. */
export const CARD_LIMITS = { subtasks: 1000, comments: 1000, labels: 1000, text: 2_000_000 }

/** Most assignees of an item. The ids of a card's others stay in the metadata of its item. */
export const ASSIGNEES_LIMIT = 1

/** A fitted card, and the numbers of parts that did not fit. */
interface FittedCard {
  /** Its attachments are links. */
  card: SourceCard
  /** Texts continued in comments. */
  continued: number
  /** Shortened names of people and ids. */
  shortened: number
  /** Attachments without a URL that a link may have: they are in the rest of the card. */
  unlinked: number
  /** Attachments beyond the limit of an item: likewise. */
  surplus: number
}

/** The end of the first characters of a text, in code points as in the API. */
function endOf(text: string, begin: number, characters: number): number {
  if (text.length - begin <= characters) return text.length
  let end = begin
  for (let count = 0; count < characters && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return end
}

/**
 * Splits a text into pieces; joined, they are the text.
 * @param first maximum characters of the first piece
 * @param further of each other piece
 */
export function* piecesOf(text: string, first: number, further = first): Generator<string> {
  let begin = endOf(text, 0, first)
  yield text.slice(0, begin)
  while (begin < text.length) {
    const end = endOf(text, begin, further)
    yield text.slice(begin, end)
    begin = end
  }
}

/** The name of a card in messages. */
const called = ({ title }: SourceCard) => `the card ${JSON.stringify(shorten(readableName(title), 60))}`

/** @throws TooLarge if a card exceeds a limit */
function refuseLarge(card: SourceCard): void {
  const sum = (texts: readonly { length: number }[]) => texts.reduce((total, { length }) => total + length, 0)
  const found = {
    subtasks: card.subtasks.length,
    comments: card.comments.length,
    labels: card.labels.length,
    text:
      card.description.length +
      sum(card.subtasks.map(({ title }) => title)) +
      sum(card.comments.map(({ text }) => text)),
  }
  for (const [what, most] of Object.entries(CARD_LIMITS) as [keyof typeof CARD_LIMITS, number][]) {
    if (found[what] <= most) continue
    const of = what === 'text' ? 'characters of text' : what
    throw new TooLarge(`${called(card)} has ${found[what]} ${of}, and a card may have ${most}`)
  }
}

/**
 * Fits a card. Too long texts continue in comments, so that nothing is lost: the rest of a description or
 * comment, and the whole title of a subtask. Attachments become links.
 * @throws TooLarge if the card exceeds a limit
 */
export function fitCard(card: SourceCard): FittedCard {
  refuseLarge(card)
  let continued = 0
  let shortened = 0
  const reference = (text: string) => {
    const short = shorten(text, LIMITS.reference)
    shortened += Number(short !== text)
    return short
  }
  const toComment = (text: string): SourceComment => ({
    authorId: 'unknown',
    text,
    createdAt: card.createdAt,
    editedAt: null,
  })

  const [description = '', ...restOfIt] = piecesOf(card.description, LIMITS.description, LIMITS.comment)
  continued += Number(restOfIt.length > 0)
  const titles: SourceComment[] = []
  const subtasks = card.subtasks.map((subtask): SourceSubtask => {
    const title = shorten(subtask.title, LIMITS.title)
    if (title === subtask.title) return subtask
    continued += 1
    titles.push(...[...piecesOf(subtask.title, LIMITS.comment)].map(toComment))
    return { ...subtask, title }
  })
  const written = card.comments.flatMap((comment) => {
    const authorId = reference(comment.authorId)
    const texts = [...piecesOf(comment.text, LIMITS.comment)]
    continued += Number(texts.length > 1)
    return texts.length === 1 && authorId === comment.authorId
      ? comment
      : texts.map((text) => ({ ...comment, authorId, text }))
  })
  const comments = [...restOfIt.map(toComment), ...titles, ...written]
  const { links, rest: unlinkedRest, unlinked, surplus } = fitLinks(card.attachments)
  const attachments = links.map((link) => ({
    ...link,
    creatorId: link.creatorId === null ? null : reference(link.creatorId),
  }))
  const id = reference(card.id)
  const assignees = card.assignees.slice(0, ASSIGNEES_LIMIT).map(reference)
  // All of them, if one is shortened or left out.
  const isWhole =
    assignees.length === card.assignees.length && assignees.every((one, at) => one === card.assignees[at])
  const rest = {
    ...card.rest,
    ...unlinkedRest,
    ...(id !== card.id && { sourceId: card.id }),
    ...(!isWhole && { assignees: card.assignees }),
  }
  const fitted = { ...card, id, assignees, description, subtasks, comments, attachments, rest }
  return { card: fitted, continued, shortened, unlinked, surplus }
}
