/** What a notification says, and where it leads. */
import type { MemberNotification } from '../common/api.ts'
import { fullDay } from '../common/dates.ts'
import { personName } from '../common/people.ts'
import { later } from '../later-texts.ts'
import { paths } from '../router.ts'

const words = later.attention

/** What happened: "Ada commented". Subscribes to the name. A kind that this page does not know has only its name. */
export function didOf({ kind, actorId }: MemberNotification): string {
  const who = actorId === null ? words.somebody : personName(actorId)
  return words.did[kind]?.(who) ?? kind
}

/** The text of a notification, for people. Empty for none. */
export function textOf({ kind, text, count }: MemberNotification): string {
  if (count > 1) return words.many(count)
  if (text === '') return ''
  if (kind === 'moved') return words.movedTo(text)
  if (kind === 'due') return Number.isNaN(Date.parse(text)) ? text : words.dueOn(fullDay(text))
  return text
}

/** The path of what it is about: the card, at its comments if it tells of one, or the board. undefined for several projects. */
export function pathOf({ kind, itemId, projectId }: MemberNotification): string | undefined {
  if (projectId === null) return undefined
  if (itemId === null) return paths.board(projectId)
  return paths.card(projectId, itemId) + (kind === 'commented' ? '?at=comments' : '')
}
