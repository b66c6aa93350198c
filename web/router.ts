/** The router: a table of URL patterns, the browser's history, and one click handler for all links. */
import { signal } from '@preact/signals'
import { root } from './common/api.ts'

/** The current location, below the root. */
export interface Place {
  /** The path below the root, with a leading slash: `/projects/<id>`. */
  path: string
  query: URLSearchParams
}

const PATTERNS = {
  projects: '/',
  board: '/projects/:id',
  card: '/projects/:id/items/:item',
  overview: '/projects/:id/overview',
  flow: '/projects/:id/flow',
  'project-trash': '/projects/:id/trash',
  trash: '/trash',
  mine: '/mine',
  notifications: '/notifications',
  ideas: '/ideas',
  search: '/search',
  'sign-in': '/sign-in',
  link: '/link',
  shared: '/shared/:id',
  account: '/account',
  members: '/admin/members',
  people: '/admin/people',
  teams: '/admin/teams',
  webhooks: '/admin/webhooks',
  audit: '/admin/audit',
  // A card by its number, as the service serves it: `/WEB-12`.
  number: /^\/(?<id>[A-Za-z][A-Za-z0-9]{1,5}-[1-9]\d*)\/?$/,
} as const

export type PageName = keyof typeof PATTERNS

/** The page of a location, with the parameters of its path. */
export interface Route {
  page: PageName | undefined
  id: string
  item: string
}

const compiled = Object.entries(PATTERNS).map(([page, pattern]) => ({
  page: page as PageName,
  expression:
    typeof pattern === 'string' ? new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`) : pattern,
}))

/** Finds the page of a path. */
export function routeOf(path: string): Route {
  for (const { page, expression } of compiled) {
    const groups = expression.exec(path)?.groups
    if (groups === undefined && !expression.test(path)) continue
    const { id = '', item = '' } = groups ?? {}
    return { page, id: decode(id), item: decode(item) }
  }
  return { page: undefined, id: '', item: '' }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const placeNow = (): Place => ({
  path: `/${location.pathname.slice(root.length)}`,
  query: new URLSearchParams(location.search),
})

/** The current location. */
export const place = signal<Place>(placeNow())

/** How often the user has gone back or forward in the browser, which closes what lies over the page. */
export const timesGone = signal(0)

/** The `href` of one of the page's paths. @param path with its query: `/projects/<id>?q=flyer` */
export const href = (path: string): string => root + path.replace(/^\//, '')

/** The path of a project's pages and cards. */
export const paths = {
  board: (id: string) => `/projects/${encodeURIComponent(id)}`,
  card: (id: string, item: string) => `/projects/${encodeURIComponent(id)}/items/${encodeURIComponent(item)}`,
  /** @param number with the key of its project: `WEB-12` */
  number: (number: string) => `/${number}`,
  overview: (id: string) => `/projects/${encodeURIComponent(id)}/overview`,
  flow: (id: string) => `/projects/${encodeURIComponent(id)}/flow`,
  trash: (id: string) => `/projects/${encodeURIComponent(id)}/trash`,
}

/** Whether a path belongs to the page itself. A path from an address may be anything. */
export const isOwnPath = (path: string): boolean =>
  /^\/(?![/\\])/.test(path) && routeOf(path.replace(/[?#].*/, '')).page !== undefined

/** Work to do once the browser has gone back; undefined if it is not going back. Going back would leave an entry that is pushed before that. */
let afterBack: (() => void) | undefined

/** The time in milliseconds after which the browser is taken not to go back, e.g. because it was asked to too often. */
const BACK_TAKES = 1000

function finishBack(): void {
  const next = afterBack
  afterBack = undefined
  next?.()
}

/** Navigates to a path of the page. @param replace replaces the current history entry, as the current path always does */
export function go(path: string, { replace = false } = {}): void {
  if (afterBack) {
    afterBack = () => go(path, { replace })
    return
  }
  endScrolling?.()
  saveScroll()
  const address = href(path)
  // Like a link in any page. The second click of a double click adds no entry.
  if (replace || address === location.pathname + location.search)
    history.replaceState(history.state, '', address)
  else history.pushState({ hasBefore: true }, '', address)
  arrive()
  if (!replace) scrollTo(0, 0)
}

/** Goes back to where the dialog was opened. If the tab started with the dialog, goes to a path instead. */
export function back(fallback: string): void {
  if (afterBack) return
  if ((history.state as { hasBefore?: boolean } | null)?.hasBefore) {
    afterBack = () => undefined
    setTimeout(finishBack, BACK_TAKES)
    history.back()
  } else go(fallback, { replace: true })
}

/** Changes only the query, e.g. a filter, in the same history entry. */
export function setQuery(changes: Readonly<Record<string, string | readonly string[] | undefined>>): void {
  const query = new URLSearchParams(place.peek().query)
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name)
    for (const one of value === undefined ? [] : [value].flat()) if (one !== '') query.append(name, one)
  }
  const text = query.toString()
  go(place.peek().path + (text ? `?${text}` : ''), { replace: true })
}

function arrive(): void {
  const next = placeNow()
  const now = place.peek()
  if (next.path !== now.path || next.query.toString() !== now.query.toString()) place.value = next
}

function saveScroll(): void {
  history.replaceState({ ...(history.state as object | null), scroll: scrollY }, '')
}

/** The time in milliseconds in which a page that loads is scrolled to where it was. */
const SCROLLS_FOR = 10_000

/** After these events, the user decides where the page is scrolled. */
const USES = ['wheel', 'pointerdown', 'keydown'] as const

let endScrolling: (() => void) | undefined

/** Scrolls to where the history entry was left, once as much of the page has loaded. */
function restoreScroll(): void {
  endScrolling?.()
  const { scroll = 0 } = (history.state ?? {}) as { scroll?: number }
  // It also calls back when it starts, after the page has been rendered.
  const observer = new ResizeObserver(() => {
    scrollTo(0, scroll)
    if (Math.ceil(scrollY) >= scroll) end()
  })
  const end = () => {
    clearTimeout(timer)
    observer.disconnect()
    for (const use of USES) removeEventListener(use, end, true)
  }
  const timer = setTimeout(end, SCROLLS_FOR)
  for (const use of USES) addEventListener(use, end, true)
  observer.observe(document.body)
  endScrolling = end
}

/** The target of a link. Links in charts (SVG) store it in another form. */
const addressOf = (link: HTMLAnchorElement | SVGAElement): URL =>
  new URL(link instanceof SVGAElement ? link.href.baseVal : link.href, location.href)

/** Whether the page handles a click: an unmodified one on a link to the page itself. */
function onClick(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || event.defaultPrevented || event.button !== 0) return
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  if (link.hasAttribute('target') || link.hasAttribute('download')) return
  const { origin, pathname, search, hash } = addressOf(link)
  const path = `/${pathname.slice(root.length)}`
  if (origin !== location.origin || !pathname.startsWith(root) || hash || !isOwnPath(path)) return
  event.preventDefault()
  go(path + search)
}

/** Starts handling links and the browser's back and forward. */
export function startRouter(): void {
  // Browsers resolve relative URLs again when the page's address changes.
  for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) icon.href = `${icon.href}`
  history.scrollRestoration = 'manual'
  document.addEventListener('click', onClick)
  addEventListener('popstate', () => {
    if (!afterBack) timesGone.value++
    arrive()
    finishBack()
    restoreScroll()
  })
  // A reload keeps the history entry.
  addEventListener('pagehide', saveScroll)
  restoreScroll()
}
