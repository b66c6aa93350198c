/** The user's notifications, newest first: the unread ones, or all. */
import { useEffect, useState } from 'preact/hooks'
import { api, type MemberNotification } from '../common/api.ts'
import { ago, atMoment } from '../common/dates.ts'
import { onConnected } from '../common/live.ts'
import { useLiveList } from '../common/live-list.ts'
import { LIMIT, usePages } from '../common/paging.ts'
import { projectList, projectName } from '../common/projects.ts'
import { shownTitle } from '../common/titles.ts'
import { together } from '../common/together.ts'
import { Failed, Loading, Page } from '../common/ui/page.tsx'
import { Select } from '../common/ui/select.tsx'
import { unread } from '../common/unread.ts'
import { later } from '../later-texts.ts'
import { href, place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import { arrived } from './follow.ts'
import { mark, markAll, onMessage } from './marks.ts'
import { didOf, pathOf, textOf } from './notification-text.ts'

const words = later.attention

/** The notifications, of one project if one is chosen: the service only lists all. */
async function* read(isAll: boolean, projectId: string): AsyncGenerator<MemberNotification, void, undefined> {
  const query = { limit: LIMIT, unread: isAll ? ('false' as const) : ('true' as const) }
  for await (const one of api.pages('/api/notifications', { query })) {
    if (projectId === '' || one.projectId === projectId) yield one
  }
}

function Entry({ of: notification }: { of: MemberNotification }) {
  const { title, createdAt, readAt, projectId } = notification
  const path = pathOf(notification)
  const name = shownTitle(title)
  const isRead = readAt !== null
  const action = isRead ? words.markUnread : words.markRead
  const text = textOf(notification)
  const project = projectId === null || notification.itemId === null ? undefined : projectName(projectId)
  const toggle = () => void mark(notification, !isRead)
  return (
    <li class={isRead ? 'inbox-item' : 'inbox-item is-unread'}>
      <div>
        <h2 dir="auto">
          {!isRead && <span class="visually-hidden">{words.isUnread}: </span>}
          {path === undefined ? (
            name
          ) : (
            <a href={href(path)} onClick={() => void mark(notification, true)}>
              {name}
            </a>
          )}
        </h2>
        <p class="meta inbox-facts">
          <bdi>{didOf(notification)}</bdi>
          {project !== undefined && <bdi>{project}</bdi>}
          <time dateTime={createdAt} title={atMoment(createdAt)}>
            {ago(createdAt)}
          </time>
        </p>
        {text !== '' && (
          <p dir="auto" class="inbox-text">
            {text}
          </p>
        )}
      </div>
      <button type="button" class="button" aria-label={words.markedOf(action, name)} onClick={toggle}>
        {action}
      </button>
    </li>
  )
}

/** Each notification once, the newest first, with the marks made since it was loaded. */
function merged(
  all: readonly MemberNotification[],
  marks: ReadonlyMap<string, string | null>,
): MemberNotification[] {
  const byId = new Map(all.map((one) => [one.id, one]))
  return [...byId.values()]
    .map((one) => (marks.has(one.id) ? { ...one, readAt: marks.get(one.id) ?? null } : one))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
}

export default function InboxPage() {
  useLiveList(projectList)
  const { query } = place.value
  const isAll = query.get('show') === 'all'
  const project = query.get('project') ?? ''
  const [round, setRound] = useState(0)
  const [fresh, setFresh] = useState<readonly MemberNotification[]>([])
  const [marks, setMarks] = useState<ReadonlyMap<string, string | null>>(new Map())
  const about = `${isAll} ${project} ${round}`
  const { records, state, readOn } = usePages(() => read(isAll, project), about)
  useEffect(() => setFresh([]), [about])
  useEffect(() => {
    const before = arrived.peek()
    return together(
      arrived.subscribe((one) => {
        if (one && one !== before) setFresh((all) => [...all, one])
      }),
      onMessage((message) => {
        if (message.type === 'marked') {
          setMarks((all) => new Map([...all, ...message.ids.map((id) => [id, message.readAt] as const)]))
        }
      }),
      // The list includes notifications from a time without a connection.
      onConnected(() => setRound((one) => one + 1)),
    )
  }, [])
  const added = fresh.filter((one) => project === '' || one.projectId === project)
  const shown = merged([...records, ...added], marks)
  const [newest] = shown
  const isEmpty = shown.length === 0 && state === 'end'
  return (
    <Page
      title={texts.inbox}
      class="inbox"
      aside={
        <button
          type="button"
          class="button"
          disabled={newest === undefined || unread.value === 0}
          onClick={() => newest && void markAll(newest.id, project)}
        >
          {words.markAll}
        </button>
      }
    >
      <div class="inbox-filter">
        <Select
          label={words.show}
          value={isAll ? 'all' : ''}
          options={[
            ['', words.onlyUnread],
            ['all', words.everything],
          ]}
          onChoose={(value) => setQuery({ show: value })}
        />
        <Select
          label={texts.fields.project}
          value={project}
          options={[
            ['', texts.allProjects],
            ...projectList.records
              .list((a, b) => (a.name < b.name ? -1 : 1))
              .map(({ id, name }) => [id, shownTitle(name)] as const),
          ]}
          onChoose={(value) => setQuery({ project: value })}
        />
      </div>
      {isEmpty && <p class="notice">{isAll ? words.none : words.noneUnread}</p>}
      {shown.length > 0 && (
        <ul class="inbox-list" aria-label={words.list}>
          {shown.map((one) => (
            <Entry key={one.id} of={one} />
          ))}
        </ul>
      )}
      {typeof state === 'object' && <Failed error={state.error} retry={() => void readOn()} />}
      {state === 'reading' && <Loading />}
      {state === 'more' && (
        <button type="button" class="button" onClick={() => void readOn()}>
          {words.older}
        </button>
      )}
    </Page>
  )
}
