/** Moves a card without a pointer: to a project, a column, and a position in it. */
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { columnsOf, useColumns } from './columns.ts'
import { type CardTarget, type Destination, moveItem } from './item-writes.ts'
import { useLiveList } from './live-list.ts'
import { bySortOrder } from './order.ts'
import { placeAt } from './place.ts'
import { projectList } from './projects.ts'
import { mayWriteProject } from './rights.ts'
import { Dialog, DialogFoot } from './ui/dialog.tsx'
import { choiceName } from './ui/lock.tsx'
import { type Options, Select } from './ui/select.tsx'

const words = texts.item

export interface MoveDialogProps {
  target: CardTarget
  /** The cards of the column, in order, among which the user chooses a position; by default all of them. */
  shownIn?: (column: string) => readonly string[]
  onClose: () => void
  /** The card has left the project. */
  onGone?: () => void
}

export default function MoveDialog({ target, shownIn, onClose, onGone }: MoveDialogProps) {
  const { store, id } = target
  const item = store.items.get(id)
  const [projectId, setProject] = useState(store.id)
  const [chosen, setColumn] = useState(item?.column ?? '')
  const [wanted, setWanted] = useState<string | undefined>()
  useLiveList(projectList)
  useColumns()
  if (item === undefined) return null

  const projects = projectList.records
    .list((a, b) => a.name.localeCompare(b.name))
    .filter((one) => mayWriteProject(one.id))
  const project = projects.find((one) => one.id === projectId)
  const isHere = projectId === store.id
  const columns = isHere ? store.columnList : (columnsOf(projectId)?.toSorted(bySortOrder) ?? [])
  const column = columns.some(({ name }) => name === chosen) ? chosen : (columns[0]?.name ?? '')
  const ids = shownIn?.(column) ?? store.idsOf(column)
  const others = ids.filter((one) => one !== id)
  const titleOf = (one: string | undefined) => (one === undefined ? undefined : store.items.peek(one)?.title)
  const positions: Options = isHere
    ? [undefined, ...others].map((one, at) => [String(at + 1), words.positionOf(at + 1, titleOf(one))])
    : [
        ['top', words.top],
        ['bottom', words.bottom],
      ]
  const here = column === item.column ? ids.indexOf(id) + 1 : positions.length
  const position = wanted ?? (isHere ? String(here) : 'bottom')
  const destination: Destination = isHere
    ? placeAt(column, others, Math.min(Number(position), positions.length) - 1)
    : { project, column, at: position === 'top' ? 'top' : 'bottom' }

  const move = async () => {
    const moving = moveItem(target, destination)
    onClose()
    if ((await moving) && !isHere) onGone?.()
  }
  return (
    <Dialog title={words.moveTitle(item.title)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (column !== '') void move()
        }}
      >
        <Select
          label={texts.fields.project}
          value={projectId}
          options={
            project
              ? projects.map((one) => [one.id, choiceName(one)] as const)
              : [[projectId, store.project?.name ?? '']]
          }
          onChoose={(one) => {
            setProject(one)
            setWanted(undefined)
          }}
        />
        <Select
          label={texts.fields.column}
          autofocus
          value={column}
          options={columns.map(({ name }) => [name, name] as const)}
          onChoose={(name) => {
            setColumn(name)
            setWanted(undefined)
          }}
        />
        <Select label={words.position} value={position} options={positions} onChoose={setWanted} />
        <DialogFoot submit={words.move} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
