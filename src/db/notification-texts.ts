/**
 * SQL about the texts of notifications. A notification keeps an excerpt of a comment or description, which may have been edited or deleted
 * since, e.g. because it contained a password. Its change tells which one it is.
 */

/** Characters of a text that are compared, as JSON; an excerpt is of the first hundreds. */
const COMPARED = 2000

/** Whether a change has set a field to a text, by its beginning. A JSON text has no quote that is not escaped. */
const hasSet = (change: string, field: string, text: string): string =>
  `instr(${change}."after", '"${field}":' || substr(json_quote(substr(${text}, 1, ${COMPARED})), 1, ${COMPARED})) > 0`

/** Whether a notification has an excerpt of a comment or description. */
const isExcerpt = (notice: string): string =>
  `(${notice}.kind in ('commented', 'mentioned') and ${notice}.item_id is not null)`

/**
 * The text of a notification: empty if what it is an excerpt of has been edited or deleted, or if that is unknown, as the change is pruned.
 * @param notice its row in the statement
 */
export const currentText = (
  notice: string,
): string => `(case when ${isExcerpt(notice)} and ${notice}.text <> '' and not exists (
    select 1 from main.changes as made
    left join main.kanban_comments as remark on made.kind = 'kanban-comment' and remark.id = made.id
    left join main.kanban_items as card on made.kind = 'kanban-item' and card.id = made.id
    where made.seq = ${notice}.seq
      and (${hasSet('made', 'content', 'remark.content')} or ${hasSet('made', 'description', 'card.description')}))
  then '' else ${notice}.text end)`

/** Condition: a notification is about a comment that is deleted. @param notice its row in the statement */
export const isOfDeletedComment = (notice: string): string => `(${isExcerpt(notice)} and exists (
    select 1 from main.changes as made where made.seq = ${notice}.seq and made.kind = 'kanban-comment'
      and not exists (select 1 from main.kanban_comments as remark where remark.id = made.id)))`
