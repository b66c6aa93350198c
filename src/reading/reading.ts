/** The rules for reading across boards and projects: one instance per connection. */
import type { SharedDatabase } from '../db/client.ts'
import type { Projects } from '../projects/projects.ts'
import { Search } from './search.ts'
import { Summaries } from './summaries.ts'
import { WholeProjects } from './whole-projects.ts'

/** The rules of reading. */
export class Reading {
  static readonly reads: readonly string[] = []
  readonly search: Search
  readonly summaries: Summaries
  readonly wholeProjects: WholeProjects

  constructor(db: SharedDatabase, projects: Projects) {
    this.search = new Search(db)
    this.summaries = new Summaries(db, projects)
    this.wholeProjects = new WholeProjects(db, projects)
  }
}
