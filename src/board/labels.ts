/** The labels of a project's board, and their assignment to items. */
import { and, eq } from 'drizzle-orm'
import { Children, nameTaken } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels } from '../db/schema.ts'
import { change, existsIn, given, insertInto, selectAll, selectOne } from '../db/statements.ts'
import { rowLimit } from '../db/work-limits.ts'
import { invalidField } from '../errors.ts'
import { fold } from '../folding.ts'
import { type KanbanLabel, KanbanLabelSchema } from '../schemas/records.ts'

/** Fields a client may set. */
type LabelInput = Partial<Pick<KanbanLabel, 'name' | 'color'>>

/** Conditions: the labels of an item, and one of them. */
const ofItem = eq(kanbanItemLabels.itemId, given('itemId'))
const ofItemAndLabel = and(ofItem, eq(kanbanItemLabels.labelId, given('labelId')))

const statementsOf = (db: SharedDatabase) => ({
  ofProject: selectAll(db, () =>
    db
      .select({ id: kanbanLabels.id, name: kanbanLabels.name })
      .from(kanbanLabels)
      .where(eq(kanbanLabels.projectId, given('projectId'))),
  ),
  limitItems: rowLimit(db, 'kanban_item_labels where label_id = +?'),
  itemExists: existsIn(db, kanbanItems),
  labelOfProject: selectOne(db, () =>
    db
      .select({ id: kanbanLabels.id })
      .from(kanbanLabels)
      .innerJoin(kanbanItems, eq(kanbanItems.projectId, kanbanLabels.projectId))
      .where(and(eq(kanbanLabels.id, given('labelId')), eq(kanbanItems.id, given('itemId')))),
  ),
  attached: selectOne(db, () =>
    db.select({ labelId: kanbanItemLabels.labelId }).from(kanbanItemLabels).where(ofItemAndLabel),
  ),
  detach: change(() => db.delete(kanbanItemLabels).where(ofItemAndLabel)),
  detachAll: change(() => db.delete(kanbanItemLabels).where(ofItem)),
  insert: insertInto(db, kanbanItemLabels),
  namesOfItem: selectAll(db, () =>
    db
      .select({ name: kanbanLabels.name })
      .from(kanbanItemLabels)
      .innerJoin(kanbanLabels, eq(kanbanLabels.id, kanbanItemLabels.labelId))
      .where(ofItem),
  ),
})

/** A name without white space at its ends, in NFC. @throws ApiError 400 if nothing is left */
function cleanName(name: string): string {
  const clean = name.trim().normalize()
  if (clean === '') throw invalidField('name', 'must NOT have fewer than 1 characters')
  return clean
}

/** The labels of projects. */
export class Labels extends Children<typeof kanbanLabels> {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    super(db, kanbanLabels, KanbanLabelSchema)
    this.#sql = statementsOf(db)
  }

  /** Creates a label. @throws ApiError 400, 404 for an unknown project, 409 if it has a label of that name, folded */
  override create(projectId: string, input: LabelInput & { name: string }): KanbanLabel {
    const name = cleanName(input.name)
    this.#ensureFree(projectId, name)
    return super.create(projectId, { ...input, name })
  }

  /** Changes a label. @throws ApiError 400, 404, or 409 if the project has another label of that name, folded; TooMuchWork */
  override update(id: string, input: LabelInput): KanbanLabel {
    const { projectId, name: former } = this.get(id)
    this.#sql.limitItems(id)
    if (input.name === undefined || input.name === former) return super.update(id, input)
    const name = cleanName(input.name)
    this.#ensureFree(projectId, name, id)
    return super.update(id, { ...input, name })
  }

  /** Deletes a label, detaching it from all items. @throws ApiError 404; TooMuchWork */
  override delete(id: string): void {
    this.#sql.limitItems(id)
    super.delete(id)
  }

  /**
   * Attaches a label to an item; idempotent. The item itself does not change: no activity entry, same `updatedAt`.
   * @throws ApiError 404 for an unknown item, or a label that its project does not have
   */
  attach(itemId: string, labelId: string): void {
    this.#ensureBoth(itemId, labelId)
    // No `or ignore`: the triggers' note of the conflicting row would remain.
    if (!this.#sql.attached({ itemId, labelId })) this.#sql.insert({ itemId, labelId })
  }

  /** Detaches a label from an item; idempotent, too. @throws ApiError 404 as {@link attach} */
  detach(itemId: string, labelId: string): void {
    this.#ensureBoth(itemId, labelId)
    this.#sql.detach({ itemId, labelId })
  }

  /**
   * Detaches the labels of an item before it moves to another project, so that this change belongs to its own project.
   * @returns a function that attaches the other project's labels with the same names, folded, after the move
   */
  transfer(itemId: string, projectId: string): () => void {
    const names = new Set(this.#sql.namesOfItem({ itemId }).map(({ name }) => fold(name)))
    const labels =
      names.size > 0 ? this.#sql.ofProject({ projectId }).filter(({ name }) => names.has(fold(name))) : []
    this.#sql.detachAll({ itemId })
    return () => {
      for (const { id: labelId } of labels) this.#sql.insert({ itemId, labelId })
    }
  }

  /** @param id the label that may have the name @throws ApiError 409 */
  #ensureFree(projectId: string, name: string, id?: string): void {
    const folded = fold(name)
    const isTaken = this.#sql
      .ofProject({ projectId })
      .some((label) => label.id !== id && fold(label.name) === folded)
    if (isTaken) throw nameTaken(kanbanLabels)
  }

  #ensureBoth(itemId: string, labelId: string): void {
    if (!this.#sql.itemExists(itemId)) throwNotFound(kanbanItems)
    if (!this.#sql.labelOfProject({ itemId, labelId })) throwNotFound(kanbanLabels)
  }
}
