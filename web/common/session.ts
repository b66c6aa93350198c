/** The user and its rights. */
import { computed, signal } from '@preact/signals'
import { api, type CurrentMember, PhaseboardError, root } from './api.ts'
import { drafts } from './drafts.ts'

/** How the service knows the user; `default` is open mode, where nobody signs in. */
export type Via = 'session' | 'token' | 'proxy' | 'default' | 'host'

export interface Identity {
  member: CurrentMember
  via: Via
}

/** The state of the session: unknown, signed out, or the user. */
export type SessionState = 'unknown' | 'signed-out' | 'signed-in'

/** The user; undefined while unknown or signed out. */
export const identity = signal<Identity | undefined>(undefined)
/** Whether the user had been signed in, and the session has ended: the page stays, with the sign-in dialog above it. */
export const hasEnded = signal(false)
export const sessionState = signal<SessionState>('unknown')

export const me = computed(() => identity.value?.member)
export const isAdmin = computed(() => me.value?.role === 'admin')
/** Whether the user may write; viewers may not, but for what is their own. In open mode everybody may. */
export const mayWrite = computed(() => me.value !== undefined && me.value.role !== 'viewer')

const waiting = new Set<() => void>()

/** Waits until a user is signed in (again). */
export function signedIn(): Promise<void> {
  if (sessionState.peek() === 'signed-in' && !hasEnded.peek()) return Promise.resolve()
  return new Promise((resolve) => waiting.add(resolve))
}

/** Whether the page is about to reload for another user, who must not send the pending writes. */
export const isLeaving = signal(false)

/** Sets the user. Another user than before reloads the page. */
function enter(found: Identity): void {
  const before = identity.peek()?.member.id
  if (before !== undefined && before !== found.member.id) {
    isLeaving.value = true
    location.reload()
    return
  }
  drafts.belongTo(found.member.id)
  identity.value = found
  sessionState.value = 'signed-in'
  hasEnded.value = false
  for (const resolve of waiting) resolve()
  waiting.clear()
}

/** Who the service says the user is; undefined for nobody. @throws PhaseboardError where it does not answer */
async function whoAmI(): Promise<Identity | undefined> {
  try {
    return await api.get('/api/session')
  } catch (error) {
    if (error instanceof PhaseboardError && error.status === 401) return undefined
    throw error
  }
}

/** Asks the service who the user is. @throws PhaseboardError where it does not answer */
export async function loadSession(): Promise<void> {
  // The cookie of a session that has ended goes with the first answer; without it open mode knows everybody.
  const found = (await whoAmI()) ?? (await whoAmI())
  if (found) enter(found)
  else endSession()
}

let tabs: BroadcastChannel | undefined

/** The id of the user, for other tabs; null for nobody. */
const userHere = () => (hasEnded.peek() ? null : (identity.peek()?.member.id ?? null))

/**
 * Exchanges the current user with other tabs of this browser: all have the same cookie, and another
 * user must not send a tab's pending writes.
 */
export function startSharing(): void {
  tabs = new BroadcastChannel(`phaseboard:session:${root}`)
  tabs.onmessage = ({ data }) => {
    if (data !== userHere()) void loadSession().catch(() => undefined)
  }
  tabs.postMessage(userHere())
}

/** Notes what has changed of the user, e.g. the name. */
export function changeIdentity(fields: Partial<CurrentMember>): void {
  const found = identity.peek()
  if (found) identity.value = { ...found, member: { ...found.member, ...fields } }
}

/** Goes on where the user has signed in meanwhile, in another tab. */
export async function enterAgain(): Promise<void> {
  const found = await whoAmI().catch(() => undefined)
  if (found && found.via !== 'default') enter(found)
}

/** Whether the service lets everybody in, without an account. */
export const isOpenToAll = async (): Promise<boolean> =>
  (await whoAmI().catch(() => undefined))?.via === 'default'

/** Handles a 401: the page stays, and asks to sign in again. */
export function endSession(): void {
  if (identity.peek() !== undefined) hasEnded.value = true
  else sessionState.value = 'signed-out'
}

/** Signs in. @throws PhaseboardError 401 for a wrong email or password, 429 after too many attempts */
export async function signIn(email: string, password: string): Promise<void> {
  await api.post('/api/session', { body: { email, password } })
  enter(await api.get('/api/session'))
  // Nothing more is to happen on a page that begins anew.
  if (isLeaving.peek()) await new Promise(() => undefined)
  tabs?.postMessage(userHere())
}

/** Ends the session, and reloads at the sign-in page. @throws PhaseboardError */
export async function endOwnSession(): Promise<void> {
  await api.delete('/api/session')
  tabs?.postMessage(null)
  location.assign(root)
}

/**
 * Reads something, over the end of the session: waits for the user to sign in again.
 * @throws PhaseboardError for all but 401
 */
export async function read<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof PhaseboardError && error.status === 401)) throw error
      endSession()
      await signedIn()
    }
  }
}
