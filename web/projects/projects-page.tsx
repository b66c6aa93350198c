/** All projects, by status. */
import { useEffect, useState } from 'preact/hooks'
import type { ProjectSummary } from '../common/api.ts'
import { useKeys } from '../common/keys.ts'
import { useLiveList } from '../common/live-list.ts'
import { bySortOrder } from '../common/order.ts'
import { projectList } from '../common/projects.ts'
import { isGuest, mayMakeProjects } from '../common/session.ts'
import { termName } from '../common/terms.ts'
import { Icon } from '../common/ui/icon.tsx'
import { late } from '../common/ui/late.tsx'
import { Failed, Loading, Page } from '../common/ui/page.tsx'
import { imports } from '../later-import-texts.ts'
import { go, paths, place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import { useFileDrop } from './file-drop.ts'
import { ProjectFilters } from './project-filters.tsx'
import { filtered, filterOf, grouped, type ProjectGroup } from './project-groups.ts'
import { ProjectRow } from './project-row.tsx'

const CreateProject = late<{ onClose: () => void }>(() => import('./create-project-dialog.tsx'))
const ImportBoard = late<{ file: File | undefined; onClose: () => void }>(() => import('./import-dialog.tsx'))

type Overlay = { name: 'create' } | { name: 'import'; file?: File }

function Group({ status, projects, all }: ProjectGroup & { all: readonly ProjectSummary[] }) {
  const name = termName('status', status)
  return (
    <section class="project-group">
      <h2 dir="auto">{name}</h2>
      <ul aria-label={texts.projectList.group(name)}>
        {projects.map((project, index) => (
          <ProjectRow
            key={project.id}
            project={project}
            before={projects[index - 1]}
            after={projects[index + 1]}
            all={all}
          />
        ))}
      </ul>
    </section>
  )
}

const noneText = () =>
  mayMakeProjects.value
    ? texts.projectList.none
    : isGuest.value
      ? texts.projectList.noneForGuest
      : texts.projectList.noneYet

function Projects({ buttons }: { buttons: preact.ComponentChildren }) {
  const all = projectList.records.list(bySortOrder)
  if (all.length === 0) {
    return (
      <div class="notice">
        <p>{noneText()}</p>
        {buttons}
      </div>
    )
  }
  const filter = filterOf(place.value.query)
  const found = filtered(all, filter)
  return (
    <>
      <div class="spread">
        <ProjectFilters projects={all} filter={filter} />
        <p class="meta" role="status">
          {texts.projectList.projects(found.length)}
        </p>
      </div>
      {found.length === 0 && (
        <div class="notice">
          <p>{texts.projectList.noMatch}</p>
          <button type="button" class="button" onClick={clearFilter}>
            {texts.clearFilter}
          </button>
        </div>
      )}
      {grouped(found).map((group) => (
        <Group key={group.status} {...group} all={all} />
      ))}
    </>
  )
}

const clearFilter = () => setQuery({ status: '', type: '', team: '' })

export default function ProjectsPage() {
  useLiveList(projectList)
  const [overlay, setOverlay] = useState<Overlay | undefined>()
  const isDropping = useFileDrop((file) => mayMakeProjects.peek() && setOverlay({ name: 'import', file }))
  useKeys({ Escape: () => (place.peek().query.size > 0 ? clearFilter() : false) })
  const state = projectList.state.value
  const buttons = mayMakeProjects.value && (
    <div class="row">
      <button type="button" class="button-primary" onClick={() => setOverlay({ name: 'create' })}>
        <Icon name="add" /> {texts.projectList.create}
      </button>
      <button type="button" class="button" onClick={() => setOverlay({ name: 'import' })}>
        <Icon name="import" /> {texts.projectList.import}
      </button>
    </div>
  )
  const close = () => setOverlay(undefined)
  const [only, another] = state.step === 'ready' && isGuest.value ? projectList.records.ids() : []
  const isOnly = only !== undefined && another === undefined
  useEffect(() => {
    // A guest of one project has nothing to choose here.
    if (isOnly) go(paths.board(only), { replace: true })
  }, [isOnly])
  const isEmpty = state.step === 'ready' && projectList.records.ids().length === 0
  return (
    <Page title={texts.projects} class="projects" aside={!isEmpty && buttons}>
      {state.step === 'loading' && <Loading />}
      {state.step === 'failed' && <Failed error={state.error} retry={() => projectList.refresh()} />}
      {state.step === 'ready' && <Projects buttons={buttons} />}
      {isDropping && mayMakeProjects.value && <p class="drop-zone">{imports.drop}</p>}
      {overlay?.name === 'create' && <CreateProject onClose={close} />}
      {overlay?.name === 'import' && <ImportBoard file={overlay.file} onClose={close} />}
    </Page>
  )
}
