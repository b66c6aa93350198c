/** The dialog of a card, above its board. It has its own address. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Change, KanbanItem } from '../common/api.ts'
import type { OpenProject } from '../common/open-project.ts'
import { shownTitle } from '../common/titles.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { useDialogTitle } from '../common/ui/page.tsx'
import { back, go, href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { CardView } from './card-view.tsx'
import { DeletedBy } from './gone.tsx'
import { OpenCard } from './open-card.ts'

const words = texts.card

interface CardDialogProps {
  project: OpenProject
  id: string
}

/** Shows a card once its project is loaded. */
export default function CardDialog({ project, id }: CardDialogProps) {
  const card = useMemo(() => new OpenCard(project, id), [project, id])
  useEffect(() => void card.look(), [card])
  const item = card.store.items.get(id)
  const last = useRef<KanbanItem | undefined>(undefined)
  if (item !== undefined || last.current?.id !== id) last.current = item
  const whereabouts = card.whereabouts.value
  const isLost = item === undefined && project.state.value.step === 'ready'
  useEffect(() => {
    // The card existed when the dialog opened: find out where it is now.
    if (isLost && last.current) void card.look()
  }, [isLost])
  const isElsewhere = whereabouts.step === 'elsewhere'
  useEffect(() => {
    // The address is from before the card was moved to another project.
    if (isElsewhere && last.current === undefined)
      go(paths.card(whereabouts.projectId, id), { replace: true })
  }, [isElsewhere])

  const close = () => back(paths.board(card.store.id))
  if (last.current !== undefined) {
    return <CardView key={id} card={card} item={last.current} isHere={item !== undefined} onClose={close} />
  }
  if (whereabouts.step !== 'missing') return null
  return <MissingCard card={card} deletion={whereabouts.deletion} onClose={close} />
}

interface MissingCardProps {
  card: OpenCard
  deletion: Change | undefined
  onClose: () => void
}

/** Shown at the address of a card that does not exist, or not any more. */
function MissingCard({ card, deletion, onClose }: MissingCardProps) {
  const { title } = (deletion?.before ?? {}) as Partial<KanbanItem>
  const heading = title === undefined ? texts.missingCard : shownTitle(title)
  useDialogTitle(heading)
  return (
    <Dialog title={heading} onClose={onClose}>
      {deletion ? (
        <DeletedBy card={card} deletion={deletion} onClose={onClose} />
      ) : (
        <p>
          <a href={href(paths.board(card.store.id))}>{words.toBoard}</a>
        </p>
      )}
    </Dialog>
  )
}
