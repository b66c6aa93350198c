/** The overview of a project: status, objectives, metrics, meetings, people. */
import type { ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { isGuest } from '../common/session.ts'
import { ProjectPage } from '../common/ui/project-head.tsx'
import { WatchButton } from '../common/watch-button.tsx'
import { texts } from '../texts.ts'
import { Details } from './details.tsx'
import { Exports } from './exports.tsx'
import { Metrics } from './metrics-section.tsx'
import { Objectives } from './objectives-section.tsx'
import { People } from './people-section.tsx'
import { Phases } from './phases-section.tsx'
import { ShareLinks } from './share-links-section.tsx'
import { Texts } from './texts-section.tsx'
import { Transcripts } from './transcripts-section.tsx'

function Overview({ store }: { store: ProjectStore }) {
  const project = store.project
  if (!project) return null
  return (
    <>
      {!mayWriteIn(store) && <p class="meta">{texts.readOnly}</p>}
      <div class="overview">
        <Phases store={store} project={project} />
        <div class="overview-main">
          <Texts store={store} project={project} />
          <Objectives store={store} />
          <Transcripts store={store} />
        </div>
        <div class="overview-side">
          <Details store={store} project={project} />
          <p>
            <WatchButton kind="project" id={store.id} title={project.name} />
          </p>
          <Metrics store={store} />
          <People store={store} project={project} />
          {mayWriteIn(store) && !isGuest.value && <ShareLinks store={store} project={project} />}
          <Exports id={store.id} />
        </div>
      </div>
    </>
  )
}

export default function OverviewPage({ id }: { id: string }) {
  return (
    <ProjectPage id={id} current="overview">
      {({ store }) => <Overview store={store} />}
    </ProjectPage>
  )
}
