/** The access to the project: everyone or only assigned people, with its team. */
import type { ProjectFields, ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { teamName } from '../common/teams.ts'
import { texts } from '../texts.ts'
import { chooseProject } from './project-writes.ts'
import { ProjectChoice } from './section.tsx'

const words = texts.overview

export function AccessChoice({ store, project }: { store: ProjectStore; project: ProjectFields }) {
  const { access, teamId } = project
  const isPrivate = access !== 'everyone'
  return (
    <>
      <ProjectChoice
        label={words.access}
        value={access}
        options={Object.entries(words.accesses)}
        canEdit={mayWriteIn(store)}
        onChoose={(value) =>
          chooseProject(
            store,
            { access: value === 'assigned' ? 'assigned' : 'everyone' },
            words.saved(words.access),
          )
        }
      />
      <p class="meta">{isPrivate ? words.assignedSee : words.everyoneSees}</p>
      {teamId !== null && (
        <p class="meta" dir="auto">
          {words.teamSees(teamName(teamId))}
        </p>
      )}
    </>
  )
}
