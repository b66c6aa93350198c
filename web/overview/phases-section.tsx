/** The phases of the project as steps, with buttons for the next and previous phase, and to edit the phases. */
import { useState } from 'preact/hooks'
import { phaseName } from '../common/phases.ts'
import type { ProjectFields, ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { Icon } from '../common/ui/icon.tsx'
import { texts } from '../texts.ts'
import { neighbours, stepsOf } from './phases.ts'
import { PhasesDialog } from './phases-dialog.tsx'
import { chooseProject } from './project-writes.ts'
import { Section } from './section.tsx'

const words = texts.overview

export function Phases({ store, project }: { store: ProjectStore; project: ProjectFields }) {
  const [isEditing, setEditing] = useState(false)
  const { phaseConfig, phase } = project
  const steps = stepsOf(phaseConfig, phase)
  const { before, after } = neighbours(phaseConfig, phase)
  const isForeign = !steps.some(({ state }) => state === 'current')
  const shown = (name: string) => phaseName(phaseConfig, name)
  const goTo = (name: string) => chooseProject(store, { phase: name }, words.inPhase(shown(name)))
  return (
    <Section
      title={words.phases}
      class="overview-phases"
      aside={
        mayWriteIn(store) && (
          <button type="button" class="button-link" onClick={() => setEditing(true)}>
            {words.editPhases}
          </button>
        )
      }
    >
      <ol class="phases" aria-label={words.phases}>
        {steps.map(({ name, state }, index) => (
          <li
            key={index}
            class={`phase phase-${state}`}
            aria-current={state === 'current' ? 'step' : undefined}
          >
            {state === 'done' && <Icon name="check" />}
            <span dir="auto">{shown(name)}</span>
            {state === 'done' && <span class="visually-hidden">{words.phaseDone}</span>}
          </li>
        ))}
      </ol>
      {isForeign && phase !== '' && <p dir="auto">{words.foreignPhase(phase)}</p>}
      {mayWriteIn(store) && (
        <div class="row">
          {before !== undefined && (
            <button type="button" class="button" onClick={() => goTo(before)}>
              <Icon name="back" /> {words.back(shown(before))}
            </button>
          )}
          {after !== undefined && (
            <button type="button" class="button-primary" onClick={() => goTo(after)}>
              {words.advance(shown(after))} <Icon name="forward" />
            </button>
          )}
        </div>
      )}
      {isEditing && <PhasesDialog store={store} project={project} onClose={() => setEditing(false)} />}
    </Section>
  )
}
