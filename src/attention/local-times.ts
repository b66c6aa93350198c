/**
 * The reminders of days. A watcher is reminded when the clocks of its time zone show a local time, such as nine o'clock of a day. A row has
 * that time alone: which zones have reached it since the last look follows from two readings of the system clock. So neither members nor
 * their zones are in any row, and a change of either takes effect at the next look.
 */
import type { SharedDatabase } from '../db/client.ts'
import { once } from '../once.ts'
import { timestamp } from '../time.ts'
import { localTime, timeZoneOf } from '../time-zones.ts'
import type { ItemTime } from './item-times.ts'

/** The name of the time of the last look, in the table of consumers. */
export const LOOKS = 'reminders of days'

/** Where each local time comes last. */
const LAST_ZONE = 'Etc/GMT+12'

/** A write may commit that much later than its time says, in milliseconds. */
const LATE = 60_000

/** Sorts after every id: the last code point. */
const AFTER_ALL = '\u{10ffff}'

/** A time zone as it is stored, and the time when it was chosen. */
export interface Chosen {
  timeZone: string
  chosenAt: string
}

/** That of members without preferences. */
const UNCHOSEN: Chosen = { timeZone: 'UTC', chosenAt: '' }

/** What the clocks of a time zone showed at the last look, and show now. */
interface ZoneClock extends Chosen {
  from: string
  to: string
}

/** Time zones with the same clocks, and the local times to look at for their members. */
export interface Span {
  /** The place before the first one. */
  after: Pick<ItemTime, 'at' | 'itemId'>
  /** The last one. */
  to: string
  /** Whether a local time has come to somebody since the last look. */
  hasCome: (time: ItemTime, chosen: Chosen) => boolean
}

/** The local time that all time zones have reached. @param time milliseconds since 1970 */
export const reachedEverywhere = (time: number): string => localTime(time, LAST_ZONE)

const statementsOf = ({ $client: client }: SharedDatabase) => {
  const prepare = <Row>(text: string) => once(() => client.prepare<[object], Row>(text))
  return {
    lookedAt: prepare<{ time: number }>('select after as time from consumers where name = :name'),
    setLookedAt: prepare(
      'insert into consumers (name, after) values (:name, :time) on conflict do update set after = excluded.after',
    ),
    zones: prepare<Chosen>(
      'select time_zone as timeZone, max(updated_at) as chosenAt from member_preferences group by time_zone',
    ),
    zone: prepare<Chosen>(
      'select time_zone as timeZone, updated_at as chosenAt from member_preferences where member_id = :memberId',
    ),
    some: prepare<ItemTime>(
      `select item_id as itemId, kind, at, since from item_times
      where since is not null and (at, item_id) > (:at, :itemId) and at <= :to order by at, item_id limit +:count`,
    ),
  }
}

/** The local times of items. */
export class LocalTimes {
  static readonly reads: readonly string[] = ['spans', 'some', 'over', 'zoneOf']
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** The time zone of a member; UTC for anybody without preferences. */
  zoneOf(memberId: string): Chosen {
    return this.#sql.zone().get({ memberId }) ?? UNCHOSEN
  }

  /**
   * What the clocks of all members' time zones have shown from the last look until now, in steps: a rare zone takes a tenth of a millisecond.
   * @param now milliseconds since 1970
   */
  *spans(now: number): Generator<void, Span[], void> {
    const looked = this.#sql.lookedAt().get({ name: LOOKS })?.time ?? 0
    const zones: ZoneClock[] = []
    for (const one of [...this.#sql.zones().all({}), UNCHOSEN]) {
      const zone = timeZoneOf(one.timeZone)
      zones.push({ ...one, from: localTime(looked, zone), to: localTime(now, zone) })
      yield
    }
    const groups = Map.groupBy(zones, ({ from, to }) => `${from} ${to}`)
    return [...groups.values()].map((group) => spanOf(group, looked))
  }

  /** Local times after a place, in order. */
  some({ at, itemId }: Span['after'], to: string, count: number): ItemTime[] {
    return this.#sql.some().all({ at, itemId, to, count })
  }

  /** Local times that all time zones have reached. @param now milliseconds since 1970 */
  over(now: number, count: number): ItemTime[] {
    return this.some({ at: '', itemId: '' }, reachedEverywhere(now), count)
  }

  /** Stores the time of a look, after its notifications. @param time milliseconds since 1970 */
  setLookedAt(time: number): void {
    this.#sql.setLookedAt().run({ name: LOOKS, time })
  }
}

/**
 * Who has chosen a time zone since the last look may have missed what its clocks have already shown, if it is further east: all local times
 * are looked at again, for these members alone. Nobody gets a notification twice.
 */
function spanOf(zones: ZoneClock[], looked: number): Span {
  const [{ from, to }] = zones as [ZoneClock]
  const names = new Set(zones.map(({ timeZone }) => timeZone))
  const recently = timestamp(looked - LATE)
  const hasMissed = zones.some(({ chosenAt }) => chosenAt > recently)
  return {
    after: { at: hasMissed ? '' : from, itemId: AFTER_ALL },
    to,
    hasCome: ({ at, since }, { timeZone, chosenAt }) => {
      const isNews = names.has(timeZone) && (at > from || chosenAt > recently)
      // Not a time that had passed in the zone when it was set.
      return isNews && at > localTime(Date.parse(since ?? '') || 0, timeZoneOf(timeZone))
    },
  }
}
