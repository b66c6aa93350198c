/** A queue with round robin between members: a member with many tasks does not delay others. */
export class Turns<Task> {
  /** Waiting tasks by member, the next member first. */
  readonly #waiting = new Map<string | null, Task[]>()
  #size = 0

  /** The number of waiting tasks. */
  get size(): number {
    return this.#size
  }

  /** The number of a member's waiting tasks. */
  of(member: string | null): number {
    return this.#waiting.get(member)?.length ?? 0
  }

  /** @param member its member; null if unknown */
  add(member: string | null, task: Task): void {
    this.#size++
    const own = this.#waiting.get(member)
    if (own) own.push(task)
    else this.#waiting.set(member, [task])
  }

  /** Removes the next one; undefined if none waits. */
  next(): Task | undefined {
    const [turn] = this.#waiting
    if (turn === undefined) return undefined
    const [member, tasks] = turn
    this.#size--
    // Moves the member to the end.
    this.#waiting.delete(member)
    const task = tasks.shift()
    if (tasks.length > 0) this.#waiting.set(member, tasks)
    return task
  }

  /** Removes one before its turn. */
  remove(member: string | null, task: Task): void {
    const tasks = this.#waiting.get(member) ?? []
    const index = tasks.indexOf(task)
    if (index < 0) return
    this.#size--
    tasks.splice(index, 1)
    if (tasks.length === 0) this.#waiting.delete(member)
  }

  /** Removes all. */
  clear(): Task[] {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#size = 0
    return all
  }
}
