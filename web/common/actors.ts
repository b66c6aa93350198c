/** The actor of a change as text: a person's name, or another actor. */
import { texts } from '../texts.ts'
import type { Change } from './api.ts'
import { personName } from './people.ts'

/** The actor fields of a change. */
export interface Made {
  actorId: string | null
  actor?: Change['actor']
}

/** The actor within a sentence. */
export const makerOf = ({ actorId, actor = 'another tool' }: Made): string =>
  actorId === null ? texts.actors[actor] : personName(actorId)

/** The actor at the beginning of a sentence. Names stay unchanged. */
export function makerFirst(made: Made): string {
  const name = makerOf(made)
  const isName = made.actorId !== null && name !== texts.people.somebody
  return isName ? name : name.charAt(0).toUpperCase() + name.slice(1)
}
