/** The objectives of the project. */
import { useState } from 'preact/hooks'
import type { Objective } from '../common/api.ts'
import { MarkdownText } from '../common/markdown/markdown-text.tsx'
import { bySortOrder } from '../common/order.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { texts } from '../texts.ts'
import { ObjectiveDialog } from './objective-dialog.tsx'
import { moveObjective, removeObjective, setStatus } from './objective-writes.ts'
import { Section } from './section.tsx'

const words = texts.overview

interface RowProps {
  store: ProjectStore
  objective: Objective
  index: number
  count: number
  onChange: () => void
}

function Row({ store, objective, index, count, onChange }: RowProps) {
  const { title, description, status } = objective
  const options: (readonly [string, string])[] = Object.entries(words.objectiveStatus)
  const all = status in words.objectiveStatus ? options : [...options, [status, status] as const]
  const moveTo = (to: number) => moveObjective(store, objective, to)
  return (
    <li class="objective">
      <div>
        <h3 class="objective-title" dir="auto">
          {shownTitle(title)}
        </h3>
        {description !== '' && <MarkdownText text={description} />}
      </div>
      {mayWriteIn(store) ? (
        <>
          <select
            aria-label={words.statusOf(title)}
            value={status}
            onChange={({ currentTarget }) => setStatus(store, objective, currentTarget.value)}
          >
            {all.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <Menu
            label={texts.actions(title)}
            items={[
              { label: texts.change, run: onChange },
              index > 0 && { label: words.moveUp, run: () => moveTo(index - 1) },
              index < count - 1 && { label: words.moveDown, run: () => moveTo(index + 1) },
              index > 1 && { label: texts.moveToTop, run: () => moveTo(0) },
              index < count - 2 && { label: texts.moveToBottom, run: () => moveTo(count - 1) },
              { label: texts.delete, run: () => removeObjective(store, objective), isDanger: true },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </>
      ) : (
        <span class="meta" dir="auto">
          {all.find(([value]) => value === status)?.[1]}
        </span>
      )}
    </li>
  )
}

export function Objectives({ store }: { store: ProjectStore }) {
  const [editing, setEditing] = useState<Objective | 'new' | undefined>()
  const list = store.objectives.list(bySortOrder)
  return (
    <Section
      title={words.objectives}
      aside={
        mayWriteIn(store) && (
          <button type="button" class="button" onClick={() => setEditing('new')}>
            <Icon name="add" /> {words.addObjective}
          </button>
        )
      }
    >
      {list.length === 0 && <p class="muted">{words.none}</p>}
      <ol class="lines" aria-label={words.objectives}>
        {list.map((objective, index) => (
          <Row
            key={objective.id}
            store={store}
            objective={objective}
            index={index}
            count={list.length}
            onChange={() => setEditing(objective)}
          />
        ))}
      </ol>
      {editing && (
        <ObjectiveDialog
          store={store}
          {...(editing !== 'new' && { objective: editing })}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Section>
  )
}
