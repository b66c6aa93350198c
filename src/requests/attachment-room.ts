/** Checks whether files may be attached, before any byte of them is read. */
import type { Principal } from '../access/policy.ts'
import { ATTACHMENTS_LIMIT, tooManyAttachments } from '../board/attachments.ts'
import type { ScopedRules } from './scoped-rules.ts'

/** The number of files that a caller may attach to an item; the write checks it again. @throws ApiError 404, 403 or 409 */
export function roomFor(scoped: ScopedRules, principal: Principal | undefined, itemId: string): number {
  const { projectId, count } = scoped.read(principal, ({ board }) => board.attachments.place(itemId))
  scoped.ensureWritable(principal, projectId)
  if (count >= ATTACHMENTS_LIMIT) throw tooManyAttachments()
  return ATTACHMENTS_LIMIT - count
}
