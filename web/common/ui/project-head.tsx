/**
 * The frame of a project's pages: its name, the links between them, the state of the stream, and the message if the project
 * does not exist.
 */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { href, paths } from '../../router.ts'
import { texts } from '../../texts.ts'
import { makerOf } from '../actors.ts'
import { liveState } from '../live.ts'
import { type OpenProject, openProject } from '../open-project.ts'
import { isAdmin } from '../session.ts'
import { shownTitle } from '../titles.ts'
import { undo } from '../toasts.ts'
import { waitingWrites } from '../writes.ts'
import { hueOf } from './hue.ts'
import { Lock } from './lock.tsx'
import { Failed, Loading, type LoadingShape, Missing, Page } from './page.tsx'

/** The pages of a project, in the order of their links. */
const PAGES = [
  { page: 'board', label: texts.project.board },
  { page: 'overview', label: texts.project.overview },
  { page: 'flow', label: texts.project.flow },
  { page: 'trash', label: texts.trash },
] as const

type ProjectPageName = (typeof PAGES)[number]['page']

/** The links between a project's pages. */
export const ProjectTabs = ({ id, current }: { id: string; current: ProjectPageName }) => (
  <nav class="project-tabs" aria-label={texts.project.pages}>
    {PAGES.map(({ page, label }) => (
      <a key={page} href={href(paths[page](id))} aria-current={page === current ? 'page' : undefined}>
        {label}
      </a>
    ))}
  </nav>
)

/** Shows whether changes by others appear live, and the user's are sent. All states take the same room, so that the page does not jump. */
export const LiveDot = () => {
  const waiting = waitingWrites.value
  const isWaiting = waiting > 0
  const isConnected = liveState.value === 'live'
  const isLive = isConnected && !isWaiting
  const hint = isWaiting ? texts.waiting(waiting) : isLive ? texts.liveHint : texts.lost
  return (
    <span class={`live-dot${isLive ? ' is-live' : isWaiting ? ' is-waiting' : ''}`} title={hint}>
      <span class="live-dot-text">{texts.live}</span>
      {/* The number of waiting changes is in the status above, which screen readers hear. */}
      {!isConnected && <span class="visually-hidden">{texts.connecting}</span>}
    </span>
  )
}

interface ProjectPageProps {
  id: string
  current: ProjectPageName
  /** Content below the links and the state of the stream, once the project is loaded. */
  aside?: (project: OpenProject) => ComponentChildren
  /** The page below its head, once the project is loaded. */
  children: (project: OpenProject) => ComponentChildren
  class?: string
  /** The shape of the placeholder while the project is loaded. */
  shape?: LoadingShape
}

/** A page of a project. Opens the project, and shows the page once it is loaded. */
export function ProjectPage({
  id,
  current,
  aside,
  children,
  class: className = '',
  shape,
}: ProjectPageProps) {
  const open = openProject(id)
  const { step } = open.state.value
  const project = open.store.project
  // Loads the project again if it did not exist on the last visit.
  useEffect(() => {
    if (open.state.peek().step === 'missing') void open.load()
  }, [open])
  const head = (
    <div class="project-head">
      <Lock of={project} />
      <ProjectTabs id={id} current={current} />
      <LiveDot />
      {project && aside?.(open)}
    </div>
  )
  return (
    <Page
      title={project ? shownTitle(project.name) : texts.project.one}
      aside={head}
      hue={hueOf(id)}
      class={`project-page ${className}`}
    >
      {step === 'loading' && <Loading shape={shape} />}
      {step === 'failed' && <Problem open={open} />}
      {(step === 'missing' || (step === 'ready' && !project)) && <Gone open={open} />}
      {step === 'ready' && project && children(open)}
    </Page>
  )
}

function Problem({ open }: { open: OpenProject }) {
  const state = open.state.value
  return state.step === 'failed' ? <Failed error={state.error} retry={() => void open.load()} /> : null
}

/** Shown for a project that does not exist, or was deleted while the page was open. */
function Gone({ open }: { open: OpenProject }) {
  const deleted = open.store.deletedBy.value
  if (deleted === undefined) {
    const state = open.state.value
    const isLost = state.step === 'missing' && state.isLost
    return <Missing isNews={isLost} text={isLost ? texts.project.lost : texts.missingProject} />
  }
  return (
    <>
      <Missing isNews text={texts.project.deleted(makerOf(deleted))} />
      {isAdmin.value && (
        <div class="notice">
          <button type="button" class="button" onClick={() => void undo(deleted.seq)}>
            {texts.undo}
          </button>
        </div>
      )}
    </>
  )
}
