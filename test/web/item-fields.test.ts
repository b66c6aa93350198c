/** That the page shows each field of a card: a new one is easily forgotten in one of the places. */
import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { ITEM_DEFAULTS } from '../item-defaults.ts'

/** The places of the page that show cards, and the fields that they leave out. */
const PLACES: Record<string, { sources: string[]; leavesOut: string[] }> = {
  'the card': {
    sources: globSync('web/card/*.ts*').filter((path) => !path.endsWith('history.ts')),
    leavesOut: ['sortOrder', 'metadata', 'createdAt', 'updatedAt'],
  },
  'the board': {
    sources: ['web/board/card.tsx'],
    leavesOut: [
      ...['column', 'sortOrder', 'createdAt', 'updatedAt'],
      // The first of `assigneeIds`.
      'assigneeId',
      ...['source', 'sourceId', 'metadata', 'approved', 'claimedUntil', 'reminders'],
    ],
  },
}

for (const [place, { sources, leavesOut }] of Object.entries(PLACES)) {
  t.test(`${place} shows each field of a card, or leaves it out on purpose`, async (t) => {
    const text = sources.map((path) => readFileSync(path, 'utf8')).join('\n')
    const isNamed = (field: string) => new RegExp(`\\b${field}\\b`).test(text)
    const fields = Object.keys(ITEM_DEFAULTS)
    t.strictSame(
      fields.filter((field) => !isNamed(field) && !leavesOut.includes(field)),
      [],
    )
    t.strictSame(
      leavesOut.filter((field) => !fields.includes(field)),
      [],
      'no field that there is not',
    )
  })
}
