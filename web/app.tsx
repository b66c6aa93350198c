/** The frame of all pages: navigation, connection status, messages, and the current page. */
import { useEffect, useState } from 'preact/hooks'
import { BoardPage } from './board/board-page.tsx'
import { messageOf } from './common/api.ts'
import { whenIdle, whenShown } from './common/idle.ts'
import { typeAhead, useKeys } from './common/keys.ts'
import { liveState } from './common/live.ts'
import type { OpenProject } from './common/open-project.ts'
import { hasEnded, identity, isAdmin, me, sessionFailure, sessionState } from './common/session.ts'
import { signOut } from './common/sign-out.ts'
import { failed, redoLast, undoLast } from './common/toasts.ts'
import { Icon, type IconName } from './common/ui/icon.tsx'
import { late, latePage } from './common/ui/late.tsx'
import { Menu } from './common/ui/menu.tsx'
import { topDialog } from './common/ui/open-dialogs.ts'
import { LoadingPage, Missing, Page } from './common/ui/page.tsx'
import { Toasts } from './common/ui/toasts.tsx'
import { unread } from './common/unread.ts'
import { waitingWrites } from './common/writes.ts'
import { go, href, type PageName, paths, place, routeOf, timesGone } from './router.ts'
import { texts } from './texts.ts'

/** Loads the page of projects, which most boards are opened without. */
export const loadProjects = () => import('./projects/projects-page.tsx')

const ProjectsPage = latePage(loadProjects)
const SignIn = latePage(() => import('./people/sign-in-page.tsx'))
const NumberPage = latePage<{ number: string }>(() => import('./board/number-page.tsx'))
const LinkPage = latePage(() => import('./people/link-page.tsx'))
const SharedPage = latePage<{ secret: string }>(() => import('./board/shared-page.tsx'))
const SignInDialog = late(() => import('./people/sign-in-dialog.tsx'))
const loadCard = () => import('./card/card-dialog.tsx')
// While its script is loaded, the board stays as it is: a skeleton below would squeeze it.
const CardDialog = late<{ project: OpenProject; id: string }>(loadCard, () => null)
const Overview = latePage<{ id: string }>(() => import('./overview/overview-page.tsx'))
const loadFlow = () => import('./flow/flow-page.tsx')
const Flow = latePage<{ id: string }>(loadFlow)
const Trash = latePage<{ id?: string }>(() => import('./trash/trash-page.tsx'))
const Mine = latePage(() => import('./mine/mine-page.tsx'))
const Inbox = latePage(() => import('./attention/inbox-page.tsx'))
const Ideas = latePage(() => import('./ideas/ideas-page.tsx'))
const SearchPage = latePage(() => import('./search/search-page.tsx'))
const SearchDialog = late<{ onClose: () => void }>(() => import('./search/search-dialog.tsx'))
const Palette = late<{ onClose: () => void }>(
  () => import('./commands/palette.tsx'),
  () => null,
)
const Shortcuts = late<{ onClose: () => void }>(() => import('./common/ui/shortcuts-dialog.tsx'))
const Appearance = late<{ onClose: () => void }>(() => import('./appearance/appearance-dialog.tsx'))
const Account = latePage(() => import('./people/account-page.tsx'))
const Members = latePage(() => import('./people/members-page.tsx'))
const OtherPeople = latePage(() => import('./people/people-page.tsx'))
const Teams = latePage(() => import('./people/teams-page.tsx'))
const Webhooks = latePage(() => import('./people/webhooks-page.tsx'))
const Audit = latePage(() => import('./people/audit-page.tsx'))

/** The parts that a board opens next. They are preloaded when the browser is idle, so they open at once, also without a connection. */
const NEXT = [
  loadCard,
  () => import('./card/files.tsx'),
  async () => (await import('./common/markdown/markdown.ts')).fetchWorker(),
  () => import('./common/move-dialog.tsx'),
  () => import('./common/ui/calendar.tsx'),
  () => import('./board/quick-add-tools.tsx'),
  loadFlow,
]

