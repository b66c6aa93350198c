/** Claims against a model: a list of cards, of which the first matching one is claimed. */
import { deepStrictEqual, equal } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Board } from '../../src/board/board.ts'
import { endsLease, originOf, toClaimedFrom } from '../../src/board/leases.ts'
import { build, createItem, createProject } from '../helper.ts'

/** The fields of a card that matter to claims. */
interface Card {
  id: string
  column: string
  sortOrder: number
  assigneeId: string | null
  dismissed: boolean
  /** Where it was claimed; undefined if it was not. */
  origin?: { column: string; sortOrder: number } | undefined
  hasLapsed: boolean
}

const COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']
const WHO = ['ada', 'bob']

const byPlace = (a: { sortOrder: number; id: string }, b: { sortOrder: number; id: string }) =>
  a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1)

/** The card that a claim must get. */
function nextOf(cards: readonly Card[], from: string, to: string): Card | undefined {
  const placed = cards.flatMap((card) => {
    const { id, column, sortOrder, origin, hasLapsed, assigneeId, dismissed } = card
    if (dismissed) return []
    if (column === from && assigneeId === null) return [{ id, sortOrder, card }]
    if (!origin || !hasLapsed) return []
    const comesFrom = origin.column === from && (column !== 'Done' || to === 'Done')
    if (column !== from && !comesFrom) return []
    return [{ id, sortOrder: origin.column === from ? origin.sortOrder : sortOrder, card }]
  })
  return placed.toSorted(byPlace)[0]?.card
}

const atEnd = (cards: readonly Card[], card: Card, column: string): number => {
  const others = cards.filter((one) => one.column === column && one.id !== card.id)
  const last = others.toSorted(byPlace).at(-1)
  const isLast = card.column === column && (!last || byPlace(last, card) < 0)
  return isLast ? card.sortOrder : (last?.sortOrder ?? 0) + 1
}

const column = fc.constantFrom(...COLUMNS)
const who = fc.constantFrom(...WHO)
const act = fc.oneof(
  fc.record({ act: fc.constant('claim' as const), from: column, to: column, who }),
  fc.record({
    act: fc.constant('claim' as const),
    from: fc.constant('To Do'),
    to: fc.constant('Review'),
    who,
  }),
  fc.record({ act: fc.constant('release' as const), which: fc.nat() }),
  fc.record({ act: fc.constant('lapse' as const), which: fc.nat() }),
  fc.record({ act: fc.constant('renew' as const), which: fc.nat() }),
  fc.record({ act: fc.constant('move' as const), which: fc.nat(), column }),
  fc.record({ act: fc.constant('assign' as const), which: fc.nat(), who: fc.option(who) }),
  fc.record({ act: fc.constant('dismiss' as const), which: fc.nat(), dismissed: fc.boolean() }),
)

t.test(
  'after any claims, releases and moves, each item has one holder, and the first suitable one is next',
  async (t) => {
    const app = await build(t)
    const client = app.db.$client
    const { claims, items } = new Board(app.db, app.rules.members.people)
    const lapse = client.prepare(
      `update kanban_items set claimed_until = '2001-01-01T00:00:00.000Z' where id = ?`,
    )
    const stored = client.prepare<[string], Record<string, unknown>>(
      'select * from kanban_items where project_id = ? order by id',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
        const { id: projectId } = await createProject(app)
        const cards: Card[] = []
        for (const name of ['To Do', 'To Do', 'To Do', 'In Progress', 'Review']) {
          const { id, sortOrder } = await createItem(app, projectId, { column: name })
          cards.push({ id, column: name, sortOrder, assigneeId: null, dismissed: false, hasLapsed: false })
        }
        for (const one of acts) {
          const card = 'which' in one ? (cards[one.which % cards.length] as Card) : undefined
          if (one.act === 'claim') {
            const next = nextOf(cards, one.from, one.to)
            const taken = claims.claim(projectId, one, one.who)
            equal(taken?.id, next?.id, JSON.stringify(one))
            if (!next) continue
            const isKnown = next.origin?.column === one.from
            const origin = isKnown ? next.origin : { column: next.column, sortOrder: next.sortOrder }
            const sortOrder = atEnd(cards, next, one.to)
            Object.assign(next, { column: one.to, sortOrder, assigneeId: one.who, origin, hasLapsed: false })
          } else if (!card) throw new Error('no card')
          else if (one.act === 'lapse') {
            if (card.origin) lapse.run(card.id)
            card.hasLapsed = card.origin !== undefined
          } else if (one.act === 'renew') {
            if (!card.origin || card.assigneeId === null) continue
            claims.renew(card.id, 60, card.assigneeId)
            card.hasLapsed = false
          } else if (one.act === 'release') {
            if (!card.origin) continue
            claims.release(card.id, { id: 'root', name: '', email: null, role: 'admin' })
            Object.assign(card, { ...card.origin, assigneeId: null, origin: undefined, hasLapsed: false })
          } else {
            const {
              column = card.column,
              assigneeId,
              dismissed,
            } = one.act === 'move'
              ? { column: one.column }
              : one.act === 'assign'
                ? { assigneeId: one.who }
                : { dismissed: one.dismissed }
            const change = {
              ...(one.act === 'move' && { column }),
              ...(assigneeId !== undefined && { assigneeId }),
              ...(dismissed !== undefined && { dismissed }),
            }
            items.update(card.id, change, null)
            const ends =
              (column === 'Done' && card.column !== 'Done') ||
              (assigneeId !== undefined && assigneeId !== card.assigneeId) ||
              (dismissed === true && !card.dismissed)
            Object.assign(card, change, ends && { origin: undefined, hasLapsed: false })
          }
          const rows = stored.all(projectId).map((row) => ({
            id: row.id,
            column: row.column,
            sortOrder: row.sort_order,
            assigneeId: row.assignee_id,
            dismissed: row.dismissed === 1,
            origin: row.claimed_from === '' ? undefined : JSON.parse(String(row.claimed_from)),
            hasLapsed: row.claimed_until !== null && String(row.claimed_until) < new Date().toISOString(),
          }))
          deepStrictEqual(
            rows,
            cards.map(({ origin, ...card }) => ({ ...card, origin })),
          )
        }
      }),
      { numRuns: 60 },
    )
    t.pass()
  },
)

t.test('the origin of an item is read as far as it is known', async (t) => {
  const place = { column: 'To Do', sortOrder: 1.5 }
  t.strictSame(originOf(toClaimedFrom({ ...place, id: 'x' } as typeof place)), place)
  for (const text of ['', 'oops', 'null', '5', '[]', '{}', '{"column":"","sortOrder":1}', '{"column":"a"}']) {
    t.equal(originOf(text), undefined, text)
  }
})

t.test('a lease ends by a real change, not by setting the same value', async (t) => {
  const held = { projectId: 'p', column: 'Doing', assigneeId: 'ada', dismissed: false, claimedUntil: 'now' }
  const ends = (after: object, before: object = {}) =>
    endsLease({ ...held, ...before }, after, (_, column) => column === 'Done')
  for (const after of [{ column: 'Done' }, { assigneeId: null }, { projectId: 'q' }, { dismissed: true }]) {
    t.equal(ends(after), true, JSON.stringify(after))
    t.equal(ends(after, after), false, 'it was so before')
    t.equal(ends(after, { claimedUntil: null }), false, 'there is none')
  }
  t.equal(ends({ column: 'Review' }), false)
  t.equal(ends({}), false)
})
