/** The settings of a column: limit, policy, stage of work and colour. */
import { useId, useState } from 'preact/hooks'
import type { KanbanColumn } from '../../src/client/api.d.ts'
import { Dialog, DialogFoot } from '../common/ui/dialog.tsx'
import { Select } from '../common/ui/select.tsx'
import { texts } from '../texts.ts'
import type { ColumnDialogProps } from './column-menu.tsx'
import { changeColumn } from './column-writes.ts'
import { stageByPlace } from './stages.ts'

const words = texts.board

/** The default of the colour field, which cannot be empty. */
const NO_COLOR = '#888888'
const isHex = (color: string) => /^#[0-9a-f]{6}$/i.test(color)

/** The option for a stage derived from the column's place. */
const BY_PLACE = ''

/** The chosen stage. A derived stage counts as not set. */
const chosenStage = (columns: readonly KanbanColumn[], column: KanbanColumn): string =>
  column.stage === stageByPlace(columns, column) ? BY_PLACE : column.stage

export default function ColumnSettings({ board, column, onClose }: ColumnDialogProps) {
  const id = useId()
  // What others change meanwhile is not the user's to revert.
  const [before] = useState(column)
  const [limit, setLimit] = useState(column.wipLimit)
  const [policy, setPolicy] = useState(column.wipPolicy)
  const [stageBefore] = useState(() => chosenStage(board.store.columnList, column))
  const [stage, setStage] = useState(stageBefore)
  const [color, setColor] = useState(column.color)
  const save = () => {
    const fields = {
      ...(limit !== before.wipLimit && { wipLimit: limit }),
      ...(policy !== before.wipPolicy && ({ wipPolicy: policy === 'block' ? 'block' : 'warn' } as const)),
      ...(stage !== stageBefore && { stage: stage === BY_PLACE ? null : (stage as KanbanColumn['stage']) }),
      ...(color !== before.color && { color }),
    }
    if (Object.keys(fields).length > 0)
      changeColumn(board, column.id, fields, words.columnChanged(column.name))
    onClose()
  }
  return (
    <Dialog title={words.settingsOf(column.name)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <div class="field">
          <label for={`${id}-limit`}>{words.limit}</label>
          <input
            id={`${id}-limit`}
            type="number"
            min="0"
            step="1"
            value={limit}
            onInput={({ currentTarget }) =>
              setLimit(Math.max(0, Math.trunc(currentTarget.valueAsNumber) || 0))
            }
          />
        </div>
        <Select
          label={words.policy}
          value={policy}
          options={Object.entries(words.policies)}
          onChoose={setPolicy}
        />
        <Select
          label={words.stage}
          value={stage}
          options={[[BY_PLACE, words.stageByPlace], ...Object.entries(words.stages)]}
          onChoose={setStage}
        />
        <div class="field">
          <label for={`${id}-color`}>{texts.colour}</label>
          <div class="row column-color">
            <input
              id={`${id}-color`}
              type="color"
              value={isHex(color) ? color : NO_COLOR}
              onInput={({ currentTarget }) => setColor(currentTarget.value)}
            />
            <button type="button" class="button" aria-pressed={color === ''} onClick={() => setColor('')}>
              {texts.none}
            </button>
          </div>
        </div>
        <DialogFoot submit={texts.save} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