/** Starts following the focus and the user's notifications, once the page has loaded its first contents. */
async function follow(): Promise<void> {
  await whenShown()
  ;(await import('./common/lost-focus.ts')).keepFocus()
  ;(await import('./attention/follow.ts')).follow()
}

/** A page for development, which the shipped build does not have. */
const Styleguide = DEVELOPMENT ? latePage(() => import('./styleguide/styleguide-page.tsx')) : undefined

/** The page for the current address. */
function CurrentPage() {
  const { page, id, item } = routeOf(place.value.path)
  switch (page) {
    case 'projects':
      return <ProjectsPage />
    case 'board':
    case 'card':
      return (
        <BoardPage
          key={id}
          id={id}
          item={item}
          card={(project) => <CardDialog key={item} project={project} id={item} />}
        />
      )
    case 'number':
      return <NumberPage key={id} number={id} />
    case 'overview':
      return <Overview key={id} id={id} />
    case 'flow':
      return <Flow key={id} id={id} />
    case 'project-trash':
      return <Trash key={id} id={id} />
    case 'trash':
      return <Trash key="all" />
    case 'mine':
      return <Mine />
    case 'notifications':
      return <Inbox />
    case 'ideas':
      return <Ideas />
    case 'search':
      return <SearchPage />
    case 'account':
      return <Account />
    case 'members':
      return <Members />
    case 'people':
      return <OtherPeople />
    case 'teams':
      return <Teams />
    case 'webhooks':
      return <Webhooks />
    case 'audit':
      return <Audit />
    default:
      return (
        <Page title={texts.missingPage}>
          <Missing text={texts.missingPage} />
        </Page>
      )
  }
}

const LINKS: readonly { page: PageName; path: string; label: string; icon: IconName }[] = [
  { page: 'projects', path: '/', label: texts.projects, icon: 'board' },
  { page: 'mine', path: '/mine', label: texts.mine, icon: 'person' },
  { page: 'ideas', path: '/ideas', label: texts.ideas, icon: 'idea' },
  { page: 'notifications', path: '/notifications', label: texts.inbox, icon: 'bell' },
]

interface HeaderProps {
  onSearch: () => void
  onAppearance: () => void
  onShortcuts: () => void
}

function Header({ onSearch, onAppearance, onShortcuts }: HeaderProps) {
  const { page } = routeOf(place.value.path)
  const name = me.value?.name ?? texts.account
  const isDefault = identity.value?.via === 'default'
  return (
    <header class="site">
      <nav aria-label={texts.main}>
        {LINKS.map((link) => (
          <a key={link.path} href={href(link.path)} aria-current={link.page === page ? 'page' : undefined}>
            <Icon name={link.icon} /> <span>{link.label}</span>
            {link.icon === 'bell' && unread.value > 0 && (
              <b aria-label={texts.unread(unread.value)} role="img">
                {unread.value > 99 ? '99+' : unread.value}
              </b>
            )}
          </a>
        ))}
        <button type="button" onClick={onSearch}>
          <Icon name="search" /> <span>{texts.search}</span> <kbd aria-hidden="true">/</kbd>
        </button>
        <Menu
          label={texts.menuOf(name)}
          class="site-menu"
          items={[
            { label: texts.account, href: href('/account') },
            isAdmin.value && { label: texts.members, href: href('/admin/members') },
            isAdmin.value && { label: texts.people.others, href: href('/admin/people') },
            isAdmin.value && { label: texts.teams, href: href('/admin/teams') },
            isAdmin.value && { label: texts.webhooks, href: href('/admin/webhooks') },
            isAdmin.value && { label: texts.audit, href: href('/admin/audit') },
            { label: texts.trash, href: href('/trash') },
            { label: texts.appearance.open, run: onAppearance },
            { label: texts.shortcuts, run: onShortcuts, key: '?' },
            isDefault
              ? { label: texts.signIn.submit, href: href('/sign-in') }
              : { label: texts.signIn.out, run: () => void signOut().catch(failed) },
          ]}
        >
          <Icon name="menu" /> <span dir="auto">{name}</span>
        </Menu>
      </nav>
    </header>
  )
}

