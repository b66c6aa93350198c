/** The dialogs of metrics: add one, edit it, enter a new value, and show its history. */
import { useRef } from 'preact/hooks'
import type { Metric } from '../common/api.ts'
import { atMoment, formatNumber } from '../common/dates.ts'
import { textIn } from '../common/forms.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Field, Form } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { texts } from '../texts.ts'
import { addMetric, measure, saveMetric } from './metric-writes.ts'
import { valuesOf, withUnit } from './metrics.ts'

const words = texts.overview

interface Props {
  store: ProjectStore
  onClose: () => void
}

/** @param metric the metric to edit; a new one if absent */
export function MetricDialog({ store, metric, onClose }: Props & { metric?: Metric }) {
  const base = useRef(metric)
  const send = async (form: FormData) => {
    const text = (name: string) => textIn(form, name).trim()
    const fields = { name: text('name'), unit: text('unit'), category: text('category') }
    if (base.current) await saveMetric(store, base as { current: Metric }, fields)
    else await addMetric(store, { ...fields, value: Number(text('value')) })
    onClose()
  }
  return (
    <FormDialog
      title={metric ? texts.changeOf(metric.name) : words.addMetric}
      onClose={onClose}
      send={send}
      submit={metric ? texts.save : texts.add}
      draft={`metric:${metric?.id ?? `new:${store.id}`}`}
    >
      <Field name="name" label={words.name} value={metric?.name} required maxLength={200} autofocus />
      {!metric && <Field name="value" label={words.value} type="number" step="any" required />}
      <Field name="unit" label={words.unit} value={metric?.unit} hint={words.unitHint} maxLength={100} />
      <Field name="category" label={words.category} value={metric?.category} maxLength={100} />
    </FormDialog>
  )
}

export function ValueDialog({ store, metric, onClose }: Props & { metric: Metric }) {
  const send = async (form: FormData) => {
    await measure(store, metric, Number(form.get('value')))
    onClose()
  }
  return (
    <Dialog title={words.newValueOf(metric.name)} onClose={onClose}>
      <Form send={send} submit={texts.save} onCancel={onClose}>
        <Field
          name="value"
          label={words.value}
          type="number"
          step="any"
          value={String(metric.value)}
          hint={metric.unit || undefined}
          required
          autofocus
        />
      </Form>
    </Dialog>
  )
}

export function HistoryDialog({ metric, onClose }: { metric: Metric; onClose: () => void }) {
  return (
    <Dialog title={words.historyOf(metric.name)} onClose={onClose}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.value}</th>
            <th scope="col">{words.until}</th>
          </tr>
        </thead>
        <tbody>
          {valuesOf(metric)
            .toReversed()
            .map(({ value, at }, index) => (
              <tr key={index}>
                <td>{withUnit(value, metric.unit, formatNumber)}</td>
                <td>{at !== undefined ? atMoment(at) : index === 0 ? words.now : ''}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Dialog>
  )
}
