/** The comments of the card, newest first, and the field for a new one. */
import { signal } from '@preact/signals'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { drafts } from '../common/drafts.ts'
import { isUploadingInto } from '../common/files/files-context.ts'
import { newestFirst } from '../common/order.ts'
import { MarkdownTools } from '../common/text-edit/markdown-tools.tsx'
import { Mentions } from '../common/text-edit/mentions.tsx'
import { failed } from '../common/toasts.ts'
import { Failed } from '../common/ui/page.tsx'
import { useDraft } from '../common/use-draft.ts'
import { texts } from '../texts.ts'
import { CardComments } from './card-comments.ts'
import { CommentView } from './comment-view.tsx'
import type { OpenCard } from './open-card.ts'

const words = texts.card

/** Pending comments by the names of their drafts. They may outlive the dialog while the service is unavailable. */
const sending = signal<ReadonlySet<string>>(new Set())

function NewComment({ card, comments }: { card: OpenCard; comments: CardComments }) {
  const name = `${card.draftPrefix}:comment`
  const { draft, keep, replace, remove } = useDraft(name)
  const isSending = sending.value.has(name)
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  /** The toolbar takes room only for those who write. */
  const [isActive, setActive] = useState(false)
  useEffect(() => {
    // A dialog sent this comment and was closed before the response.
    if (!isSending && drafts.read(name) === undefined) remove()
  }, [isSending])
  const text = draft?.text ?? ''
  const canSend = text.trim() !== '' && !isSending && !isUploadingInto(text)
  const send = async () => {
    if (!canSend) return
    sending.value = new Set([...sending.peek(), name])
    try {
      await comments.add(text)
      // Only now is the draft discarded.
      remove()
    } catch (error) {
      if (failed(error)) remove()
    } finally {
      sending.value = new Set([...sending.peek()].filter((one) => one !== name))
    }
  }
  return (
    <form
      class="card-new-comment"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {isActive && <MarkdownTools field={field} controls={id} onLate={replace} />}
      <textarea
        ref={field}
        id={id}
        aria-label={words.newComment}
        placeholder={words.newComment}
        dir="auto"
        rows={2}
        readOnly={isSending}
        value={text}
        onFocus={() => setActive(true)}
        onInput={({ currentTarget }) => keep(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          void send()
        }}
      />
      {isActive && <Mentions text={text} field={field} />}
      {text !== '' && (
        <div class="row">
          <button type="submit" class="button" aria-disabled={!canSend}>
            {words.commentSubmit}
          </button>
          <span class="meta">{words.commentHint}</span>
        </div>
      )}
    </form>
  )
}

interface CommentsProps {
  card: OpenCard
  canEdit: boolean
}

export function Comments({ card, canEdit }: CommentsProps) {
  const comments = useMemo(() => new CardComments(card), [card])
  useEffect(() => comments.start(), [comments])
  const list = comments.records.list(newestFirst)
  const failure = comments.failure.value
  return (
    <section class="card-part" aria-labelledby="card-comments">
      <h3 id="card-comments">{words.comments}</h3>
      {canEdit && <NewComment card={card} comments={comments} />}
      {failure !== undefined && <Failed isPart error={failure} retry={() => void comments.load()} />}
      {!canEdit && list.length === 0 && <p class="meta">{words.noComments}</p>}
      {list.map((comment) => (
        <CommentView key={comment.id} comments={comments} comment={comment} canEdit={canEdit} />
      ))}
    </section>
  )
}
