/** The people in a board's cards, comments and attachments. */
import { nameIn } from '../../email-addresses.ts'
import { LIMITS } from '../../schemas/common.ts'
import { type SourceCard, type SourcePerson, UNKNOWN_AUTHOR } from '../sources/source-board.ts'
import { TooLarge } from '../sources/source-limits.ts'
import { personIn } from '../sources/source-values.ts'
import { isBlank, shorten } from './names.ts'

/** Most people of one board: each is a record, and is matched against existing people. */
const PEOPLE_LIMIT = 10_000

/** A person with its numbers of references. */
export interface NamedPerson extends SourcePerson {
  /** Cards assigned to it. */
  items: number
  comments: number
  attachments: number
}

/** Normalises a person: a visible name without an address, and the id used in cards and comments. */
function fitPerson({ id, name, email }: SourcePerson): SourcePerson {
  const parsed = personIn(id)
  const known = [name, parsed.name, email, parsed.email].find((one) => !isBlank(one)) ?? id
  return {
    id: shorten(id, LIMITS.reference),
    name: shorten(nameIn(known), LIMITS.name),
    email: email || parsed.email,
  }
}

/**
 * The assignees, comment authors and creators of attachments of a board, in order of their first reference, without unknown
 * authors.
 * @param cards fitted cards
 * @param known people in the file
 * @throws TooLarge
 */
export function namedPeople(cards: readonly SourceCard[], known: readonly SourcePerson[]): NamedPerson[] {
  const fitted = new Map(known.map(fitPerson).map((person) => [person.id, person]))
  const named = new Map<string, NamedPerson>()
  const name = (id: string, what: 'items' | 'comments' | 'attachments') => {
    let person = named.get(id)
    if (person === undefined) {
      person = {
        ...(fitted.get(id) ?? fitPerson({ id, name: '', email: '' })),
        ...{ items: 0, comments: 0, attachments: 0 },
      }
      named.set(id, person)
    }
    person[what] += 1
  }
  for (const { assignees, comments, attachments } of cards) {
    for (const assignee of assignees) name(assignee, 'items')
    for (const { authorId } of comments) if (authorId !== UNKNOWN_AUTHOR) name(authorId, 'comments')
    for (const { creatorId } of attachments) if (creatorId !== null) name(creatorId, 'attachments')
  }
  if (named.size > PEOPLE_LIMIT) {
    throw new TooLarge(`it names ${named.size} people, and a board may name ${PEOPLE_LIMIT}`)
  }
  return [...named.values()]
}
