/** The review of a card: pending for one from a transcript or import, or dismissed. */
import { approve, toggleDismissed } from '../common/item-writes.ts'
import { texts } from '../texts.ts'
import type { CardPartProps } from './open-card.ts'

const words = texts.card

export function Review({ card, item, canEdit }: CardPartProps) {
  const { isNew, approved, dismissed } = item
  if (dismissed) {
    return (
      <div class="card-review">
        <p>{words.isDismissed}</p>
        {canEdit && (
          <button type="button" class="button" onClick={() => toggleDismissed(card)}>
            {texts.restore}
          </button>
        )}
      </div>
    )
  }
  if (!isNew && approved) return null
  return (
    <div class="card-review">
      <p>{words.isNew}</p>
      {canEdit && (
        <div class="row">
          <button type="button" class="button-primary" onClick={() => approve(card)}>
            {texts.item.approve}
          </button>
          <button type="button" class="button" onClick={() => toggleDismissed(card)}>
            {texts.item.dismiss}
          </button>
        </div>
      )}
    </div>
  )
}
