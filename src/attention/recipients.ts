/** Possible recipients of notifications: members who can sign in, people of the host, the default member. */
import type { SharedDatabase } from '../db/client.ts'
import { once } from '../once.ts'

/** A possible recipient. */
export interface Recipient {
  id: string
  /** The role of a member; null for the default member and people of the host, whose rights are only known in their requests. */
  role: 'admin' | 'member' | 'viewer' | 'guest' | null
}

const statementsOf = ({ $client: client }: SharedDatabase) => {
  const prepare = <Row>(text: string) => once(() => client.prepare<[object], Row>(text))
  return {
    member: prepare<{ role: Recipient['role']; disabled: number }>(
      'select role, disabled from members where id = :id',
    ),
    person: prepare<{ id: string }>("select id from people where id = :id and kind = 'host'"),
    named: prepare<{ id: string; handle: string }>(
      `select id, handle from members where handle in (select value from json_each(:handles)) and not disabled`,
    ),
  }
}

/** The possible recipients. */
export class Recipients {
  static readonly reads: readonly string[] = ['one', 'named']
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** One of them; undefined for anybody else: disabled and deleted members, people of imported boards, ids of other systems. */
  one(id: string, others: ReadonlySet<string>): Recipient | undefined {
    const member = this.#sql.member().get({ id })
    if (member !== undefined) return member.disabled === 0 ? { id, role: member.role } : undefined
    const isOther = others.has(id) || this.#sql.person().get({ id }) !== undefined
    return isOther ? { id, role: null } : undefined
  }

  /** The ids of the members with these handles. */
  named(handles: readonly string[]): Map<string, string> {
    if (handles.length === 0) return new Map()
    const found = this.#sql.named().all({ handles: JSON.stringify(handles) })
    return new Map(found.map(({ id, handle }) => [handle, id]))
  }
}
