/** One idea. Its handle drags it, and its menu moves it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PersonalIdea } from '../common/api.ts'
import { useRowDrag } from '../common/drag-row.ts'
import { leaveRow } from '../common/focus.ts'
import { droppedAt } from '../common/order.ts'
import { projectList, projectName } from '../common/projects.ts'
import { isUnsaved } from '../common/record-writes.ts'
import { mayMakeProjects } from '../common/session.ts'
import { termName } from '../common/terms.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu, type MenuItem } from '../common/ui/menu.tsx'
import { PriorityIcon } from '../common/ui/priority.tsx'
import { href, paths, place } from '../router.ts'
import { texts } from '../texts.ts'
import { IdeaForm } from './idea-form.tsx'
import { deleteIdea, discardIdea, moveIdea, promoteIdea, reopenIdea } from './idea-writes.ts'

const list = texts.ideaList

/** The link to the project that was created from it. */
function Promoted({ projectId }: { projectId: string }) {
  const name = projectName(projectId)
  if (name === undefined) {
    return projectList.state.value.step === 'ready' ? <span>{list.projectGone}</span> : null
  }
  return (
    <a href={href(paths.board(projectId))} dir="auto">
      {list.project(name)}
    </a>
  )
}

function moves(idea: PersonalIdea, ordered: readonly PersonalIdea[]): MenuItem[] {
  const at = ordered.findIndex(({ id }) => id === idea.id)
  const last = ordered.length - 1
  const to = (index: number) => () => void moveIdea(idea, ordered, index)
  return at < 0
    ? []
    : [
        at > 0 && { label: texts.moveToTop, run: to(0) },
        at > 0 && { label: texts.moveUp, run: to(at - 1) },
        at < last && { label: texts.moveDown, run: to(at + 1) },
        at < last && { label: texts.moveToBottom, run: to(last) },
      ]
}

interface IdeaRowProps {
  idea: PersonalIdea
  /** The ideas among which it can be moved; empty if it cannot. */
  ordered: readonly PersonalIdea[]
}

export function IdeaRow({ idea, ordered }: IdeaRowProps) {
  const { id, title, description, priority, status, promotedProjectId } = idea
  const [isEdited, setEdited] = useState(false)
  const row = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLSpanElement>(null)
  const side = useRowDrag({
    list: 'personal-idea',
    id,
    row,
    handle,
    onDrop: (dragged, edge) => {
      const held = ordered.find((one) => one.id === dragged)
      const ids = ordered.map((one) => one.id)
      if (held) void moveIdea(held, ordered, droppedAt(ids, dragged, id, edge))
    },
  })
  const closeForm = () => {
    setEdited(false)
    row.current?.querySelector<HTMLElement>('[aria-haspopup=menu]')?.focus()
  }
  /** The idea leaves this list: it goes to another group, or is deleted. */
  const leave = (write: (idea: PersonalIdea) => Promise<unknown>) => () => {
    leaveRow(row.current)
    void write(idea)
  }
  const isShown = place.value.query.get('show') === id
  useEffect(() => {
    if (isShown) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  return (
    <li
      ref={row}
      class={`idea ${side ? `drop-row-${side}` : ''} ${isShown ? 'idea-shown' : ''}`}
      aria-current={isShown ? 'true' : undefined}
    >
      {ordered.length > 0 && (
        <span ref={handle} class="row-handle idea-handle" aria-hidden="true">
          <Icon name="move" />
        </span>
      )}
      <div class="idea-body">
        <h3 dir="auto">{shownTitle(title)}</h3>
        {description && !isEdited && (
          <p class="meta idea-description" dir="auto">
            {description}
          </p>
        )}
        <p class="meta idea-facts">
          {priority !== 'medium' && (
            <span dir="auto">
              <PriorityIcon priority={priority} /> {termName('priority', priority)}
            </span>
          )}
          {status !== 'idea' && <span dir="auto">{termName('idea', status)}</span>}
          {promotedProjectId && <Promoted projectId={promotedProjectId} />}
        </p>
        {isEdited && <IdeaForm idea={idea} onClose={closeForm} />}
      </div>
      {!isUnsaved(id) && (
        <Menu
          label={texts.actions(shownTitle(title))}
          items={[
            { label: texts.edit, run: () => setEdited(true) },
            ...moves(idea, ordered),
            mayMakeProjects.value &&
              promotedProjectId === null && { label: list.promote, run: leave(promoteIdea) },
            status === 'discarded'
              ? { label: list.reopen, run: leave(reopenIdea) }
              : status !== 'promoted' && { label: list.discard, run: leave(discardIdea) },
            { label: texts.delete, run: leave(deleteIdea), isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
    </li>
  )
}
