/** A queue in which members take turns: one who asks for much waits for it alone. */
export class Turns<Task> {
  /** What waits, by whose it is; those whose turn is next come first. */
  readonly #waiting = new Map<string | null, Task[]>()
  #size = 0

  /** How many wait. */
  get size(): number {
    return this.#size
  }

  /** How many of one member wait. */
  of(member: string | null): number {
    return this.#waiting.get(member)?.length ?? 0
  }

  /** @param member whose it is; null for all of whom nothing is known */
  add(member: string | null, task: Task): void {
    this.#size++
    const own = this.#waiting.get(member)
    if (own) own.push(task)
    else this.#waiting.set(member, [task])
  }

  /** Takes the next one out; undefined where nothing waits. */
  next(): Task | undefined {
    const [turn] = this.#waiting
    if (turn === undefined) return undefined
    const [member, tasks] = turn
    this.#size--
    // At the end again, behind everybody else.
    this.#waiting.delete(member)
    const task = tasks.shift()
    if (tasks.length > 0) this.#waiting.set(member, tasks)
    return task
  }

  /** Takes one out before its turn. */
  remove(member: string | null, task: Task): void {
    const tasks = this.#waiting.get(member) ?? []
    const index = tasks.indexOf(task)
    if (index < 0) return
    this.#size--
    tasks.splice(index, 1)
    if (tasks.length === 0) this.#waiting.delete(member)
  }

  /** Takes all out. */
  clear(): Task[] {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#size = 0
    return all
  }
}
