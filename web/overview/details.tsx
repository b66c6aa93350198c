/** The project's fields that are chosen: status, health, type, team. */

import type { ProjectFields, ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { teams } from '../common/teams.ts'
import { termName } from '../common/terms.ts'
import { texts } from '../texts.ts'
import { chooseProject } from './project-writes.ts'
import { ProjectChoice, Section } from './section.tsx'

const words = texts.overview

const FIELDS = ['status', 'health', 'type'] as const

/** A term that is none of the usual ones, as an option with its name. */
const otherTerm = (field: (typeof FIELDS)[number], term: string): [string, string][] =>
  term === '' || term in words.values[field] ? [] : [[term, termName(field, term)]]

export function Details({ store, project }: { store: ProjectStore; project: ProjectFields }) {
  const canEdit = mayWriteIn(store)
  const teamOptions = [['', texts.noTeam] as const, ...teams.value.map(({ id, name }) => [id, name] as const)]
  return (
    <Section title={words.state}>
      <div class="overview-choices">
        {FIELDS.map((field) => (
          <ProjectChoice
            key={field}
            label={texts.fields[field]}
            value={project[field]}
            options={[...Object.entries(words.values[field]), ...otherTerm(field, project[field])]}
            canEdit={canEdit}
            onChoose={(value) => chooseProject(store, { [field]: value }, words.saved(texts.fields[field]))}
          />
        ))}
        <ProjectChoice
          label={texts.fields.team}
          value={project.teamId ?? ''}
          options={teamOptions}
          canEdit={canEdit}
          onChoose={(value) =>
            chooseProject(store, { teamId: value || null }, words.saved(texts.fields.team))
          }
        />
      </div>
    </Section>
  )
}
