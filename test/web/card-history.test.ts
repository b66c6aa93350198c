/** The history of a card, merged from its changes and its activity. */
import t from 'tap'
import type { Change, KanbanActivity } from '../../src/client/api.d.ts'
import { type HistorySources, historyOf } from '../../web/card/history.ts'
import { ITEM_DEFAULTS } from '../item-defaults.ts'

const ITEM = 'item'
const names = {
  member: (id: string) => ({ m: 'Maria', b: 'Ben' })[id] ?? id,
  label: (id: string) => ({ design: 'Design' })[id],
  day: (date: string) => date.slice(0, 10),
}
const at = (second: number) => new Date(Date.UTC(2026, 10, 12, 14, 0, second)).toISOString()

function change(seq: number, rest: Partial<Change>): Change {
  return {
    seq,
    at: at(seq),
    actorId: 'm',
    group: seq,
    kind: 'kanban-item',
    id: ITEM,
    projectId: 'project',
    itemId: ITEM,
    action: 'updated',
    before: null,
    after: null,
    ...rest,
  }
}

const updated = (seq: number, before: Change['before'], after: Change['after']) =>
  change(seq, { before, after })

function activity(second: number, type: string, from: string, to: string): KanbanActivity {
  return {
    id: `activity-${second}`,
    itemId: ITEM,
    type,
    content: '',
    metadata: { from, to },
    actorId: 'b',
    createdAt: at(second),
  }
}

/** The history as lines: actor, text, and whether it can be undone. */
function lines(sources: Partial<HistorySources>, reader = { id: 'm', isAdmin: false }): string[] {
  const whole = { changes: [], activity: [], isComplete: true, ...sources }
  return historyOf(whole, names, reader).map(({ actorId, sentences, seq }) => {
    const said = sentences.map((pieces) =>
      pieces.map((piece) => (typeof piece === 'string' ? piece : `‹${piece.value}›`)).join(''),
    )
    return `${actorId} ${said.join(', ')}${seq === undefined ? '' : ` (${seq})`}`
  })
}

t.test('lists what changed, newest first', async (t) => {
  const changes = [
    change(1, { action: 'created', after: { title: 'Card', createdAt: at(1) } }),
    updated(2, { column: 'To Do', sortOrder: 1 }, { column: 'Done', sortOrder: 4 }),
    updated(3, { title: 'Card', priority: 'low' }, { title: 'Page', priority: 'high' }),
    updated(4, { assigneeId: null }, { assigneeId: 'b' }),
    updated(5, { assigneeId: 'b' }, { assigneeId: 'x' }),
    updated(6, { assigneeId: 'x' }, { assigneeId: null }),
    updated(7, { dueDate: null }, { dueDate: '2026-11-20T00:00:00.000Z' }),
    updated(8, { dueDate: '2026-11-20T00:00:00.000Z' }, { dueDate: null }),
    updated(9, { sortOrder: 1 }, { sortOrder: 2 }),
    updated(10, { approved: false, isNew: true }, { approved: true, isNew: false }),
    updated(11, { description: 'a' }, { description: 'b' }),
  ]
  t.strictSame(lines({ changes }), [
    'm changed the description (11)',
    'm approved it (10)',
    'm moved it within its column (9)',
    'm removed the due date ‹2026-11-20› (8)',
    'm set the due date to ‹2026-11-20› (7)',
    'm unassigned it from ‹x› (6)',
    'm reassigned it from ‹Ben› to ‹x› (5)',
    'm assigned it to ‹Ben› (4)',
    'm changed the title from ‹Card› to ‹Page›, changed the priority from ‹low› to ‹high› (3)',
    'm moved it from ‹To Do› to ‹Done› (2)',
    'm created this card',
  ])
})

t.test('no change of a field is silent', async (t) => {
  const silent = ['number', 'labels', 'subtasks', 'createdAt', 'updatedAt']
  for (const field of Object.keys(ITEM_DEFAULTS).filter((name) => !silent.includes(name))) {
    const [from, to] =
      field === 'assigneeIds'
        ? [
            ['a', 'b'],
            ['a', 'c'],
          ]
        : ['2026-01-01', '2026-02-02']
    const changes = [updated(1, { [field]: from }, { [field]: to })]
    t.match(lines({ changes }), [/^m .+ \(1\)$/], field)
  }
})

t.test('lists parts of the card, and one write once', async (t) => {
  const subtask = { kind: 'kanban-subtask', id: 's' }
  const label = { kind: 'kanban-item-label' }
  const changes = [
    change(1, { ...subtask, action: 'created', after: { title: 'Photos' } }),
    change(2, { ...subtask, before: { completed: false }, after: { completed: true } }),
    change(3, { ...subtask, group: 3, before: { sortOrder: 1 }, after: { sortOrder: 2 } }),
    change(4, { ...subtask, group: 3, before: { sortOrder: 2 }, after: { sortOrder: 1 } }),
    change(5, { ...label, id: `${ITEM}:design`, action: 'created', after: {} }),
    change(6, { ...label, id: `${ITEM}:gone`, action: 'deleted', before: {} }),
    change(7, { kind: 'kanban-comment', action: 'deleted', before: { content: 'x' } }),
    updated(8, { updatedAt: at(1) }, { updatedAt: at(8) }),
  ]
  t.strictSame(lines({ changes }), [
    'm deleted a comment (7)',
    'm removed a label (6)',
    'm added the label ‹Design› (5)',
    'm moved the subtasks (4)',
    'm ticked a subtask (2)',
    'm added the subtask ‹Photos› (1)',
  ])
})

