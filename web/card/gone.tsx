/** Shown if the open card has left the project: it was deleted or moved to another project. */

import { makerOf } from '../common/actors.ts'
import { mayWriteIn } from '../common/rights.ts'
import { undo } from '../common/toasts.ts'
import { go, href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

const said = texts.card

export function Gone({ card, onClose }: { card: OpenCard; onClose: () => void }) {
  const whereabouts = card.whereabouts.value
  const deleted = card.store.deletedItems.get(card.id)
  if (whereabouts.step === 'elsewhere') {
    const there = paths.card(whereabouts.projectId, card.id)
    return (
      <div class="card-review" role="alert">
        <p>{said.elsewhere}</p>
        <a
          class="button"
          href={href(there)}
          onClick={(event) => {
            // Replaces the current history entry, whose address is no longer valid.
            event.preventDefault()
            go(there, { replace: true })
          }}
        >
          {said.openThere}
        </a>
      </div>
    )
  }
  if (deleted === undefined && whereabouts.step === 'unknown') return null
  return (
    <div class="card-review" role="alert">
      <p dir="auto">{said.deletedBy(makerOf(deleted ?? { actorId: null }))}</p>
      <div class="row">
        {deleted !== undefined && mayWriteIn(card.store) && (
          <button type="button" class="button-primary" onClick={() => void undo(deleted.seq)}>
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
