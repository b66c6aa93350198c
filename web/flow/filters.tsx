/** The filters of the flow page: which days and which cards count. They are kept in the address. */
import { today } from '../common/dates.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { termName } from '../common/terms.ts'
import { DatePicker } from '../common/ui/date-picker.tsx'
import { PersonPicker } from '../common/ui/person-picker.tsx'
import { type Options, Select } from '../common/ui/select.tsx'
import { later } from '../later-texts.ts'
import { place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import { chosenRange, DEFAULT_RANGE, daysBefore } from './range.ts'

const t = later.flow
const RANGES = Object.keys(t.ranges).map(Number)
const PRIORITIES = ['low', 'medium', 'high', 'critical']

interface FilterProps {
  label: string
  name: string
  options: Options
}

/** A select that is bound to a parameter of the address. */
const Filter = ({ label, name, options }: FilterProps) => (
  <Select
    label={label}
    value={place.value.query.get(name) ?? ''}
    options={[['', texts.all], ...options]}
    onChoose={(value) => setQuery({ [name]: value || undefined })}
  />
)

function Range() {
  const { query } = place.value
  const now = new Date().toISOString().slice(0, 10)
  const [from, to] = [query.get('from'), query.get('to')]
  const chosen = chosenRange(from, to, now, RANGES)
  const choose = (value: string) => {
    if (value === 'other') setQuery({ from: daysBefore(now, DEFAULT_RANGE), to: now })
    else
      setQuery({
        from: Number(value) === DEFAULT_RANGE ? undefined : daysBefore(now, Number(value)),
        to: undefined,
      })
  }
  return (
    <>
      <Select
        label={t.range}
        value={String(chosen)}
        options={[...Object.entries(t.ranges), ['other', t.other]]}
        onChoose={choose}
      />
      {chosen === 'other' &&
        (
          [
            ['from', t.from, from],
            ['to', t.to, to],
          ] as const
        ).map(([name, label, value]) => (
          <div key={name} class="field">
            <DatePicker
              label={label}
              value={value ?? ''}
              isPast
              max={today()}
              onChoose={(day) => setQuery({ [name]: day || undefined })}
            />
          </div>
        ))}
    </>
  )
}

export function FlowFilters({ store }: { store: ProjectStore }) {
  return (
    <div class="flow-filters">
      <Range />
      <Filter
        label={texts.fields.label}
        name="label"
        options={[['none', texts.none], ...store.labelList.map(({ id, name }) => [id, name] as const)]}
      />
      <PersonPicker
        label={texts.fields.person}
        value={place.value.query.get('assignee') ?? ''}
        others={[
          ['', texts.all],
          ['none', texts.nobody],
        ]}
        onChoose={(assignee) => setQuery({ assignee: assignee || undefined })}
      />
      <Filter
        label={texts.fields.priority}
        name="priority"
        options={PRIORITIES.map((name) => [name, termName('priority', name)] as const)}
      />
    </div>
  )
}
