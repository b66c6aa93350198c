/** The people whom a board's cards and comments name. */
import { LIMITS } from '../../schemas/common.ts'
import { type SourceCard, type SourcePerson, UNKNOWN_AUTHOR } from '../sources/source-board.ts'
import { TooLarge } from '../sources/source-limits.ts'
import { personIn } from '../sources/source-values.ts'
import { isBlank, shorten } from './names.ts'

/** People of one board, at most: a person is a record, and each is looked for among those who are there. */
export const PEOPLE_LIMIT = 10_000

/** A person, and how often the board names it. */
export interface NamedPerson extends SourcePerson {
  /** Cards that it is to do. */
  items: number
  /** Comments that it wrote. */
  comments: number
}

/** Gives a person a name that shows, and an id as cards and comments have it. */
function fitPerson({ id, name, email }: SourcePerson): SourcePerson {
  const told = personIn(id)
  const known = [name, told.name, email, told.email].find((one) => !isBlank(one)) ?? id
  return {
    id: shorten(id, LIMITS.reference),
    name: shorten(known, LIMITS.name),
    email: email || told.email,
  }
}

/**
 * Who is to do the cards of a board, or wrote a comment there, in the order in which they are named. Authors who are unknown
 * are nobody.
 * @param cards as they are to be written
 * @param known what the file tells of people
 * @throws TooLarge
 */
export function namedPeople(cards: readonly SourceCard[], known: readonly SourcePerson[]): NamedPerson[] {
  const told = new Map(known.map(fitPerson).map((person) => [person.id, person]))
  const named = new Map<string, NamedPerson>()
  const name = (id: string, what: 'items' | 'comments') => {
    let person = named.get(id)
    if (person === undefined) {
      person = { ...(told.get(id) ?? fitPerson({ id, name: '', email: '' })), items: 0, comments: 0 }
      named.set(id, person)
    }
    person[what] += 1
  }
  for (const { assigneeId, comments } of cards) {
    if (assigneeId !== null) name(assigneeId, 'items')
    for (const { authorId } of comments) if (authorId !== UNKNOWN_AUTHOR) name(authorId, 'comments')
  }
  if (named.size > PEOPLE_LIMIT) {
    throw new TooLarge(`it names ${named.size} people, and a board may name ${PEOPLE_LIMIT}`)
  }
  return [...named.values()]
}
