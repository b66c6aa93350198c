/** A card with all its records. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { KanbanItem } from '../common/api.ts'
import { addressToShare } from '../common/card-numbers.ts'
import { copyLink } from '../common/copy-link.ts'
import { FilesContext } from '../common/files/files-context.ts'
import { deleteItem, toggleDismissed } from '../common/item-writes.ts'
import { inModal, useKeys } from '../common/keys.ts'
import MoveDialog from '../common/move-dialog.tsx'
import { mayWriteIn } from '../common/rights.ts'
import { openEditors, useTextEdit } from '../common/text-edit/use-text-edit.ts'
import { shownTitle } from '../common/titles.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { late } from '../common/ui/late.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { topDialog } from '../common/ui/open-dialogs.ts'
import { useDialogTitle } from '../common/ui/page.tsx'
import { place } from '../router.ts'
import { texts } from '../texts.ts'
import { CardFiles } from './card-files.ts'
import { CardTitle } from './card-title.tsx'
import { saveCardText } from './card-writes.ts'
import { Comments } from './comments.tsx'
import { Description } from './description.tsx'
import type { FilesProps } from './files.tsx'
import { Gone } from './gone.tsx'
import { HistoryList } from './history-list.tsx'
import type { OpenCard } from './open-card.ts'
import { Review } from './review.tsx'
import { Side } from './side.tsx'
import { Subtasks } from './subtasks.tsx'
import type { ViewerProps } from './viewer.tsx'

const words = texts.card

const Files = late<FilesProps>(
  () => import('./files.tsx'),
  () => null,
)
const Viewer = late<ViewerProps>(
  () => import('./viewer.tsx'),
  () => null,
)

interface CardViewProps {
  card: OpenCard
  /** The current card, or its last state if it is gone. */
  item: KanbanItem
  /** Whether it is still in the project. */
  isHere: boolean
  onClose: () => void
}

/** The fields that an address can open: `?edit=priority`. */
const FIELDS: Readonly<Record<string, string>> = {
  assignee: 'card-assignee',
  priority: 'card-priority',
  due: 'card-due',
  labels: 'card-labels',
}

export function CardView({ card, item, isHere, onClose }: CardViewProps) {
  const [isMoving, setMoving] = useState(false)
  const [areLabelsOpen, setLabelsOpen] = useState(false)
  const canEdit = isHere && mayWriteIn(card.store)
  const canAttach = useRef(canEdit)
  canAttach.current = canEdit
  const title = useTextEdit({
    name: `${card.draftPrefix}:title`,
    called: texts.inSentence(words.title),
    value: item.title,
    base: card.store.items.base(card.id)?.title,
    save: (text, from) => saveCardText(card, 'title', text, from),
    maker: () => card.store.makerOf(card.id, 'title'),
  })
  const files = useMemo(() => new CardFiles(card, () => canAttach.current), [card])
  useEffect(() => files.start(), [files])
  useDialogTitle(shownTitle(title.shown), shownTitle(card.store.project?.name ?? ''))

  const focus = (field: string) => {
    if (field === 'labels') setLabelsOpen(true)
    document.getElementById(FIELDS[field] ?? '')?.focus()
  }
  // By then the dialog has focused the title.
  useEffect(() => {
    const { query } = place.peek()
    if (query.get('at') === 'comments') document.getElementById('card-comments')?.scrollIntoView()
    const field = query.get('edit')
    if (field === null || !canEdit) return
    if (field === 'title') title.begin()
    else focus(field)
  }, [])
  const copy = () => void copyLink(addressToShare(card.store, card.id))
  const ownDialog = useRef<string | undefined>(undefined)
  // By then the dialog is on top.
  useLayoutEffect(() => {
    ownDialog.current = topDialog.peek()
  }, [])
  /** The keys do nothing below another dialog, e.g. the viewer. */
  const ifOnTop = (act: () => unknown) => () => (topDialog.peek() === ownDialog.current ? act() : false)
  const ifEditable = (act: () => void) => ifOnTop(() => (canEdit ? act() : false))
  useKeys(
    inModal({
      e: ifEditable(title.begin),
      a: ifEditable(() => focus('assignee')),
      l: ifEditable(() => focus('labels')),
      t: ifEditable(() => focus('labels')),
      p: ifEditable(() => focus('priority')),
      d: ifEditable(() => focus('due')),
      m: ifEditable(() => setMoving(true)),
      x: ifEditable(() => toggleDismissed(card)),
      c: ifOnTop(copy),
    }),
  )

  const remove = () => {
    onClose()
    void deleteItem(card)
  }
  const parts = { card, item, canEdit }
  return (
    <FilesContext.Provider value={files}>
      <Dialog
        title={title.shown}
        size="wide"
        onClose={onClose}
        closesOutside={openEditors.value === 0}
        heading={(id) => <CardTitle id={id} edit={title} canEdit={canEdit} />}
        actions={
          canEdit && (
            <>
              {!item.dismissed && (
                <button type="button" class="button-link card-dismiss" onClick={() => toggleDismissed(card)}>
                  {texts.item.dismiss}
                </button>
              )}
              <Menu
                label={texts.actions(shownTitle(item.title))}
                items={[
                  !item.dismissed && {
                    label: texts.item.dismiss,
                    run: () => toggleDismissed(card),
                    key: 'x',
                  },
                  { label: texts.item.moveTo, run: () => setMoving(true), key: 'm' },
                  { label: words.copyLink, run: copy },
                  { label: words.delete, run: remove, isDanger: true },
                ]}
              >
                <Icon name="more" />
              </Menu>
            </>
          )
        }
      >
        <div class="card-body">
          {!isHere && <Gone card={card} onClose={onClose} />}
          {!mayWriteIn(card.store) && <p class="meta">{texts.readOnly}</p>}
          <Review {...parts} />
          <div class="card-columns">
            <div class="card-main">
              <Description card={card} value={item.description} canEdit={canEdit} />
              <Subtasks {...parts} />
              <Files {...parts} files={files} />
            </div>
            <Side
              {...parts}
              isHere={isHere}
              areLabelsOpen={areLabelsOpen}
              onLabels={() => setLabelsOpen(!areLabelsOpen)}
              onMove={() => setMoving(true)}
              onCopy={copy}
            />
            <div class="card-main">
              <Comments card={card} canEdit={canEdit} />
              <HistoryList card={card} canEdit={mayWriteIn(card.store)} />
            </div>
          </div>
        </div>
        {isMoving && <MoveDialog target={card} onClose={() => setMoving(false)} onGone={onClose} />}
        {files.viewed.value !== undefined && <Viewer files={files} />}
      </Dialog>
    </FilesContext.Provider>
  )
}
