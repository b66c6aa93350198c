/** A card behind a share link, to read. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { fullDue } from '../common/dates.ts'
import { MarkdownText } from '../common/markdown/markdown-text.tsx'
import { personName } from '../common/people.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { shownTitle } from '../common/titles.ts'
import { chipColor } from '../common/ui/chip.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { useDialogTitle } from '../common/ui/page.tsx'
import { texts } from '../texts.ts'

interface SharedCardProps {
  store: ProjectStore
  id: string
  onClose: () => void
}

export function SharedCard({ store, id, onClose }: SharedCardProps) {
  const item = store.items.get(id)
  const title = item === undefined ? texts.missingCard : shownTitle(item.title)
  useDialogTitle(title, shownTitle(store.project?.name ?? ''))
  return (
    <Dialog title={title} size={item ? 'wide' : 'small'} onClose={onClose}>
      {item && (
        <div class="card-body">
          <div class="card-columns">
            <div class="card-main">
              {item.description !== '' && <MarkdownText text={item.description} />}
              <Subtasks item={item} />
            </div>
            <Facts item={item} />
          </div>
        </div>
      )}
    </Dialog>
  )
}

function Subtasks({ item: { subtasks } }: { item: KanbanItem }) {
  if (subtasks.length === 0) return null
  return (
    <section class="card-part" aria-labelledby="card-subtasks">
      <h3 id="card-subtasks">{texts.card.subtasks}</h3>
      <ul aria-labelledby="card-subtasks">
        {subtasks.map(({ id, title, completed }) => (
          <li key={id} class="card-subtask">
            <label>
              <input type="checkbox" checked={completed} disabled />
              <span dir="auto">{shownTitle(title)}</span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The fields that are set. */
function Facts({ item }: { item: KanbanItem }) {
  const { column, assigneeIds, dueDate, priority, labels } = item
  return (
    <dl class="card-side">
      <div>
        <dt class="meta">{texts.fields.column}</dt>
        <dd dir="auto">{column}</dd>
      </div>
      {assigneeIds.length > 0 && (
        <div>
          <dt class="meta">{texts.fields.person}</dt>
          <dd dir="auto">{assigneeIds.map(personName).join(', ')}</dd>
        </div>
      )}
      {dueDate && (
        <div>
          <dt class="meta">{texts.card.due}</dt>
          <dd>{fullDue(dueDate)}</dd>
        </div>
      )}
      <div>
        <dt class="meta">{texts.fields.priority}</dt>
        <dd dir="auto">{texts.board.priorities[priority] ?? priority}</dd>
      </div>
      {labels.length > 0 && (
        <div>
          <dt class="meta">{texts.board.labelsOf}</dt>
          {labels.map((label) => (
            <dd key={label.id}>
              <span class="chip" style={chipColor(label.color)} dir="auto">
                {label.name}
              </span>
            </dd>
          ))}
        </div>
      )}
    </dl>
  )
}
