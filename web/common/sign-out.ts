/** Signs out after the pending writes, which would otherwise be refused and lost. */
import { endOwnSession } from './session.ts'
import { written } from './writes.ts'

/** Signs out, and reloads at the sign-in page. @throws PhaseboardError */
export async function signOut(): Promise<void> {
  await written()
  await endOwnSession()
}
