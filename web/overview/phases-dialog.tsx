/** Edits the phases of a project: rename, reorder, add, remove. */
import { useRef, useState } from 'preact/hooks'
import { api } from '../common/api.ts'
import { saveFields } from '../common/latest.ts'
import { fieldsOf, type ProjectFields, type ProjectStore } from '../common/project-store.ts'
import { done } from '../common/toasts.ts'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { type EditedPhase, edited, moved, toEdit } from './phases.ts'
import { readProject } from './project-writes.ts'

const words = texts.overview

type Sequence = Pick<ProjectFields, 'phaseConfig' | 'phase'>

/** Saves the phases, unless somebody else has changed them in the meantime. @throws LostRace; PhaseboardError */
async function savePhases(store: ProjectStore, base: { current: Sequence }, after: Sequence): Promise<void> {
  const { seq } = await write({
    pending: [store.projects.patch(store.id, (project) => project && { ...project, ...after })],
    send: (idempotencyKey) =>
      saveFields({
        base: base as { current: ProjectFields },
        after,
        read: async () => {
          const answer = await readProject(store)
          return { ...answer, data: fieldsOf(answer.data) }
        },
        send: async (body, ifMatch) => {
          const path = { id: store.id }
          const answer = await api.request('patch', '/api/projects/{id}', {
            path,
            body,
            ifMatch,
            idempotencyKey,
          })
          return { ...answer, data: fieldsOf(answer.data) }
        },
      }),
    onDone: ({ data, seq: made }) => store.projects.put(data, made ?? store.projects.seqOf(store.id)),
  })
  done(seq, words.saved(words.phases))
}

interface RowProps {
  phase: EditedPhase
  index: number
  count: number
  onName: (name: string) => void
  onMove: (by: 1 | -1) => void
  onRemove: () => void
}

function Row({ phase, index, count, onName, onMove, onRemove }: RowProps) {
  const called = phase.name || words.phase(index + 1)
  const button = (label: string, icon: 'up' | 'down' | 'close', isOff: boolean, run: () => void) => (
    <button
      type="button"
      class="button-icon"
      aria-label={label}
      aria-disabled={isOff || undefined}
      onClick={() => !isOff && run()}
    >
      <Icon name={icon} />
    </button>
  )
  return (
    <li class="phase-row">
      <input
        aria-label={words.phase(index + 1)}
        dir="auto"
        value={phase.name}
        maxLength={100}
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      {button(words.up(called), 'up', index === 0, () => onMove(-1))}
      {button(words.down(called), 'down', index === count - 1, () => onMove(1))}
      {button(words.remove(called), 'close', count === 1, onRemove)}
    </li>
  )
}

interface Props {
  store: ProjectStore
  project: ProjectFields
  onClose: () => void
}

export function PhasesDialog({ store, project, onClose }: Props) {
  // The phases at the start of editing. If others change them, saving reports it.
  const [original] = useState<Sequence>({ phaseConfig: project.phaseConfig, phase: project.phase })
  const base = useRef(original)
  const [list, setList] = useState(() => toEdit(project.phaseConfig))
  const added = useRef(0)
  const add = () => {
    added.current++
    setList([...list, { key: `new-${added.current}`, name: '', phase: undefined }])
  }
  const send = async () => {
    await savePhases(store, base, edited(list, original.phaseConfig, original.phase))
    onClose()
  }
  return (
    <FormDialog title={words.editPhases} onClose={onClose} send={send} submit={texts.save}>
      <ol class="stack">
        {list.map((phase, index) => (
          <Row
            key={phase.key}
            phase={phase}
            index={index}
            count={list.length}
            onName={(name) => setList(list.map((one) => (one.key === phase.key ? { ...one, name } : one)))}
            onMove={(by) => setList(moved(list, phase.key, by))}
            onRemove={() => setList(list.filter(({ key }) => key !== phase.key))}
          />
        ))}
      </ol>
      <p>
        <button type="button" class="button" onClick={add}>
          <Icon name="add" /> {words.addPhase}
        </button>
      </p>
    </FormDialog>
  )
}
