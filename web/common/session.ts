/** The user and their rights. */
import { computed, signal } from '@preact/signals'
import { api, type CurrentMember, PhaseboardError, root } from './api.ts'
import { drafts } from './drafts.ts'

/** How the service identifies the user. `default` is open mode, in which nobody signs in. */
export type Via = 'session' | 'token' | 'proxy' | 'default' | 'host'

export interface Identity {
  member: CurrentMember
  via: Via
  /** The projects that the user sees but may not write; absent if there are none. */
  readOnlyProjects?: readonly string[]
}

/** The state of the session: unknown, signed out, or the user. */
type SessionState = 'unknown' | 'signed-out' | 'signed-in'

/** The user; undefined while unknown or signed out. */
export const identity = signal<Identity | undefined>(undefined)
/** Whether the session of a signed-in user has ended. The page stays, with the sign-in dialog above it. */
export const hasEnded = signal(false)
/** Whether the sign-in dialog is shown. The user may hide it, to read the page, until something needs the session. */
export const isAsked = signal(false)
export const sessionState = signal<SessionState>('unknown')
/** Why the user is not known yet, if the service does not respond. */
export const sessionFailure = signal<unknown>(undefined)

export const me = computed(() => identity.value?.member)
export const isAdmin = computed(() => me.value?.role === 'admin')
/** Whether the user sees and writes every project, without being assigned to it. */
export const isUnlimited = computed(() => isAdmin.value || identity.value?.via === 'default')
/** Guests see only projects that they are assigned to, and make none. */
export const isGuest = computed(() => me.value?.role === 'guest')
/** Whether the user may write. Viewers may only write what is their own. In open mode everybody may write. */
export const mayWrite = computed(() => me.value !== undefined && me.value.role !== 'viewer')
/** Whether the user may make projects. */
export const mayMakeProjects = computed(() => mayWrite.value && !isGuest.value)

const waiting = new Set<() => void>()

/** Waits until a user is signed in (again). */
export function signedIn(): Promise<void> {
  if (sessionState.peek() === 'signed-in' && !hasEnded.peek()) return Promise.resolve()
  return new Promise((resolve) => waiting.add(resolve))
}

/** Whether the page is about to be loaded for another user, whose session must not send the pending writes. */
export const isLeaving = signal(false)

/** Loads a page for another user. Only the first call has an effect, because another one would cancel its navigation. */
export function leave(navigate: () => void): void {
  if (isLeaving.peek()) return
  isLeaving.value = true
  navigate()
}

/** Sets the user. If it is another user than before, reloads the page. */
function enter(found: Identity): void {
  const before = identity.peek()?.member.id
  if (before !== undefined && before !== found.member.id) {
    leave(() => location.reload())
    return
  }
  drafts.belongTo(found.member.id)
  identity.value = found
  sessionState.value = 'signed-in'
  hasEnded.value = false
  for (const resolve of waiting) resolve()
  waiting.clear()
}

/** Loads the user; undefined if nobody is signed in. @throws PhaseboardError if the service does not respond */
async function whoAmI(): Promise<Identity | undefined> {
  try {
    return await api.get('/api/session')
  } catch (error) {
    if (error instanceof PhaseboardError && error.status === 401) return undefined
    throw error
  }
}

/** Loads the user again. @throws PhaseboardError if the service does not respond */
export async function loadSession(): Promise<void> {
  // The first response removes the cookie of an ended session. Without the cookie, open mode admits everybody.
  const found = (await whoAmI()) ?? (await whoAmI())
  if (found) enter(found)
  else endSession()
}

/** The pause before the user is loaded again if the service did not respond, in milliseconds. */
const PAUSE = 3000

/** Loads the user when the page opens. Without a response it shows that, and tries again until the service responds. */
export async function openSession(): Promise<void> {
  for (;;) {
    try {
      await loadSession()
      sessionFailure.value = undefined
      return
    } catch (error) {
      sessionFailure.value = error
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PAUSE)
      addEventListener(
        'online',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
  }
}

let tabs: BroadcastChannel | undefined

/** The id of the user, for other tabs; null for nobody. */
const userHere = () => (hasEnded.peek() ? null : (identity.peek()?.member.id ?? null))

/**
 * Shares the current user with other tabs of this browser. All tabs have the same cookie, and another user must not send a
 * tab's pending writes.
 */
export function startSharing(): void {
  tabs = new BroadcastChannel(`phaseboard:session:${root}`)
  tabs.onmessage = ({ data }) => {
    if (data !== userHere()) void loadSession().catch(() => undefined)
  }
  tabs.postMessage(userHere())
}

/** Updates the user, e.g. the name. */
export function changeIdentity(fields: Partial<CurrentMember>): void {
  const found = identity.peek()
  if (found) identity.value = { ...found, member: { ...found.member, ...fields } }
}

/** Continues if the user has signed in again in another tab. */
export async function enterAgain(): Promise<void> {
  const found = await whoAmI().catch(() => undefined)
  if (found && found.via !== 'default') enter(found)
}

/** Whether the service is in open mode, which needs no account. */
export const isOpenToAll = async (): Promise<boolean> =>
  (await whoAmI().catch(() => undefined))?.via === 'default'

/** Handles a 401: the page stays, and prompts the user to sign in again. It does so once, whatever else gets a 401. */
export function endSession(): void {
  if (identity.peek() === undefined) sessionState.value = 'signed-out'
  else if (!hasEnded.peek()) hasEnded.value = isAsked.value = true
}

/** Prompts the user again who has hidden the dialog, because what they do now needs a session. */
export function askAgain(): void {
  if (hasEnded.peek()) isAsked.value = true
}

/** Signs in. @throws PhaseboardError 401 for a wrong email or password, 429 after too many attempts */
export async function signIn(email: string, password: string): Promise<void> {
  await api.post('/api/session', { body: { email, password } })
  enter(await api.get('/api/session'))
  // The page is about to reload, so nothing else should happen on it.
  if (isLeaving.peek()) await new Promise(() => undefined)
  tabs?.postMessage(userHere())
}

/** Ends the session, and reloads at the sign-in page. @throws PhaseboardError */
export async function endOwnSession(): Promise<void> {
  await api.delete('/api/session')
  tabs?.postMessage(null)
  leave(() => location.assign(root))
}

/**
 * Loads something. If the session has ended, waits until the user has signed in again.
 * @throws PhaseboardError for all errors but 401
 */
export async function read<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    const hadEnded = hasEnded.peek()
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof PhaseboardError && error.status === 401)) throw error
      endSession()
      if (hadEnded) askAgain()
      await signedIn()
    }
  }
}
