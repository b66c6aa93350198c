/** One project in the list: its health, its progress, and its menu. */
import { useRef } from 'preact/hooks'
import type { ProjectSummary } from '../common/api.ts'
import { formatNumber } from '../common/dates.ts'
import { leaveRow } from '../common/focus.ts'
import { personName } from '../common/people.ts'
import { phaseName } from '../common/phases.ts'
import { mayWriteProject } from '../common/rights.ts'
import { isAdmin } from '../common/session.ts'
import { termName, usualTerm } from '../common/terms.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon, type IconName } from '../common/ui/icon.tsx'
import { Lock } from '../common/ui/lock.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { columnsOf, phaseOf, workDone } from './progress.ts'
import { archive, moveBeside, remove, unarchive } from './project-writes.ts'

const HEALTH: Readonly<Record<string, { icon: IconName; tone: string }>> = {
  'on-track': { icon: 'check', tone: 'good' },
  'at-risk': { icon: 'warning', tone: 'warning' },
  blocked: { icon: 'stop', tone: 'danger' },
}

function Health({ health }: { health: string }) {
  if (health === '') return null
  const { icon, tone } = HEALTH[usualTerm(health)] ?? { icon: 'flag', tone: 'muted' }
  return (
    <span class={tone}>
      <Icon name={icon} /> <span dir="auto">{termName('health', health)}</span>
    </span>
  )
}

function Progress({ name, counts }: { name: string; counts: ProjectSummary['counts'] }) {
  const { done, total } = workDone(counts)
  const { shown, others } = columnsOf(counts)
  const textOf = ([column, number]: [string, number]) =>
    texts.projectList.column(column, formatNumber(number))
  return (
    <div class="project-work">
      <p class="meta project-counts">
        {shown.map((one) => (
          <span key={one[0]} dir="auto">
            {textOf(one)}
          </span>
        ))}
        {others.length > 0 && (
          <span title={others.map(textOf).join(' · ')}>
            <span aria-hidden="true">{texts.projectList.moreColumns(others.length)}</span>
            <span class="visually-hidden">
              {texts.projectList.moreColumnsHint(others.map(textOf).join(', '))}
            </span>
          </span>
        )}
      </p>
      <div
        class="bar"
        role="progressbar"
        aria-label={texts.projectList.progress(name, formatNumber(done), formatNumber(total))}
        aria-valuenow={done}
        aria-valuemin={0}
        aria-valuemax={Math.max(total, 1)}
      >
        <div style={{ inlineSize: `${(100 * done) / Math.max(total, 1)}%` }} />
      </div>
    </div>
  )
}

interface ProjectRowProps {
  project: ProjectSummary
  /** The projects above and below it in its group. */
  before: ProjectSummary | undefined
  after: ProjectSummary | undefined
  /** All projects in order. */
  all: readonly ProjectSummary[]
}

export function ProjectRow({ project, before, after, all }: ProjectRowProps) {
  const { id, name, status, health, leadId, counts } = project
  const row = useRef<HTMLLIElement>(null)
  const phase = phaseOf(project)
  const list = texts.projectList
  /** The project leaves this list: it goes to another group, or is deleted. */
  const leave = (write: (project: ProjectSummary) => Promise<unknown>) => () => {
    leaveRow(row.current)
    void write(project)
  }
  return (
    <li ref={row} class="project">
      <h3>
        <a href={href(paths.board(id))} dir="auto">
          {shownTitle(name)}
        </a>{' '}
        <Lock of={project} />
      </h3>
      <p class="meta project-facts">
        <Health health={health} />
        {phase && (
          <span dir="auto">
            {list.phase(phaseName(project.phaseConfig, phase.name), phase.place, phase.of)}
          </span>
        )}
        {leadId && <span dir="auto">{list.lead(personName(leadId))}</span>}
      </p>
      <Progress name={name} counts={counts} />
      {mayWriteProject(id) && (
        <Menu
          label={texts.actions(shownTitle(name))}
          items={[
            status === 'archived'
              ? { label: list.unarchive, run: leave(unarchive) }
              : { label: list.archive, run: leave(archive) },
            before && { label: texts.moveUp, run: () => void moveBeside(project, before, 'before', all) },
            after && { label: texts.moveDown, run: () => void moveBeside(project, after, 'after', all) },
            isAdmin.value && { label: texts.delete, run: leave(remove), isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
    </li>
  )
}
