/** The subtasks of the card with their progress, and the field for a new one. */
import { useEffect, useRef } from 'preact/hooks'
import type { KanbanSubtask } from '../common/api.ts'
import { dragByTouch } from '../common/drag-by-touch.ts'
import type { Side } from '../common/drag-row.ts'
import { refocus } from '../common/focus.ts'
import { droppedAt } from '../common/order.ts'
import { isUnsaved } from '../common/record-writes.ts'
import { LeftTexts } from '../common/ui/left-texts.tsx'
import { useDraft } from '../common/use-draft.ts'
import { useUnsent } from '../common/use-unsent.ts'
import { texts } from '../texts.ts'
import type { CardPartProps, OpenCard } from './open-card.ts'
import { SubtaskRow } from './subtask-row.tsx'
import { addSubtask, deleteSubtask, orderSubtasks } from './subtask-writes.ts'

const words = texts.card

function NewSubtask({ card }: { card: OpenCard }) {
  const name = `${card.draftPrefix}:subtask`
  const { draft, keep, remove } = useDraft(name)
  const unsent = useUnsent(name)
  const add = async (title: string) => {
    unsent.begin(title)
    unsent.end(title, await addSubtask(card, title))
  }
  const text = draft?.text ?? ''
  return (
    <>
      <LeftTexts unsent={unsent} add={(title) => void add(title)} />
      <form
        class="row card-new-subtask"
        onSubmit={(event) => {
          event.preventDefault()
          const title = text.trim()
          if (title === '') return
          void add(title)
          remove()
        }}
      >
        <input
          aria-label={words.newSubtask}
          placeholder={words.newSubtask}
          dir="auto"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => keep(currentTarget.value)}
        />
        <button type="submit" class="button">
          {texts.add}
        </button>
      </form>
    </>
  )
}

export function Subtasks({ card, item, canEdit }: CardPartProps) {
  const { subtasks } = item
  const ticked = subtasks.filter(({ completed }) => completed).length
  const progress = words.subtaskProgress(ticked, subtasks.length)
  const move = (index: number, by: -1 | 1) => {
    const ids = subtasks.map(({ id }) => id)
    const [moved = ''] = ids.splice(index, 1)
    ids.splice(index + by, 0, moved)
    void orderSubtasks(card, ids)
  }
  const drop = (dragged: string, target: string, side: Side) => {
    const ids = subtasks.map(({ id }) => id)
    const at = droppedAt(ids, dragged, target, side)
    const order = ids.filter((id) => id !== dragged).toSpliced(at, 0, dragged)
    if (order.some((id, index) => id !== ids[index])) void orderSubtasks(card, order)
  }
  useEffect(() => void dragByTouch(), [])
  const section = useRef<HTMLElement>(null)
  const remove = (subtask: KanbanSubtask, index: number) => {
    void deleteSubtask(card, subtask)
    // The focus moves to the next subtask, or to the field for a new one.
    refocus(() => section.current?.querySelectorAll<HTMLElement>('input')[index]?.focus())
  }
  if (!canEdit && subtasks.length === 0) return null
  return (
    <section ref={section} class="card-part" aria-labelledby="card-subtasks">
      <div class="spread">
        <h3 id="card-subtasks">{words.subtasks}</h3>
        {subtasks.length > 0 && <span class="meta">{progress}</span>}
      </div>
      {subtasks.length > 0 && (
        <>
          <progress aria-labelledby="card-subtasks" value={ticked} max={subtasks.length} />
          <ul aria-labelledby="card-subtasks">
            {subtasks.map((subtask, index) => (
              <SubtaskRow
                key={subtask.id}
                card={card}
                subtask={subtask}
                canEdit={canEdit && !isUnsaved(subtask.id)}
                isFirst={index === 0}
                isLast={index === subtasks.length - 1}
                onMove={(by) => move(index, by)}
                onDrop={(dragged, side) => drop(dragged, subtask.id, side)}
                onDelete={() => remove(subtask, index)}
              />
            ))}
          </ul>
        </>
      )}
      {canEdit && <NewSubtask card={card} />}
    </section>
  )
}
