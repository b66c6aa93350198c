/** Shown if the card has left the project: it was deleted or moved to another project. */

import { type Made, makerOf } from '../common/actors.ts'
import { mayWriteIn } from '../common/rights.ts'
import { undo } from '../common/toasts.ts'
import { go, href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

const words = texts.card

export function Gone({ card, onClose }: { card: OpenCard; onClose: () => void }) {
  const whereabouts = card.whereabouts.value
  const deleted = card.store.deletedItems.get(card.id)
  if (whereabouts.step === 'elsewhere') {
    const there = paths.card(whereabouts.projectId, card.id)
    return (
      <div class="card-review" role="alert">
        <p>{words.elsewhere}</p>
        <a
          class="button"
          href={href(there)}
          onClick={(event) => {
            // Replaces the current history entry, whose address is no longer valid.
            event.preventDefault()
            go(there, { replace: true })
          }}
        >
          {words.openThere}
        </a>
      </div>
    )
  }
  if (deleted === undefined && whereabouts.step === 'unknown') return null
  return <DeletedBy card={card} deletion={deleted} onClose={onClose} />
}

interface DeletedByProps {
  card: OpenCard
  /** Who deleted it, and the change to undo. */
  deletion: (Made & { seq: number }) | undefined
  onClose: () => void
}

/** Says who has deleted a card, and offers to undo it. */
export function DeletedBy({ card, deletion, onClose }: DeletedByProps) {
  return (
    <div class="card-review" role="alert">
      <p dir="auto">{words.deletedBy(makerOf(deletion ?? { actorId: null }))}</p>
      <div class="row">
        {deletion !== undefined && mayWriteIn(card.store) && (
          <button type="button" class="button-primary" onClick={() => void undo(deletion.seq)}>
            {texts.undo}
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {texts.close}
        </button>
      </div>
    </div>
  )
}
