/** The stored state of mail: the key that signs unsubscribe links, and whether a host handles notifications. */
import { randomBytes } from 'node:crypto'
import type { SharedDatabase } from '../db/client.ts'
import { once } from '../once.ts'

const KEY = 'unsubscribe-key'
const HOOK = 'hook'

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  get: once(() => client.prepare<[string], string>('select value from mail_state where name = ?').pluck()),
  add: once(() =>
    client.prepare<[string, string]>('insert into mail_state values (?, ?) on conflict do nothing'),
  ),
  remove: once(() => client.prepare<[string]>('delete from mail_state where name = ?')),
})

/** The stored state of mail. */
export class MailState {
  static readonly reads: readonly string[] = ['key', 'isForHost']
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** The key that signs unsubscribe links: 256 random bits, base64url; undefined before the first mail. */
  key(): string | undefined {
    return this.#sql.get().get(KEY)
  }

  /** Creates the key, once. @returns it */
  makeKey(): string {
    this.#sql.add().run(KEY, randomBytes(32).toString('base64url'))
    return this.key() as string
  }

  /** Whether all notifications are queued, for a host that handles them. */
  isForHost(): boolean {
    return this.#sql.get().get(HOOK) !== undefined
  }

  /** Queues all notifications from now on, for a host; or only those of members who want mail. */
  setForHost(isForHost: boolean): void {
    if (isForHost) this.#sql.add().run(HOOK, 'on')
    else this.#sql.remove().run(HOOK)
  }
}
