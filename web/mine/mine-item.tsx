/** One of the user's items. Checking it moves it to the column for completed cards. */
import type { Signal } from '@preact/signals'
import type { KanbanItem } from '../common/api.ts'
import { columnsOf, doneColumn } from '../common/columns.ts'
import { fullDue, isOverdue, nearDue } from '../common/dates.ts'
import { projectName } from '../common/projects.ts'
import type { Records } from '../common/records.ts'
import { mayWriteProject } from '../common/rights.ts'
import { termName } from '../common/terms.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon } from '../common/ui/icon.tsx'
import { PriorityIcon } from '../common/ui/priority.tsx'
import { href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { moveTo } from './mine-writes.ts'

function Due({ dueDate, isLate }: { dueDate: string; isLate: boolean }) {
  return (
    <span class={isLate ? 'danger' : undefined}>
      <Icon name={isLate ? 'warning' : 'calendar'} />{' '}
      <time datetime={dueDate} title={fullDue(dueDate)}>
        {isLate ? texts.minePage.overdue(nearDue(dueDate)) : nearDue(dueDate)}
      </time>
    </span>
  )
}

interface MineItemProps {
  item: KanbanItem
  records: Records<KanbanItem>
  ticked: Signal<ReadonlyMap<string, string>>
}

export function MineItem({ item, records, ticked }: MineItemProps) {
  const { id, title, projectId, column, dueDate, priority } = item
  const former = ticked.value.get(id)
  // Undoing it brings it back to its column.
  const isTicked = former !== undefined && column !== former
  const target = doneColumn(columnsOf(projectId))?.name

  const mark = (column: string | undefined) => {
    const next = new Map(ticked.peek())
    if (column === undefined) next.delete(id)
    else next.set(id, column)
    ticked.value = next
  }
  const tick = async (isDone: boolean) => {
    const to = isDone ? target : former
    if (to === undefined) return
    mark(isDone ? column : undefined)
    if (!(await moveTo(item, to, records))) mark(isDone ? undefined : former)
  }

  return (
    <li class={isTicked ? 'mine-item mine-done' : 'mine-item'}>
      {mayWriteProject(projectId) && (
        <input
          type="checkbox"
          aria-label={texts.minePage.done(title)}
          checked={isTicked}
          disabled={target === undefined}
          onChange={(event) => void tick(event.currentTarget.checked)}
        />
      )}
      <h3>
        <a href={href(paths.card(projectId, id))} dir="auto">
          {shownTitle(title)}
        </a>
      </h3>
      <p class="meta mine-facts">
        <a href={href(paths.board(projectId))} dir="auto">
          {projectName(projectId) ?? '…'}
        </a>
        <span dir="auto">{column}</span>
        {dueDate && <Due dueDate={dueDate} isLate={isOverdue(item)} />}
        {priority !== 'medium' && (
          <span dir="auto">
            <PriorityIcon priority={priority} /> {termName('priority', priority)}
          </span>
        )}
      </p>
    </li>
  )
}
