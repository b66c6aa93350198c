/** The text of a notification, and the page that it opens. */
import type { MemberNotification } from '../common/api.ts'
import { fullDue } from '../common/dates.ts'
import { personName } from '../common/people.ts'
import { later } from '../later-texts.ts'
import { paths } from '../router.ts'

const words = later.attention

/** The event: "Ada commented". Subscribes to the name. An unknown kind has only its name. */
export function didOf({ kind, actorId }: MemberNotification): string {
  const who = actorId === null ? words.somebody : personName(actorId)
  return words.did[kind]?.(who) ?? kind
}

/** The text of a notification, for people. Empty for none. */
export function textOf({ kind, text, count }: MemberNotification): string {
  if (count > 1) return words.many(count)
  if (text === '') return ''
  if (kind === 'moved') return words.movedTo(text)
  if (kind === 'due') return Number.isNaN(Date.parse(text)) ? text : words.dueOn(fullDue(text))
  return text
}

/** The path of its page: the card (at the comments for a comment), or the board. undefined for several projects. */
export function pathOf({ kind, itemId, projectId }: MemberNotification): string | undefined {
  if (projectId === null) return undefined
  if (itemId === null) return paths.board(projectId)
  return paths.card(projectId, itemId) + (kind === 'commented' ? '?at=comments' : '')
}
