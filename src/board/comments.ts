/** Kanban comments: what people say about an item. */
import { prepareChildren } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanComments } from '../db/schema.ts'
import { forbidden } from '../errors.ts'
import type { CurrentMember } from '../schemas/records.ts'
import { timestamp } from '../time.ts'

/** Fields a client may set. */
export interface KanbanCommentInput {
  content?: string
}

/**
 * Prepares the statements that read and change comments.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export function prepareKanbanComments(db: SharedDatabase) {
  const comments = prepareChildren(db, kanbanComments)

  function refuseOthers(id: string, member: CurrentMember): void {
    const { authorId } = comments.get(id)
    if (authorId !== member.id && member.role !== 'admin') throw forbidden("another member's comment")
  }

  return {
    ...comments,

    /**
     * Creates a comment of the member.
     * @returns its id
     * @throws ApiError 404 when there is no such item
     */
    create: (itemId: string, { content }: Required<KanbanCommentInput>, { id: authorId }: CurrentMember) =>
      comments.create(itemId, { content, authorId }),

    /**
     * Changes a comment and notes when; an empty change leaves it as it is.
     * @throws ApiError 404, or 403 when the member is neither its author nor an admin
     */
    update(id: string, { content }: KanbanCommentInput, member: CurrentMember): void {
      refuseOthers(id, member)
      if (content !== undefined) comments.update(id, { content, editedAt: timestamp() })
    },

    /** Deletes a comment. @throws ApiError 404, or 403 when the member is neither its author nor an admin */
    delete(id: string, member: CurrentMember): void {
      refuseOthers(id, member)
      comments.delete(id)
    },
  }
}
