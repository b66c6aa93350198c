/** The labels of the card as chips, and a panel below them to choose, create, change and delete labels. */

import { useRef, useState } from 'preact/hooks'
import type { KanbanLabel } from '../common/api.ts'
import { nextColor } from '../common/labels.ts'
import { matches } from '../common/matches.ts'
import { Icon } from '../common/ui/icon.tsx'
import { later } from '../later-texts.ts'
import { texts } from '../texts.ts'
import { LabelChip } from './label-chip.tsx'
import { LabelForm } from './label-form.tsx'
import { addLabel, changeLabel, deleteLabel, setLabel } from './label-writes.ts'
import type { CardPartProps, OpenCard } from './open-card.ts'

const words = texts.card

interface LabelsProps extends CardPartProps {
  isOpen: boolean
  onToggle: () => void
}

interface LabelRowProps {
  card: OpenCard
  label: KanbanLabel
  isOn: boolean
}

function LabelRow({ card, label, isOn }: LabelRowProps) {
  const [isEdited, setEdited] = useState(false)
  return (
    <li>
      <div class="card-label">
        <label>
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ currentTarget }) => void setLabel(card, label, currentTarget.checked)}
          />
          <LabelChip label={label} />
        </label>
        <button
          type="button"
          class="button-icon"
          aria-label={words.editLabel(label.name)}
          aria-expanded={isEdited}
          onClick={() => setEdited(!isEdited)}
        >
          <Icon name="edit" />
        </button>
      </div>
      {isEdited && (
        <>
          <LabelForm
            draftName={`kanban-label:${label.id}:name`}
            label={label}
            suggested={nextColor([])}
            called={words.labelName}
            submit={texts.save}
            onSave={async (fields) => {
              const isSaved = await changeLabel(card, label.id, fields)
              if (isSaved) setEdited(false)
              return isSaved
            }}
          />
          <button type="button" class="button-link danger" onClick={() => void deleteLabel(card, label)}>
            {words.deleteLabel}
          </button>
        </>
      )}
    </li>
  )
}

/** From this number of labels on, the panel has a field to find some. */
const MANY = 8

function LabelPanel({ card, item }: Pick<LabelsProps, 'card' | 'item'>) {
  const [typed, setTyped] = useState('')
  const all = card.store.labelList
  const isLong = all.length >= MANY
  const found = isLong ? all.filter(({ name }) => matches(name, typed)) : all
  const on = new Set(item.labels.map(({ id }) => id))
  const field = texts.board.filter.narrow(words.labels)
  return (
    <div id="card-label-panel" class="card-label-panel">
      {isLong && (
        <input
          aria-label={field}
          placeholder={field}
          dir="auto"
          autocomplete="off"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
      <ul class="options" aria-labelledby="card-labels-name">
        {found.map((label) => (
          <LabelRow key={label.id} card={card} label={label} isOn={on.has(label.id)} />
        ))}
      </ul>
      {isLong && (
        <p class={found.length === 0 ? 'meta' : 'visually-hidden'} role="status">
          {found.length === 0 ? later.palette.none : ''}
        </p>
      )}
      <LabelForm
        draftName={`${card.draftPrefix}:label`}
        suggested={nextColor(all)}
        called={words.newLabel}
        submit={texts.add}
        onSave={(fields) => addLabel(card, fields)}
      />
    </div>
  )
}

export function Labels({ card, item, canEdit, isOpen, onToggle }: LabelsProps) {
  const known = new Map(card.store.labelList.map((label) => [label.id, label]))
  const button = useRef<HTMLButtonElement>(null)
  return (
    <fieldset
      class="field"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        // The dialog stays open.
        event.preventDefault()
        event.stopPropagation()
        onToggle()
        button.current?.focus()
      }}
    >
      <legend id="card-labels-name">{words.labels}</legend>
      <ul class="row">
        {item.labels.map((label) => (
          <li key={label.id}>
            <LabelChip label={known.get(label.id) ?? label} />
          </li>
        ))}
        {item.labels.length === 0 && <li class="meta">{texts.none}</li>}
      </ul>
      {canEdit && (
        <button
          ref={button}
          id="card-labels"
          type="button"
          class="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? 'card-label-panel' : undefined}
          onClick={onToggle}
        >
          {words.chooseLabels}
        </button>
      )}
      {canEdit && isOpen && <LabelPanel card={card} item={item} />}
    </fieldset>
  )
}
