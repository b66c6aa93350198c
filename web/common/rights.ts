/** What the user may do in a project. The service decides; the page only does not offer what it would refuse. */
import type { ProjectStore } from './project-store.ts'
import { isUnlimited, mayWrite, me } from './session.ts'

/** The role of an assignment that only lets its member read. */
export const READER = 'viewer'

/** Whether the user may write a project: unless they are assigned to it as a viewer. Subscribes to their own assignment. */
export const mayWriteIn = (store: ProjectStore): boolean =>
  mayWrite.value && (isUnlimited.value || store.roleOf(me.value?.id ?? '') !== READER)
