/** The comments of kanban items. */
import { Children } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import type { JsonPage, PageQuery } from '../db/pages.ts'
import { kanbanComments } from '../db/schema.ts'
import { notOwner } from '../errors.ts'
import { type CurrentMember, type KanbanComment, KanbanCommentSchema } from '../schemas/records.ts'
import { timestamp } from '../time.ts'

/** Fields a client may set. */
interface CommentInput {
  content?: string
}

/** The comments of items, oldest first. */
export class Comments {
  static readonly reads: readonly string[] = Children.reads
  readonly #comments: Children<typeof kanbanComments>

  constructor(db: SharedDatabase) {
    this.#comments = new Children(db, kanbanComments, KanbanCommentSchema)
  }

  /** The comments of an item, or a page of them. @throws ApiError 404 when there is no such item; TooMuchWork */
  list(itemId: string, query: PageQuery): JsonPage {
    return this.#comments.list(itemId, query)
  }

  /** One comment. @throws ApiError 404 */
  get(id: string): KanbanComment {
    return this.#comments.get(id)
  }

  /** Creates a comment of the member. @throws ApiError 404 when there is no such item */
  create(
    itemId: string,
    { content }: Required<CommentInput>,
    { id: authorId }: CurrentMember,
  ): KanbanComment {
    return this.#comments.create(itemId, { content, authorId })
  }

  /**
   * Changes a comment and sets `editedAt`; the same content leaves it as it is.
   * @throws ApiError 404, or 403 when the member is neither its author nor an admin
   */
  update(id: string, { content }: CommentInput, member: CurrentMember): KanbanComment {
    const comment = this.#ownOf(id, member)
    if (content === undefined || content === comment.content) return comment
    return this.#comments.update(id, { content, editedAt: timestamp() })
  }

  /** Deletes a comment. @throws ApiError 404, or 403 when the member is neither its author nor an admin */
  delete(id: string, member: CurrentMember): void {
    this.#ownOf(id, member)
    this.#comments.delete(id)
  }

  #ownOf(id: string, member: CurrentMember): KanbanComment {
    const comment = this.get(id)
    if (comment.authorId !== member.id && member.role !== 'admin') throw notOwner('comment')
    return comment
  }
}