t.test('lists no parts of a created or deleted card, and no creator of an older one', async (t) => {
  const subtask = { kind: 'kanban-subtask', action: 'created', after: { title: 'Photos' } } as const
  const made = { action: 'created', after: { createdAt: '2026-01-01T00:00:00.000Z' } } as const
  t.strictSame(
    lines({ changes: [change(1, { ...made, actorId: null }), change(2, { ...subtask, group: 1 })] }),
    [],
  )
  const imported = { ...made, actorId: null, actor: 'command line' } as const
  t.strictSame(lines({ changes: [change(1, imported)] }), ['null imported this card'])
  t.strictSame(lines({ changes: [change(1, { action: 'deleted', before: {} })] }), [
    'm deleted this card (1)',
  ])
  const young = (seq: number) => change(seq, { action: 'created', after: { createdAt: at(1) } })
  t.strictSame(
    lines({ changes: [young(1), change(2, { action: 'deleted', before: {} }), young(3)] }),
    ['m restored this card', 'm deleted this card (2)', 'm created this card'],
    'soon after its creation',
  )
})

t.test('a card that an import made was imported, and only one that was deleted was restored', async (t) => {
  const from = (format?: string, source = 'import') => ({
    action: 'created' as const,
    after: { createdAt: '2026-01-01T00:00:00.000Z', source, metadata: format ? { [format]: {} } : {} },
  })
  const subtask = change(2, { kind: 'kanban-subtask', action: 'created', group: 1, after: { title: 'x' } })
  const deleted = change(3, { action: 'deleted', before: {} })
  for (const [format, tool] of [
    ['trello', ' from ‹Trello›'],
    ['github', ' from ‹GitHub›'],
    ['another-tool', ' from ‹Another tool›'],
    [undefined, ''],
  ] as const) {
    const made = change(1, from(format))
    t.strictSame(lines({ changes: [made, subtask] }), [`m imported this card${tool}`])
    t.strictSame(lines({ changes: [made, subtask, deleted, change(4, from(format))] }), [
      'm restored this card',
      'm deleted this card (3)',
      `m imported this card${tool}`,
    ])
    const older = { changes: [change(4, from(format))], isComplete: false }
    t.strictSame(lines(older), ['m restored this card'], 'there is an older change')
  }
  t.strictSame(
    lines({ changes: [change(1, from('trello', 'manual'))] }),
    ['m imported this card'],
    'an archive',
  )
  const fresh = { createdAt: at(1), source: 'import', metadata: { csv: {} } }
  t.strictSame(lines({ changes: [change(1, { action: 'created', after: fresh })] }), [
    'm imported this card from ‹CSV›',
  ])
})

t.test('lists a change once if activity has it, too, and other activity by itself', async (t) => {
  const changes = [updated(30, { column: 'To Do' }, { column: 'Done' })]
  const log = [
    activity(30, 'status_change', 'To Do', 'Done'),
    activity(29, 'priority', 'low', 'high'),
    activity(10, 'status_change', 'To Do', 'Done'),
    activity(9, 'assignment', '', 'm'),
    activity(8, 'note', '', ''),
  ]
  t.strictSame(lines({ changes, activity: log }), [
    'm moved it from ‹To Do› to ‹Done› (30)',
    'b changed the priority from ‹low› to ‹high›',
    'b moved it from ‹To Do› to ‹Done›',
    'b assigned it to ‹Maria›',
    'b ‹note› ‹›',
  ])
  t.strictSame(
    lines({ changes, activity: log, isComplete: false }),
    ['m moved it from ‹To Do› to ‹Done› (30)'],
    'older activity waits for the changes of its time',
  )
})

t.test('shortens long values', async (t) => {
  const changes = [updated(1, { title: 'a'.repeat(500) }, { title: 'b' })]
  t.strictSame(lines({ changes }), [`m changed the title from ‹${'a'.repeat(120)}…› to ‹b› (1)`])
})

t.test("a change of another member's comment is not to be undone, except by admins", async (t) => {
  const comment = { kind: 'kanban-comment', id: 'c' } as const
  const changes = [
    change(1, { ...comment, actorId: 'b', action: 'created', after: { authorId: 'b' } }),
    change(2, { ...comment, actorId: 'b', before: { content: 'x' }, after: { content: 'y' } }),
    change(3, { ...comment, action: 'deleted', before: { authorId: 'b' } }),
    change(4, { ...comment, action: 'created', after: { authorId: 'm' } }),
    change(5, { group: 6, action: 'deleted', before: {} }),
    change(6, { ...comment, group: 6, action: 'deleted', before: { authorId: 'b' } }),
  ]
  const all = [
    'm deleted this card (6)',
    'm commented (4)',
    'm deleted a comment (3)',
    'b edited a comment (2)',
    'b commented (1)',
  ]
  t.strictSame(lines({ changes }, { id: 'm', isAdmin: true }), all)
  const mine = all.map((line) => (/\((4|6)\)/.test(line) ? line : line.slice(0, -4)))
  t.strictSame(lines({ changes }), mine)
})
