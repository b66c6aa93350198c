/** The parts of the sequence in which projects were `assigned`, and who was in them then. */
import type { SharedDatabase } from '../db/client.ts'
import { readArrayText } from '../db/json-text.ts'
import { once } from '../once.ts'

/** A time in which a project was `assigned`. */
export interface Restriction {
  firstSeq: number
  /** NULL while it is, and for a project that was deleted as such. */
  lastSeq: number | null
  /** The members who were in it when it was opened. */
  memberIds: ReadonlySet<unknown>
}

type Row = Omit<Restriction, 'memberIds'> & { memberIds: string }

/** Whether a change was made in a time that has ended. */
export const isWithin = ({ firstSeq, lastSeq }: Restriction, seq: number): boolean =>
  lastSeq !== null && firstSeq <= seq && seq <= lastSeq

/** The restrictions of projects, of the past and of now. All reads. */
export class Restrictions {
  readonly #any: () => { get: () => number | undefined }
  readonly #of: () => { all: (projectId: string) => Row[] }

  constructor({ $client: client }: SharedDatabase) {
    // Read by the key, not by a scan of the table.
    this.#any = once(() =>
      client.prepare<[], number>(`select 1 from restrictions where project_id > '' limit 1`).pluck(),
    )
    this.#of = once(() =>
      client.prepare<[string], Row>(
        `select first_seq as firstSeq, last_seq as lastSeq, member_ids as memberIds from restrictions where project_id = +?`,
      ),
    )
  }

  /** Whether there are any: most files never had an `assigned` project. */
  exist(): boolean {
    return this.#any().get() === 1
  }

  /** Those of a project. */
  of(projectId: string): Restriction[] {
    return this.#of()
      .all(projectId)
      .map((row) => ({ ...row, memberIds: new Set(readArrayText(row.memberIds)) }))
  }
}
