/** Which days and which cards count. All of it stands in the address. */
import { useId } from 'preact/hooks'
import { today } from '../common/dates.ts'
import { activeMembers } from '../common/people.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import { chosenRange, DEFAULT_RANGE, daysBefore } from './range.ts'

const t = texts.flow
const RANGES = Object.keys(t.ranges).map(Number)
const PRIORITIES = ['low', 'medium', 'high', 'critical']

interface SelectProps {
  label: string
  name: string
  options: readonly (readonly [value: string, text: string])[]
}

/** A select whose choice is a parameter of the address. */
function Filter({ label, name, options }: SelectProps) {
  const id = useId()
  const value = place.value.query.get(name) ?? ''
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value || undefined })}
      >
        <option value="">{t.all}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

function Range() {
  const id = useId()
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
      <div class="field">
        <label for={id}>{t.range}</label>
        <select id={id} value={String(chosen)} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {Object.entries(t.ranges).map(([days, text]) => (
            <option key={days} value={days}>
              {text}
            </option>
          ))}
          <option value="other">{t.other}</option>
        </select>
      </div>
      {chosen === 'other' &&
        (
          [
            ['from', t.from, from],
            ['to', t.to, to],
          ] as const
        ).map(([name, label, value]) => (
          <div key={name} class="field">
            <label for={`${id}-${name}`}>{label}</label>
            <input
              id={`${id}-${name}`}
              type="date"
              max={today()}
              value={value ?? ''}
              onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value || undefined })}
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
        label={t.label}
        name="label"
        options={[['none', t.none], ...store.labelList.map(({ id, name }) => [id, name] as const)]}
      />
      <Filter
        label={t.person}
        name="assignee"
        options={[['none', t.nobody], ...activeMembers.value.map(({ id, name }) => [id, name] as const)]}
      />
      <Filter label={t.priority} name="priority" options={PRIORITIES.map((name) => [name, name] as const)} />
    </div>
  )
}
