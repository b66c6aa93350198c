import fc from 'fast-check'
import t from 'tap'
import { createProjectWriter } from '../../src/reading/project-text.ts'
import { ref } from '../../src/schemas/common.ts'
import { type KanbanItem, type Project, ProjectSchema } from '../../src/schemas/records.ts'
import { createSerializer } from '../../src/schemas/serialization.ts'
import { ITEM_DEFAULTS } from '../item-defaults.ts'

const AT = '2026-01-31T00:00:00.000Z'
const serialize = createSerializer(ref(ProjectSchema))

const itemOf = (id: string, sortOrder: number, title: string): KanbanItem => ({
  ...ITEM_DEFAULTS,
  id,
  projectId: 'p',
  title,
  sortOrder,
  metadata: { kanbanItems: [] },
  createdAt: AT,
  updatedAt: AT,
})

const projectOf = (kanbanItems: KanbanItem[], name = 'Äpfel "],[" 🍎'): Project => ({
  id: 'p',
  name,
  key: 'AP',
  description: '',
  type: 'technical',
  status: 'backlog',
  phase: 'Design',
  phaseConfig: [{ name: 'Design' }],
  health: 'on-track',
  nextStep: '',
  sortOrder: 0,
  metadata: { kanbanItems: [], '"kanbanItems":[]': '],"transcriptSummaries":' },
  leadId: null,
  teamId: null,
  access: 'everyone',
  shareLinks: 'members',
  createdAt: AT,
  updatedAt: AT,
  kanbanItems,
  transcriptSummaries: [],
  metrics: [],
  objectives: [],
  teamAssignments: [],
})

/** The database's order: by sortOrder, then by the bytes of the id. */
const inOrder = (items: KanbanItem[]) =>
  items.toSorted((a, b) => a.sortOrder - b.sortOrder || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))

const anyItems = fc
  .uniqueArray(
    fc.record({
      // These sort after surrogates in UTF-8, and before them in JavaScript. The bytes count.
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'ä', '\u{1f34e}', '\uffee', '', '"'),
      sortOrder: fc.constantFrom(-1.5, 0, 1, 2),
      title: fc.string(),
    }),
    { selector: ({ id }) => id },
  )
  .map((items) => inOrder(items.map(({ id, sortOrder, title }) => itemOf(id, sortOrder, title))))

t.test('a project is serialized by its schema', async (t) => {
  const { write } = createProjectWriter()
  fc.assert(
    fc.property(anyItems, fc.string(), (items, name) => {
      const project = projectOf(items, name)
      t.equal(`${write(project).body}`, serialize(project))
    }),
  )
})

t.test('replacing changed, deleted and new items gives the same text as a new one', async (t) => {
  const { write, replace } = createProjectWriter()
  fc.assert(
    fc.property(fc.array(anyItems, { minLength: 2, maxLength: 6 }), (states) => {
      let [text, before] = [write(projectOf(states[0] ?? [])), states[0] ?? []]
      for (const after of states.slice(1)) {
        const isKept = (item: KanbanItem) =>
          before.some((was) => JSON.stringify(was) === JSON.stringify(item))
        const changed = after.filter((item) => !isKept(item))
        const gone = before.filter(({ id }) => !after.some((item) => item.id === id))
        const ids = new Set([...changed, ...gone].map(({ id }) => id))
        text = replace(text, ids, changed)
        before = after
        t.equal(`${text.body}`, serialize(projectOf(after)))
      }
    }),
    { numRuns: 300 },
  )
})
