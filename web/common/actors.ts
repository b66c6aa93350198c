/** Who has made a change, in words: a person by name, or who else. */
import { texts } from '../texts.ts'
import type { Change } from './api.ts'
import { isKnown, personName } from './people.ts'

/** Who made something, as changes tell it. */
export interface Made {
  actorId: string | null
  actor?: Change['actor']
}

/** What whoever made it is called within a sentence. */
export const makerOf = ({ actorId, actor = 'another tool' }: Made): string =>
  actorId === null ? texts.actors[actor] : personName(actorId)

/** The same at the beginning of one. A name stays as it is. */
export function makerFirst(made: Made): string {
  const name = makerOf(made)
  const isName = made.actorId !== null && isKnown(made.actorId)
  return isName ? name : name.charAt(0).toUpperCase() + name.slice(1)
}
