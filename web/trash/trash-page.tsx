/** Deleted records that can be restored, of all projects or of one. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { followAccess } from '../common/access.ts'
import { makerOf } from '../common/actors.ts'
import { api, type TrashEntry } from '../common/api.ts'
import { ago, atMoment } from '../common/dates.ts'
import { leaveRow } from '../common/focus.ts'
import { LiveList, useLiveList } from '../common/live-list.ts'
import { projectList, projectName } from '../common/projects.ts'
import { mayWriteProject } from '../common/rights.ts'
import { isAdmin } from '../common/session.ts'
import { shownTitle } from '../common/titles.ts'
import { undo } from '../common/toasts.ts'
import { Failed, Loading, Page } from '../common/ui/page.tsx'
import { ProjectPage } from '../common/ui/project-head.tsx'
import { href, paths } from '../router.ts'
import { texts } from '../texts.ts'

/** The number of entries at first and per step, and the most that the service returns at once. */
const PAGE = 50
const MOST = 1000

const newestFirst = (a: TrashEntry, b: TrashEntry) => b.seq - a.seq

interface Trash {
  list: LiveList<TrashEntry>
  /** Loads this many entries. */
  showMore: () => void
}

function trashOf(projectId: string | undefined): Trash {
  let limit = PAGE
  const list = new LiveList<TrashEntry>(
    () => api.get('/api/trash', { query: { projectId, limit } }),
    ({ kind, action }) => action !== 'updated' && (kind === 'project' || kind === 'kanban-item'),
  )
  const showMore = () => {
    limit = Math.min(limit + PAGE, MOST)
    list.refresh()
  }
  return { list, showMore }
}

/** Whether the user may restore it. Users who may not delete a project may not undo its deletion either. */
const mayRestore = ({ kind, projectId }: TrashEntry) =>
  mayWriteProject(projectId ?? '') && (kind === 'kanban-item' || isAdmin.value)

interface EntryProps {
  entry: TrashEntry
  list: LiveList<TrashEntry>
  /** The level of its heading. */
  level: 'h2' | 'h3'
}

function Entry({ entry, list, level: Heading }: EntryProps) {
  const { id, seq, kind, title, projectId, at } = entry
  const row = useRef<HTMLLIElement>(null)
  const [isBusy, setBusy] = useState(false)
  const restore = async () => {
    setBusy(true)
    if (await undo(seq)) {
      leaveRow(row.current)
      list.records.remove(id, list.records.seqOf(id))
    } else setBusy(false)
  }
  const project = projectId && kind === 'kanban-item' ? projectName(projectId) : undefined
  return (
    <li ref={row} class="trash-entry">
      <div>
        <Heading dir="auto">{shownTitle(title)}</Heading>
        <p class="meta">
          <span>{texts.trashPage.kinds[kind]}</span>
          {projectId && project !== undefined && (
            <a href={href(paths.board(projectId))} dir="auto">
              {project}
            </a>
          )}
          <span dir="auto">{texts.trashPage.by(makerOf(entry))}</span>
          <time datetime={at} title={atMoment(at)}>
            {ago(at)}
          </time>
        </p>
      </div>
      {mayRestore(entry) && (
        <button
          type="button"
          class="button"
          aria-label={texts.trashPage.restoreOf(title)}
          disabled={isBusy}
          onClick={() => void restore()}
        >
          {texts.restore}
        </button>
      )}
    </li>
  )
}

function Entries({ list, showMore, level }: Trash & { level: 'h2' | 'h3' }) {
  const entries = list.records.list(newestFirst)
  if (entries.length === 0) return <p class="notice">{texts.trashPage.none}</p>
  return (
    <>
      <ul class="trash" aria-label={texts.trash}>
        {entries.map((entry) => (
          <Entry key={entry.seq} entry={entry} list={list} level={level} />
        ))}
      </ul>
      {entries.length >= PAGE && entries.length % PAGE === 0 && entries.length < MOST && (
        <button type="button" class="button" onClick={showMore}>
          {texts.showMore}
        </button>
      )}
    </>
  )
}

export default function TrashPage({ id }: { id?: string }) {
  const trash = useMemo(() => trashOf(id), [id])
  useLiveList(trash.list)
  useEffect(() => followAccess(trash.list, ({ projectId, id: own }) => projectId ?? own), [trash])
  useLiveList(projectList)
  const state = trash.list.state.value
  const content = (
    <>
      <p class="muted">{texts.trashPage.hint}</p>
      {state.step === 'loading' && <Loading />}
      {state.step === 'failed' && <Failed error={state.error} retry={() => trash.list.refresh()} />}
      {state.step === 'ready' && <Entries {...trash} level={id === undefined ? 'h2' : 'h3'} />}
    </>
  )
  if (id === undefined) {
    return (
      <Page title={texts.trash} class="trash-page">
        {content}
      </Page>
    )
  }
  return (
    <ProjectPage id={id} current="trash" class="trash-page">
      {({ store }) => (
        <>
          <h2 dir="auto">{texts.trashPage.titleOf(shownTitle(store.project?.name ?? ''))}</h2>
          {content}
        </>
      )}
    </ProjectPage>
  )
}
