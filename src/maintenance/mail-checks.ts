/** Checks of e-mail. */
import { timestamp } from '../time.ts'
import { type Check, count, has, NOTHING, together } from './checks.ts'

/** Milliseconds for which a mail may fail before it is a problem: servers may refuse the first attempts of an unknown sender. */
const MAY_FAIL = 60 * 60 * 1000

const mail: Check = {
  name: 'mail',
  holds: 'e-mail reaches the members who want it',
  advice:
    'see the logs of the service and the mail server; `phaseboard mail test` sends a test. A refused address gets mail again once its member sets the preference again',
  find: ({ client }) => {
    if (!has(client, 'mails')) return NOTHING
    const since = timestamp(Date.now() - MAY_FAIL)
    const wanting = `member_preferences as preferred join members on members.id = preferred.member_id
      where preferred.email <> 'none' and members.disabled = 0`
    return together([
      count(
        client,
        `select 'mail to member ' || member_id || ' has failed since ' || failing_since || ': ' || failure from mails
        where failing_since < '${since}'`,
        (name) => name,
      ),
      count(
        client,
        `select 'the address of member ' || members.id || ' was refused: ' || preferred.stopped_because from ${wanting}
        and preferred.stopped_address = members.email`,
        (name) => name,
      ),
      count(
        client,
        `select 'a mail to member ' || members.id || ' was given up: ' || preferred.failure from ${wanting}
        and preferred.failure is not null and preferred.stopped_address is not members.email`,
        (name) => name,
      ),
    ])
  },
}

export const MAIL_CHECKS: readonly Check[] = [mail]
