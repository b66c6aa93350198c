import t from 'tap'
import { NotificationPlanner, type PlannerSources } from '../../src/attention/planner.ts'
import type { ChangeRow } from '../../src/changes/sequence.ts'

/** Plans a changed description. @returns the looked up handles at each step */
function lookups(before: string, after: string): string[][] {
  const seen: string[] = []
  const sources: PlannerSources = {
    item: () => undefined,
    projectName: () => 'Apollo',
    isAssignedAfter: () => false,
    watchersOf: () => [],
    watchersOfProject: () => [],
    recipient: () => undefined,
    named: (handles) => {
      seen.push(...handles)
      return new Map()
    },
    sees: () => true,
    restrictionsOf: () => [],
  }
  const row: ChangeRow = {
    seq: 2,
    at: '2027-01-01T00:00:00.000Z',
    kind: 'kanban-item',
    id: 'i',
    projectId: 'p',
    fromProjectId: null,
    itemId: 'i',
    ownerId: null,
    action: 'updated',
    actorId: 'ada',
    group: 2,
    before: JSON.stringify({ description: before }),
    after: JSON.stringify({ description: after }),
  }
  const steps: string[][] = []
  for (const _step of new NotificationPlanner(2, 2, sources).take(row)) steps.push([...seen])
  return [...steps, seen]
}

t.test('each of the two texts of a change is a step', async (t) => {
  t.strictSame(lookups('for @ada', 'for @ada and @bob'), [[], ['bob', 'ada']])
})

t.test('the former text is not read if the current one mentions nobody', async (t) => {
  t.strictSame(lookups('for @ada', 'a@example.test'), [[]])
})
