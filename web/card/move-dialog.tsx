/** Moves the card to a place by choosing it: project, column and position. */
import { useEffect, useState } from 'preact/hooks'
import { api, type KanbanItem, type ProjectSummary } from '../common/api.ts'
import { bySortOrder } from '../common/order.ts'
import { read } from '../common/session.ts'
import { failed } from '../common/toasts.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Select } from '../common/ui/select.tsx'
import { texts } from '../texts.ts'
import { moveCard } from './card-writes.ts'
import type { OpenCard } from './open-card.ts'

const said = texts.card

interface MoveDialogProps {
  card: OpenCard
  item: KanbanItem
  onClose: () => void
  /** It has left the project. */
  onGone: () => void
}

/** The names of a project's columns in their order: of this one as they are known, of another as the service says. */
function useColumns({ store }: OpenCard, projectId: string): readonly string[] {
  const [others, setOthers] = useState<readonly string[]>([])
  const isHere = projectId === store.id
  useEffect(() => {
    if (isHere) return
    let isCurrent = true
    setOthers([])
    read(() => api.get('/api/projects/{id}/kanban-columns', { path: { id: projectId } })).then((columns) => {
      if (isCurrent) setOthers(columns.toSorted(bySortOrder).map(({ name }) => name))
    }, failed)
    return () => {
      isCurrent = false
    }
  }, [isHere, projectId])
  return isHere ? store.columnList.map(({ name }) => name) : others
}

/** The projects that it may go to, by name. */
function useProjects(): readonly ProjectSummary[] {
  const [projects, setProjects] = useState<readonly ProjectSummary[]>([])
  useEffect(() => {
    read(() => api.get('/api/projects', { query: { view: 'summary' } })).then(
      (found) => setProjects(found.toSorted((a, b) => a.name.localeCompare(b.name))),
      failed,
    )
  }, [])
  return projects
}

export function MoveDialog({ card, item, onClose, onGone }: MoveDialogProps) {
  const { store } = card
  const [projectId, setProject] = useState(store.id)
  const [chosen, setColumn] = useState(item.column)
  const [place, setPlace] = useState('bottom')
  const projects = useProjects()
  const columns = useColumns(card, projectId)
  const column = columns.includes(chosen) ? chosen : (columns[0] ?? '')
  const isHere = projectId === store.id
  const neighbours = isHere ? store.idsOf(column).filter((id) => id !== card.id) : []

  const move = async () => {
    const isEnd = place === 'top' || place === 'bottom'
    const name = projects.find(({ id }) => id === projectId)?.name ?? ''
    onClose()
    const destination = { projectId, column, place: isEnd ? place : { afterId: place } } as const
    const text = isHere ? said.moved(column) : said.movedProject(name)
    if ((await moveCard(card, destination, text)) && !isHere) onGone()
  }

  return (
    <Dialog title={said.moveTitle(item.title)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (column !== '') void move()
        }}
      >
        <Select
          label={said.project}
          value={projectId}
          options={
            projects.length === 0
              ? [[store.id, store.project?.name ?? '']]
              : projects.map(({ id, name }) => [id, name] as const)
          }
          onChoose={(id) => {
            setProject(id)
            setPlace('bottom')
          }}
        />
        <Select
          label={said.column}
          value={column}
          options={columns.map((name) => [name, name] as const)}
          onChoose={(name) => {
            setColumn(name)
            setPlace('bottom')
          }}
        />
        <Select
          label={said.position}
          value={place}
          options={[
            ['top', said.top],
            ...neighbours.map((id) => [id, said.after(store.items.peek(id)?.title ?? '')] as const),
            ['bottom', said.bottom],
          ]}
          onChoose={setPlace}
        />
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {texts.cancel}
          </button>
          <button type="submit" class="button-primary">
            {said.moveSubmit}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
