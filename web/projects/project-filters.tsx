/** The filters of the list of projects, kept in the address. */
import { useId } from 'preact/hooks'
import type { ProjectSummary } from '../common/api.ts'
import { teamName } from '../common/teams.ts'
import { termName, termsOf } from '../common/terms.ts'
import { setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import { type ProjectFilter, statusesOf, TYPES } from './project-groups.ts'

interface ChoiceProps {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChoose: (value: string) => void
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const id = useId()
  const isListed = value === '' || options.some((option) => option.value === value)
  return (
    <div class="filter-choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">{texts.all}</option>
        {!isListed && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}

const named = (kind: 'status' | 'type', terms: readonly string[]) =>
  terms.map((value) => ({ value, label: termName(kind, value) }))

export function ProjectFilters({
  projects,
  filter,
}: {
  projects: readonly ProjectSummary[]
  filter: ProjectFilter
}) {
  const types = termsOf(
    TYPES,
    projects.map(({ type }) => type),
  )
  const teams = new Set(projects.map(({ teamId }) => teamId ?? ''))
  const teamOptions = [...teams].filter(Boolean).map((value) => ({ value, label: teamName(value) }))
  return (
    <fieldset class="row filters" aria-label={texts.filter}>
      <Choice
        label={texts.fields.status}
        value={filter.status}
        options={named('status', statusesOf(projects))}
        onChoose={(status) => setQuery({ status })}
      />
      <Choice
        label={texts.fields.type}
        value={filter.type}
        options={named('type', types)}
        onChoose={(type) => setQuery({ type })}
      />
      <Choice
        label={texts.fields.team}
        value={filter.team}
        options={teamOptions}
        onChoose={(team) => setQuery({ team })}
      />
    </fieldset>
  )
}
