/** Who the user is, and what the user may do. */
import { computed, signal } from '@preact/signals'
import { api, type CurrentMember, PhaseboardError, root } from './api.ts'

/** How the service knows the user; `default` is open mode, where nobody signs in. */
export type Via = 'session' | 'token' | 'proxy' | 'default' | 'host'

export interface Identity {
  member: CurrentMember
  via: Via
}

/** What is known of the user: nothing yet, nobody, or who. */
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

/** Waits until somebody is signed in (again). */
export function signedIn(): Promise<void> {
  if (sessionState.peek() === 'signed-in' && !hasEnded.peek()) return Promise.resolve()
  return new Promise((resolve) => waiting.add(resolve))
}

function enter(found: Identity): void {
  identity.value = found
  sessionState.value = 'signed-in'
  hasEnded.value = false
  for (const resolve of waiting) resolve()
  waiting.clear()
}

/** Asks the service who the user is. @throws PhaseboardError where it does not answer */
export async function loadSession(): Promise<void> {
  try {
    enter(await api.get('/api/session'))
  } catch (error) {
    if (!(error instanceof PhaseboardError && error.status === 401)) throw error
    endSession()
  }
}

/** Notes that the service knows the user no more (401): the page stays as it is, and asks to sign in again. */
export function endSession(): void {
  if (identity.peek() !== undefined) hasEnded.value = true
  else sessionState.value = 'signed-out'
}

/** Signs in. @throws PhaseboardError 401 for a wrong email or password, 429 after too many */
export async function signIn(email: string, password: string): Promise<void> {
  const before = identity.peek()?.member.id
  await api.post('/api/session', { body: { email, password } })
  const found = await api.get('/api/session')
  // Somebody else: nothing that is on the page, or waits to be written, is theirs.
  if (before !== undefined && before !== found.member.id) location.reload()
  enter(found)
}

/** Signs out, and begins anew at the sign-in page. @throws PhaseboardError */
export async function signOut(): Promise<void> {
  await api.delete('/api/session')
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
