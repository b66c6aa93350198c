/** The rights of the user in a project. The service enforces them; the page only hides actions that it would refuse. */
import { computed } from '@preact/signals'
import { onAccess, onChange, onConnected } from './live.ts'
import type { ProjectStore } from './project-store.ts'
import { identity, isUnlimited, loadSession, mayWrite, me } from './session.ts'

/** The role of an assignment that only lets its member read. */
const READER = 'viewer'
/** The debounce before the rights are reloaded, in milliseconds. */
const SETTLED = 500

const readOnly = computed(() => new Set(identity.value?.readOnlyProjects))

/** Whether the user may write a project, as of the last time that the rights were loaded. */
export const mayWriteProject = (id: string): boolean => mayWrite.value && !readOnly.value.has(id)

/**
 * Whether the user may write an open project: unless they are assigned to it as a viewer, which the stream tells at once, or a
 * host application only lets them read it. Subscribes to their own assignment.
 */
export function mayWriteIn(store: ProjectStore): boolean {
  if (identity.value?.via === 'host') return mayWriteProject(store.id)
  return mayWrite.value && (isUnlimited.value || store.roleOf(me.value?.id ?? '') !== READER)
}

/** Updates the rights. */
export function followRights(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const reload = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void loadSession().catch(() => undefined), SETTLED)
  }
  onChange(({ kind, id }) => {
    const isMine = kind === 'member' && id === me.peek()?.id
    if (isMine || (kind === 'team-assignment' && !isUnlimited.peek())) reload()
  })
  onAccess(reload)
  onConnected(reload)
}
