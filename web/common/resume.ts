/** Sends the writes that waited when the page was reloaded, and shows the result. */
import { texts } from '../texts.ts'
import { messageOf } from './api.ts'
import { me } from './session.ts'
import { toast } from './toasts.ts'
import { resumeWrites } from './writes.ts'

/** The maximum number of refused writes in the message. */
const NAMED = 3

/** Sends the waiting writes of the user, who is signed in. */
export async function resumeAndSay(): Promise<void> {
  const owner = me.peek()?.id
  if (owner === undefined) return
  const { sent, refused } = await resumeWrites(owner)
  const done = sent > 0 ? texts.resumed(sent) : ''
  if (refused.length === 0) {
    if (sent > 0) toast(done)
    return
  }
  const lines = refused
    .slice(0, NAMED)
    .map(({ message, error }) =>
      texts.notResumedOne(message, error === undefined ? texts.tooLate : messageOf(error)),
    )
  toast(`${texts.notResumed(lines, refused.length - lines.length)} ${done}`.trim(), [], 'alert')
}
