/** Members who are told what happens, for tests of notifications. */
import { type App, send, signInAs } from '../helper.ts'

export type Role = 'admin' | 'member' | 'viewer' | 'guest'

/** A signed-in member with a handle. */
export function memberNamed(app: App, handle: string, role: Role = 'member') {
  const member = signInAs(app, role, { id: handle })
  app.db.$client.prepare('update members set handle = ? where id = ?').run(handle, member.id)
  return member
}

/** Lets the consumer work off everything that is committed by now. */
export async function workedOff(app: App): Promise<void> {
  // The first may have begun before.
  await app.notificationConsumer.work()
  await app.notificationConsumer.work()
}

/** What a member has been told, newest first. */
export async function toldTo(app: App, { headers }: { headers: Record<string, string> }, query = '') {
  await workedOff(app)
  const { status, body } = await send(app, 'GET', `/api/notifications${query}`, undefined, headers)
  if (status !== 200) throw new Error(`the notifications were not listed: ${JSON.stringify(body)}`)
  return body as Record<string, unknown>[]
}

/** The same, as kinds and items. */
export const kindsTold = async (app: App, member: { headers: Record<string, string> }) =>
  (await toldTo(app, member)).map(({ kind, itemId }) => [kind, itemId])
