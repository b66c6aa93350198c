/** The side column of the dialog: the fields, the card's origin, and its actions. */

import { makerOf } from '../common/actors.ts'
import { addressToShare, numberOf } from '../common/card-numbers.ts'
import { atMoment } from '../common/dates.ts'
import { Icon } from '../common/ui/icon.tsx'
import { WatchButton } from '../common/watch-button.tsx'
import { texts } from '../texts.ts'
import { AssigneeField, ColumnField, DueDateField, PriorityField } from './fields.tsx'
import { Labels } from './labels.tsx'
import type { CardPartProps } from './open-card.ts'
import { Reminders } from './reminders.tsx'
import { sourceName } from './words.ts'

const words = texts.card

interface SideProps extends CardPartProps {
  /** Whether the card is still in the project. */
  isHere: boolean
  areLabelsOpen: boolean
  onLabels: () => void
  onMove: () => void
  onCopy: () => void
}

/** The origin of the card, with the meeting if it comes from one. */
function Source({ card, item }: Pick<SideProps, 'card' | 'item'>) {
  const { source, sourceId, claimedUntil } = item
  const transcript = card.store.transcripts.get(sourceId)?.title
  const maker = card.maker.value
  const name = maker ? makerOf(maker) : maker === null ? texts.people.somebody : texts.people.notYet
  const isClaimed = claimedUntil !== null && Date.parse(claimedUntil) > Date.now()
  return (
    <div class="field">
      <span class="meta">{words.source}</span>
      <span>
        <bdi>{source === 'manual' ? words.createdBy(name) : sourceName(source)}</bdi>
        {transcript !== undefined && (
          <>
            : <bdi>{transcript}</bdi>
          </>
        )}
      </span>
      {isClaimed && <span class="meta">{words.claimed(atMoment(claimedUntil))}</span>}
    </div>
  )
}

/** The number, which names the card in texts and addresses. */
function CardNumber({ card, item }: Pick<SideProps, 'card' | 'item'>) {
  const number = numberOf(card.store, item)
  return number === undefined ? null : (
    <div class="field">
      <span class="meta">{words.number}</span>
      <a href={addressToShare(card.store, card.id)}>{number}</a>
    </div>
  )
}

export function Side({ card, item, isHere, canEdit, areLabelsOpen, onLabels, onMove, onCopy }: SideProps) {
  const fields = { card, item, canEdit }
  return (
    <div class="card-side">
      <CardNumber card={card} item={item} />
      <ColumnField {...fields} />
      <AssigneeField {...fields} />
      <DueDateField {...fields} />
      <Reminders {...fields} />
      <PriorityField {...fields} />
      <Labels {...fields} isOpen={areLabelsOpen} onToggle={onLabels} />
      <Source card={card} item={item} />
      <div class="row">
        {isHere && <WatchButton kind="card" id={card.id} title={item.title} />}
        {canEdit && (
          <button type="button" class="button" onClick={onMove}>
            <Icon name="move" /> {texts.item.moveTo}
          </button>
        )}
        <button type="button" class="button" onClick={onCopy}>
          <Icon name="copy" /> {words.copyLink}
        </button>
      </div>
    </div>
  )
}
