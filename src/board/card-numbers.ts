/**
 * The numbers of cards: ascending in each project, never given twice. With the key of the project they name a card: `WEB-12`. A number
 * that a card had in another project, and a key that a project had, go on leading there; triggers of the file keep them.
 */
import type { SharedDatabase } from '../db/client.ts'
import { once } from '../once.ts'

/** Cards that get a number in one write. */
const AT_ONCE = 500

/** What names a card: the key of its project, or a former one, and its number. Without regard to case. */
const NAMED = /^([a-z][a-z0-9]{1,5})-([1-9]\d{0,8})$/i

/** The largest number that an import keeps: what follows has room. */
const LARGEST = 100_000_000

/** Whether a card may have a number of another tool. */
export const isCardNumber = (number: number): boolean =>
  Number.isInteger(number) && number > 0 && number <= LARGEST

/** The projects that a key leads to: the one that has it, or else the one that had it. */
const PROJECT_OF_KEY = `ifnull((select id from projects where key = :key),
  (select project_id from former_project_keys where key = :key))`

/** The largest number in a project, by the index. NULL without any. */
const largestOf = (projectId: string) =>
  `(select number from kanban_items where project_id = ${projectId} order by number desc limit 1)`

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  next: once(() =>
    client
      .prepare<[object], number>(
        `insert into card_numbers (project_id, last)
        values (:projectId, ifnull(${largestOf(':projectId')}, 0) + 1)
        on conflict do update set last = last + 1 returning last`,
      )
      .pluck(),
  ),
  // Each part uses the index of a project's numbers. What was read before, the id itself, wins.
  named: once(() =>
    client
      .prepare<[object], string>(
        `select id from kanban_items where id = :text
        union all
        select id from kanban_items where project_id = ${PROJECT_OF_KEY} and number = :number
        union all
        select item_id from former_card_numbers where project_id = ${PROJECT_OF_KEY} and number = :number
        limit 1`,
      )
      .pluck(),
  ),
  isFormer: once(() =>
    client.prepare<[object]>(
      `select 1 from former_card_numbers
      where project_id = +:projectId and number = +:number and item_id = +:itemId`,
    ),
  ),
  hasMissing: once(() =>
    client.prepare(
      'select 1 from kanban_items indexed by kanban_items_unnumbered where number is null limit 1',
    ),
  ),
  give: once(() =>
    client.prepare<[number]>(
      `update kanban_items set number = given.number from (
        select lacking.id, ifnull((select last from card_numbers where project_id = lacking.project_id), 0)
          + row_number() over (partition by lacking.project_id order by created_at, lacking.id) as number
        from kanban_items as lacking indexed by kanban_items_unnumbered where number is null limit ?) as given
      where kanban_items.id = given.id`,
    ),
  ),
  noteGiven: once(() =>
    client.prepare(
      `insert into card_numbers (project_id, last)
      select id, ${largestOf('projects.id')} as last from projects where last is not null
      on conflict do update set last = max(last, excluded.last)`,
    ),
  ),
})

/** The numbers of cards. */
export class CardNumbers {
  static readonly reads: readonly string[] = ['find', 'hasMissing']
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** The next number of a project, for a card of the same transaction. */
  next(projectId: string): number {
    return this.#sql.next().get({ projectId }) as number
  }

  /**
   * The number of a card that an undo moves back to a project, if the change does not say it: the current one, if it is the one that the card had
   * there; else the next, since changes of an earlier version have no numbers.
   */
  back(projectId: string, itemId: string, number: unknown): number {
    const isFormer = this.#sql.isFormer().get({ projectId, itemId, number }) !== undefined
    return isFormer ? (number as number) : this.next(projectId)
  }

  /**
   * The id of the card that a text names, such as `WEB-12`, whoever may see it; undefined if it names none. A card whose id is this text
   * comes first.
   */
  find(text: string): string | undefined {
    const [, key = '', number] = NAMED.exec(text) ?? []
    if (number === undefined) return undefined
    return this.#sql.named().get({ text, key: key.toUpperCase(), number: Number(number) })
  }

  /** Whether there are cards without a number: of another tool, or of an archive of an earlier version. */
  hasMissing(): boolean {
    return this.#sql.hasMissing().get() !== undefined
  }

  /** Gives a number to some cards without one. @param most cards @returns whether there may be more */
  give(most: number = AT_ONCE): boolean {
    this.noteGiven()
    const { changes } = this.#sql.give().run(most)
    this.noteGiven()
    return changes === most
  }

  /** Notes the numbers of cards that were written with one, so that none is given again. */
  noteGiven(): void {
    this.#sql.noteGiven().run()
  }
}
