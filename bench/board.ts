/** The measured data: projects with typical boards, the same in every run. */
import { v7 } from 'uuid'
import { openDatabase } from '../src/db/client.ts'
import {
  kanbanColumns,
  kanbanItemLabels,
  kanbanItems,
  kanbanLabels,
  kanbanSubtasks,
  projects,
} from '../src/db/schema.ts'
import { defaultPhaseConfig } from '../src/projects/phases.ts'
import { timestamp } from '../src/time.ts'
import { seededRandom } from '../test/random.ts'

/** The size of a file's data. */
export interface BoardSize {
  projects: number
  itemsPerProject: number
}

/** The columns of every board, in order. */
export const COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

/** The possible priorities of an item. */
export const PRIORITIES = ['low', 'medium', 'high', 'critical']

/** Half of the projects are active. The rest have other statuses. */
const STATUSES = ['active', 'backlog', 'active', 'completed', 'active', 'archived']

const AREAS = [
  'Website',
  'Mobile app',
  'Newsletter',
  'Customer portal',
  'Data warehouse',
  'Web shop',
  'Intranet',
]
const EFFORTS = ['relaunch', 'migration', 'accessibility', 'search', 'onboarding', 'billing', 'reporting']
const VERBS = ['Draft', 'Review', 'Test', 'Fix', 'Plan', 'Document', 'Publish', 'Translate', 'Measure']
const THINGS = [
  'sign-up form',
  'press kit',
  'price list',
  'landing page',
  'error messages',
  'redirects',
  'release notes',
  'import of orders',
  'cookie banner',
  'FAQ',
]
const DETAILS = [
  'Agree with Sales on the wording first.',
  'See the notes of Tuesday’s meeting.',
  'Three customers have asked for this.',
  'Blocked until the new certificates are in.',
]
const LABELS = [
  { name: 'Content', color: '#0ea5e9' },
  { name: 'Design', color: '#a855f7' },
  { name: 'Technical', color: '#22c55e' },
  { name: 'Urgent', color: '#ef4444' },
]
const STEPS = [
  'Ask for three offers',
  'Check the translations',
  'Show it to two customers',
  'Update the wiki',
]
const MEMBERS = ['maria', 'jonas', 'aylin', 'pierre', 'sofia', null]

const BEGIN = Date.UTC(2026, 0, 5, 8)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Creates a database file with projects, boards, labels and subtasks, in one transaction. A project with 40 items is about 18.5
 * KB of JSON.
 * @param url where, as in `DATABASE_URL`; the file must be new
 */
export function seedBoard(url: string, size: BoardSize): void {
  const random = seededRandom(size.projects * 1_000_003 + size.itemsPerProject)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  let records = 0
  /** The common columns of records. Each record is one minute newer than the previous one. */
  const record = () => {
    const msecs = BEGIN + records++ * MINUTE
    const id = v7({ msecs, seq: 0, random: Uint8Array.from({ length: 16 }, () => random() * 256) })
    return { id, createdAt: timestamp(msecs), updatedAt: timestamp(msecs) }
  }

  const { db, close } = openDatabase(url)
  const seedProject = (tx: Pick<typeof db, 'insert'>, position: number) => {
    const type = pick(['technical', 'business'])
    const project = {
      ...record(),
      name: `${pick(AREAS)} ${pick(EFFORTS)}`,
      key: `P${position + 1}`,
      description: pick(DETAILS),
      type,
      status: STATUSES[position % STATUSES.length] as string,
      phase: 'Discovery',
      phaseConfig: defaultPhaseConfig(type),
      health: pick(['on-track', 'on-track', 'at-risk', 'blocked']),
      nextStep: `${pick(VERBS)} ${pick(THINGS)}`,
      sortOrder: position + 1,
      leadId: pick(MEMBERS),
    }
    const ofProject = () => ({ ...record(), projectId: project.id })
    const columns = COLUMNS.map((name, column) => ({ ...ofProject(), name, sortOrder: column + 1 }))
    const labels = LABELS.map((label) => ({ ...ofProject(), ...label }))
    const items = Array.from({ length: size.itemsPerProject }, (_, item) => ({
      ...ofProject(),
      number: item + 1,
      title: `${pick(VERBS)} ${pick(THINGS)}`,
      description: item % 20 === 5 ? pick(DETAILS) : '',
      column: pick(COLUMNS),
      sortOrder: item + 1,
      priority: pick(PRIORITIES),
      assigneeId: pick(MEMBERS),
      dueDate: item % 10 === 2 ? timestamp(BEGIN + Math.floor(random() * 300) * DAY) : null,
    }))
    // Only a few items have labels and subtasks: the size of a project is fixed, and each takes half the size of an
    // item.
    const labelled = items.filter((_, item) => item % 20 === 0)
    const dividedUp = items.filter((_, item) => item % 20 === 10)

    tx.insert(projects).values(project).run()
    tx.insert(kanbanColumns).values(columns).run()
    tx.insert(kanbanLabels).values(labels).run()
    // SQLite allows some 32,000 values per statement, and a row has 18.
    for (let from = 0; from < items.length; from += 1000) {
      tx.insert(kanbanItems)
        .values(items.slice(from, from + 1000))
        .run()
    }
    tx.insert(kanbanItemLabels)
      .values(labelled.map(({ id }) => ({ itemId: id, labelId: pick(labels).id })))
      .run()
    tx.insert(kanbanSubtasks)
      .values(dividedUp.map(({ id }) => ({ ...record(), itemId: id, title: pick(STEPS), sortOrder: 1 })))
      .run()
  }
  try {
    db.transaction((tx) => {
      for (let position = 0; position < size.projects; position++) seedProject(tx, position)
    })
  } finally {
    close()
  }
}
