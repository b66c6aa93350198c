/** The metrics of the project. */
import { useState } from 'preact/hooks'
import type { Metric } from '../common/api.ts'
import { formatNumber } from '../common/dates.ts'
import { byId } from '../common/order.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { texts } from '../texts.ts'
import { HistoryDialog, MetricDialog, ValueDialog } from './metric-dialogs.tsx'
import { removeMetric } from './metric-writes.ts'
import { trendIcon, valuesOf, withUnit } from './metrics.ts'
import { Section } from './section.tsx'
import { Sparkline } from './sparkline.tsx'

const words = texts.overview

/** The open dialog, and its metric. */
type Doing = { what: 'add' } | { what: 'change' | 'value' | 'history'; metric: Metric }

function Trend({ trend }: { trend: string }) {
  const icon = trendIcon(trend)
  const word = (words.trends as Record<string, string>)[trend] ?? trend
  return (
    <span class="meta row" dir="auto">
      {icon && <Icon name={icon} />} {word}
    </span>
  )
}

function Row({ store, metric, onDo }: { store: ProjectStore; metric: Metric; onDo: (doing: Doing) => void }) {
  const { name, value, unit, category, trend } = metric
  const format = (one: number) => withUnit(one, unit, formatNumber)
  const values = valuesOf(metric).map((one) => one.value)
  return (
    <li class="metric">
      <div>
        <h3 dir="auto">{shownTitle(name)}</h3>
        {category !== '' && (
          <p class="meta" dir="auto">
            {category}
          </p>
        )}
      </div>
      <Menu
        label={texts.actions(name)}
        items={[
          mayWriteIn(store) && { label: words.newValue, run: () => onDo({ what: 'value', metric }) },
          { label: texts.history, run: () => onDo({ what: 'history', metric }) },
          mayWriteIn(store) && { label: texts.change, run: () => onDo({ what: 'change', metric }) },
          mayWriteIn(store) && {
            label: texts.delete,
            run: () => removeMetric(store, metric),
            isDanger: true,
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
      <p class="metric-value">
        <strong dir="auto">{format(value)}</strong> <Trend trend={trend} />
      </p>
      <Sparkline values={values} format={format} />
    </li>
  )
}

export function Metrics({ store }: { store: ProjectStore }) {
  const [doing, setDoing] = useState<Doing | undefined>()
  const close = () => setDoing(undefined)
  const list = store.metrics.list(byId)
  return (
    <Section
      title={words.metrics}
      aside={
        mayWriteIn(store) && (
          <button type="button" class="button" onClick={() => setDoing({ what: 'add' })}>
            <Icon name="add" /> {words.addMetric}
          </button>
        )
      }
    >
      {list.length === 0 && <p class="muted">{words.none}</p>}
      <ul class="lines" aria-label={words.metrics}>
        {list.map((metric) => (
          <Row key={metric.id} store={store} metric={metric} onDo={setDoing} />
        ))}
      </ul>
      {doing?.what === 'add' && <MetricDialog store={store} onClose={close} />}
      {doing?.what === 'change' && <MetricDialog store={store} metric={doing.metric} onClose={close} />}
      {doing?.what === 'value' && <ValueDialog store={store} metric={doing.metric} onClose={close} />}
      {doing?.what === 'history' && <HistoryDialog metric={doing.metric} onClose={close} />}
    </Section>
  )
}
