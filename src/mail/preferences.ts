/** Members' preferences for e-mail. Only the member can read and change them. */
import { eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { memberPreferences, members } from '../db/schema.ts'
import { given, selectOne } from '../db/statements.ts'
import { once } from '../once.ts'
import { LANGUAGES, type Preferences, type TestMail } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { timeZoneOf } from '../time-zones.ts'
import type { MailQueue } from './queue.ts'
import { languageOf } from './texts.ts'

/** The fields that a member may set. */
type PreferencesInput = Partial<Pick<Preferences, 'email' | 'timeZone' | 'language'>>

/** Longest stored response of a server that refused an address, in characters. */
const REASON_LENGTH = 500

const DEFAULTS = { email: 'none', timeZone: 'UTC', language: LANGUAGES[0], stoppedBecause: null } as const

function statementsOf(db: SharedDatabase) {
  const { memberId, email, timeZone, language, stoppedAddress, stoppedBecause } = memberPreferences
  return {
    one: selectOne(db, () =>
      db
        .select({ email, timeZone, language, stoppedAddress, stoppedBecause })
        .from(memberPreferences)
        .where(eq(memberId, given('memberId'))),
    ),
    address: selectOne(db, () =>
      db
        .select({ email: members.email })
        .from(members)
        .where(eq(members.id, given('memberId'))),
    ),
    set: once(() =>
      db.$client.prepare<[object]>(
        `insert into member_preferences (member_id, email, time_zone, language, updated_at)
        values (:memberId, :email, :timeZone, :language, :at)
        on conflict do update set email = excluded.email, time_zone = excluded.time_zone, language = excluded.language,
          updated_at = excluded.updated_at`,
      ),
    ),
    confirm: once(() =>
      db.$client.prepare<[object]>(
        `update member_preferences set stopped_address = null, stopped_because = null, failure = null where member_id = :memberId`,
      ),
    ),
    stop: once(() =>
      db.$client.prepare<[object]>(
        `update member_preferences set stopped_address = :address, stopped_because = :reason where member_id = :memberId`,
      ),
    ),
    setFailure: once(() =>
      db.$client.prepare<[object]>(
        `update member_preferences set failure = :failure where member_id = :memberId and failure is not :failure`,
      ),
    ),
  }
}

export class MailPreferences {
  static readonly reads: readonly string[] = ['get']
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #queue: MailQueue

  constructor(db: SharedDatabase, queue: MailQueue) {
    this.#sql = statementsOf(db)
    this.#queue = queue
  }

  /**
   * The preferences of a member.
   * @param memberId null for somebody without a row among the members: the defaults
   * @param emailAvailable whether the service sends mail
   */
  get(memberId: string | null, emailAvailable: boolean): Preferences {
    const stored = memberId === null ? undefined : this.#sql.one({ memberId })
    if (stored === undefined) return { ...DEFAULTS, emailAvailable }
    const { email, stoppedAddress, stoppedBecause } = stored
    const [timeZone, language] = [timeZoneOf(stored.timeZone), languageOf(stored.language)]
    const isStopped = stoppedAddress !== null && stoppedAddress === this.#sql.address({ memberId })?.email
    return { email, timeZone, language, stoppedBecause: isStopped ? stoppedBecause : null, emailAvailable }
  }

  /**
   * Changes the preferences of a member. `email`, also if it stays the same, confirms the address: mail to it is sent again after its
   * server has refused it.
   */
  update(memberId: string, input: PreferencesInput, emailAvailable: boolean): Preferences {
    const before = this.get(memberId, emailAvailable)
    if (Object.keys(input).length === 0) return before
    const { email = before.email, timeZone = before.timeZone, language = before.language } = input
    this.#sql.set().run({ memberId, email, timeZone, language, at: timestamp() })
    if (input.email !== undefined) this.#sql.confirm().run({ memberId })
    if (email === 'none') this.#queue.drop(memberId)
    else this.#queue.reschedule(memberId)
    return this.get(memberId, emailAvailable)
  }

  /** The result of a test mail. It is a write only to store the response for retries of the request. */
  tested(result: TestMail): TestMail {
    return result
  }

  /** Stops mail to a member who has used an unsubscribe link. */
  unsubscribe(memberId: string): void {
    if ((this.#sql.one({ memberId })?.email ?? 'none') !== 'none')
      this.update(memberId, { email: 'none' }, true)
  }

  /** Stops mail to an address that its server has refused permanently. */
  stop(memberId: string, address: string, reason: string): void {
    this.#sql.stop().run({ memberId, address, reason: reason.slice(0, REASON_LENGTH) })
    this.#queue.drop(memberId)
  }

  /** Stores why a member's latest mail was discarded; null: it was sent. */
  setFailure(memberId: string, failure: string | null): void {
    this.#sql.setFailure().run({ memberId, failure })
  }
}