/** Shown while the service does not respond to a page that was just opened. */
const NoSession = () => (
  <Page title={texts.name}>
    <div class="notice" role="alert">
      <p>{texts.unreachable}</p>
      <p class="muted">{messageOf(sessionFailure.value)}</p>
    </div>
  </Page>
)

/** The connection status. */
function Connection() {
  const [wasOffline, setWasOffline] = useState(false)
  const state = liveState.value
  const waiting = waitingWrites.value
  useEffect(() => {
    if (state === 'offline') setWasOffline(true)
    if (state !== 'live' || !wasOffline) return
    const timer = setTimeout(() => setWasOffline(false), 3000)
    return () => clearTimeout(timer)
  }, [state, wasOffline])
  const text = [
    state === 'offline' ? texts.offline : state === 'live' && wasOffline ? texts.connected : '',
    waiting > 0 ? texts.waiting(waiting) : '',
  ].filter(Boolean)
  return (
    <div
      role="status"
      class={text.length > 0 ? `connection${waiting > 0 ? ' is-waiting' : ''}` : 'visually-hidden'}
    >
      {text.join(' ')}
    </div>
  )
}

export function App() {
  const [overlay, setOverlay] = useState<'search' | 'palette' | 'shortcuts' | 'appearance' | undefined>()
  const close = () => setOverlay(undefined)
  const search = () => {
    typeAhead()
    setOverlay('search')
  }
  const palette = () => {
    typeAhead()
    setOverlay('palette')
  }
  useEffect(close, [timesGone.value])
  const { page, id } = routeOf(place.value.path)
  const isShared = page === 'shared'
  useKeys(
    // A shared board leads nowhere else.
    isShared
      ? {}
      : {
          '/': search,
          '?': () => setOverlay('shortcuts'),
          'Ctrl+z': undoLast,
          'Ctrl+Shift+z': redoLast,
          // On a Mac, Cmd+Y is the browser's history.
          'Ctrl+y': ({ metaKey }) => (metaKey ? false : redoLast()),
          'Ctrl+k': palette,
          'g p': () => go('/'),
          'g m': () => go('/mine'),
          'g n': () => go('/notifications'),
          'g i': () => go('/ideas'),
          'g b': () => (id ? go(paths.board(id)) : false),
          'g f': () => (id ? go(paths.flow(id)) : false),
        },
  )
  const isSignedIn = sessionState.value === 'signed-in' && !isShared
  useEffect(() => {
    if (!isSignedIn) return
    void whenIdle(NEXT)
    void follow().catch(() => undefined)
  }, [isSignedIn])
  if (Styleguide && place.value.path === '/styleguide') return <Styleguide />
  if (isShared) return <SharedPage key={id} secret={id} />
  // The user may be signed out, or another member, after following a link.
  if (page === 'link') return <LinkPage />
  if (sessionState.value === 'signed-out' || page === 'sign-in') return <SignIn />
  if (sessionState.value === 'unknown') return sessionFailure.value ? <NoSession /> : <LoadingPage />
  return (
    <>
      <a class="skip" href="#main">
        {page === 'board' || page === 'card' ? texts.skipToBoard : texts.skipToPage}
      </a>
      <Header
        onSearch={search}
        onAppearance={() => setOverlay('appearance')}
        onShortcuts={() => setOverlay('shortcuts')}
      />
      <Connection />
      <CurrentPage />
      {overlay === 'search' && <SearchDialog onClose={close} />}
      {overlay === 'palette' && <Palette onClose={close} />}
      {overlay === 'shortcuts' && <Shortcuts onClose={close} />}
      {overlay === 'appearance' && <Appearance onClose={close} />}
      {hasEnded.value && <SignInDialog />}
      {topDialog.value === undefined && <Toasts />}
    </>
  )
}
