/** What is to be decided about a card, or was: new from elsewhere, or dismissed. */
import type { KanbanItem } from '../common/api.ts'
import { texts } from '../texts.ts'
import { choose } from './card-writes.ts'
import type { OpenCard } from './open-card.ts'

const said = texts.card

/** Dismisses the card, or brings it back. */
export const dismiss = (card: OpenCard, dismissed: boolean): void =>
  void choose(card, { dismissed }, dismissed ? said.dismissed : said.restored)

interface ReviewProps {
  card: OpenCard
  item: KanbanItem
  canEdit: boolean
}

export function Review({ card, item, canEdit }: ReviewProps) {
  const { isNew, approved, dismissed } = item
  if (dismissed) {
    return (
      <div class="card-review">
        <p>{said.isDismissed}</p>
        {canEdit && (
          <button type="button" class="button" onClick={() => dismiss(card, false)}>
            {said.restore}
          </button>
        )}
      </div>
    )
  }
  if (!isNew && approved) return null
  return (
    <div class="card-review">
      <p>{said.isNew}</p>
      {canEdit && (
        <div class="row">
          <button
            type="button"
            class="button-primary"
            onClick={() => void choose(card, { approved: true, isNew: false }, said.approved)}
          >
            {said.approve}
          </button>
          <button type="button" class="button" onClick={() => dismiss(card, true)}>
            {said.dismiss}
          </button>
        </div>
      )}
    </div>
  )
}
