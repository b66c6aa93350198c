/** The description of the card in Markdown, edited in place. */
import { MarkdownText } from '../common/markdown/markdown-text.tsx'
import { startsEditing } from '../common/text-edit/click-to-edit.ts'
import { ConflictNotice } from '../common/text-edit/conflict-notice.tsx'
import { LeftDraft } from '../common/text-edit/left-draft.tsx'
import { TextEditor } from '../common/text-edit/text-editor.tsx'
import { useTextEdit } from '../common/text-edit/use-text-edit.ts'
import { useTicks } from '../common/text-edit/use-ticks.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import { saveCardText } from './card-writes.ts'
import type { OpenCard } from './open-card.ts'
import { useFocusAfter } from './use-focus-after.ts'

const CALLED = texts.inSentence(texts.card.description)

interface DescriptionProps {
  card: OpenCard
  value: string
  canEdit: boolean
}

export function Description({ card, value, canEdit }: DescriptionProps) {
  const edit = useTextEdit({
    name: `${card.draftPrefix}:description`,
    called: CALLED,
    value,
    base: card.store.items.base(card.id)?.description,
    save: (text, from) => saveCardText(card, 'description', text, from),
    maker: () => card.store.makerOf(card.id, 'description'),
  })
  const tick = useTicks({
    edit,
    value,
    canEdit,
    save: (text, from) => saveCardText(card, 'description', text, from, 'nowhere'),
  })
  const button = useFocusAfter(edit)
  const isEmpty = edit.shown === ''
  return (
    <section class="card-part" aria-labelledby="card-description">
      <div class="spread">
        <h3 id="card-description">{texts.card.description}</h3>
        {canEdit && edit.mode === 'shown' && (
          <button
            ref={button}
            type="button"
            class="button-link"
            aria-label={isEmpty ? texts.card.addDescription : texts.card.editDescription}
            onClick={edit.begin}
          >
            <Icon name={isEmpty ? 'add' : 'edit'} /> {isEmpty ? texts.add : texts.edit}
          </button>
        )}
      </div>
      <LeftDraft edit={edit} />
      {edit.mode === 'shown' && !isEmpty && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the button beside the heading does the same.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the same.
        <div
          class={canEdit ? 'edit-by-click' : undefined}
          onClick={(event) => canEdit && startsEditing(event) && edit.begin()}
        >
          <MarkdownText text={edit.shown} onTick={tick} />
        </div>
      )}
      {edit.mode === 'editing' && (
        <TextEditor
          hasMentions
          label={texts.card.description}
          text={edit.text}
          onType={edit.type}
          onLate={edit.replace}
          onSave={edit.save}
          onLeave={edit.leave}
          isDisabled={!canEdit}
        />
      )}
      {edit.mode === 'conflict' && <ConflictNotice edit={edit} called={CALLED} />}
    </section>
  )
}
