/** One comment with its author, time and text. Its author and admins can edit and delete it. */
import type { KanbanComment } from '../common/api.ts'
import { ago, atMoment } from '../common/dates.ts'
import { MarkdownText } from '../common/markdown/markdown-text.tsx'
import { personName } from '../common/people.ts'
import { isAdmin, me } from '../common/session.ts'
import { ConflictNotice } from '../common/text-edit/conflict-notice.tsx'
import { LeftDraft } from '../common/text-edit/left-draft.tsx'
import { TextEditor } from '../common/text-edit/text-editor.tsx'
import { useTextEdit } from '../common/text-edit/use-text-edit.ts'
import { useTicks } from '../common/text-edit/use-ticks.ts'
import { Avatar } from '../common/ui/avatar.tsx'
import { texts } from '../texts.ts'
import type { CardComments } from './card-comments.ts'
import { useFocusAfter } from './use-focus-after.ts'

const words = texts.card
const CALLED = texts.inSentence(words.comment)

interface CommentViewProps {
  comments: CardComments
  comment: KanbanComment
  canEdit: boolean
}

export function CommentView({ comments, comment, canEdit }: CommentViewProps) {
  const { id, authorId, content, createdAt, editedAt } = comment
  const edit = useTextEdit({
    name: `kanban-comment:${id}:content`,
    called: CALLED,
    value: content,
    base: comments.records.base(id)?.content,
    save: (text, from) => comments.change(id, text, from),
  })
  const mayChange = canEdit && (authorId === me.value?.id || isAdmin.value)
  const tick = useTicks({
    edit,
    value: content,
    canEdit: mayChange,
    save: (text, from) => comments.change(id, text, from, 'nowhere'),
  })
  const button = useFocusAfter(edit)
  const name = personName(authorId)
  return (
    <article class="card-comment" aria-label={words.commentOf(name, atMoment(createdAt))}>
      <header class="row">
        <Avatar id={authorId} name={name} />
        <strong dir="auto">{name}</strong>
        <time class="meta" dateTime={createdAt} title={atMoment(createdAt)}>
          {ago(createdAt)}
        </time>
        {editedAt !== null && (
          <span class="meta" title={atMoment(editedAt)}>
            {words.edited}
          </span>
        )}
      </header>
      <LeftDraft edit={edit} />
      {edit.mode === 'shown' && <MarkdownText text={edit.shown} onTick={tick} />}
      {edit.mode === 'editing' && (
        <TextEditor
          hasMentions
          label={words.comment}
          text={edit.text}
          onType={edit.type}
          onLate={edit.replace}
          onSave={edit.save}
          onLeave={edit.leave}
          isDisabled={edit.text.trim() === ''}
        />
      )}
      {edit.mode === 'conflict' && <ConflictNotice edit={edit} called={CALLED} />}
      {mayChange && edit.mode === 'shown' && (
        <div class="row card-comment-actions">
          <button ref={button} type="button" class="button-link" onClick={edit.begin}>
            {texts.edit}
          </button>
          <button type="button" class="button-link" onClick={() => void comments.remove(id)}>
            {texts.delete}
          </button>
        </div>
      )}
    </article>
  )
}
