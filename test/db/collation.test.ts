/** Titles and names are sorted like `Intl.Collator` sorts them. */
import fc from 'fast-check'
import t from 'tap'
import { collationKey } from '../../src/db/collation.ts'
import { build, createItem, createProject, send } from '../helper.ts'

const collator = new Intl.Collator('en', { numeric: true })

const compared = (one: string, other: string) =>
  Math.sign(Buffer.compare(collationKey(one), collationKey(other)))

const letters = [
  'abcdzABCDZ äöüÄÖÜßẞéèñçøåØÅæÆłŁđœŒĳĲ',
  'αβγδΑΒΓάές',
  'абвгдеёйЖжЁ',
  '0123456789',
  '.,-_!?()[]/ @#&*+=$€£"\'',
  '日本語中文',
  'אבג',
  '한국',
].flatMap((alphabet) => [...alphabet])
const someText = fc.array(fc.constantFrom(...letters), { maxLength: 8 }).map((all) => all.join(''))

t.test('keys compare like the collator compares the texts', async (t) => {
  const differ = (one: string, other: string) => collator.compare(one, other) !== compared(one, other)
  fc.assert(
    fc.property(someText, someText, (one, other) => {
      // Texts that differ late: by one letter, or a number.
      for (const [a, b] of [
        [one, other],
        [one + other, one],
        [`${one}9`, `${one}10`],
        [one.toLowerCase(), one],
        [one.normalize('NFD'), other],
      ] as const) {
        if (differ(a, b))
          t.fail(`${JSON.stringify([a, b])}: ${collator.compare(a, b)}, not ${compared(a, b)}`)
      }
    }),
    { numRuns: 3000 },
  )
  t.equal(compared('e', 'é'), -1, 'an accent comes behind none')
  t.equal(compared('øè', 'œ'), -1, 'a ligature comes behind its letters with any accent')
  t.equal(compared('ĳ', 'Ij'), -1, 'or behind their small letters')
  t.equal(compared('Step 9b', 'Step 10a'), -1)
  t.equal(compared('00012', '12'), 0)
  t.equal(compared('😀', '0'), -1, 'emoji are symbols')
  t.equal(compared('x'.repeat(5000), 'x'.repeat(6000)), 0, 'the beginning counts')
  t.equal(collationKey('').length, 0)
})

t.test('lists of projects and items are in this order, in both directions, on all pages', async (t) => {
  const app = await build(t)
  const names = ['zebra', 'Äpfel', 'apple', 'Zebra', 'Step 10', 'step 9', 'Éclair', 'eclair']
  const sorted = names.toSorted(collator.compare)
  const { id } = await createProject(app, { name: 'Step 10' })
  for (const name of names.filter((name) => name !== 'Step 10')) await createProject(app, { name })
  for (const title of names) await createItem(app, id, { title })
  const lists = [
    ['/api/projects', 'name'],
    [`/api/projects/${id}/kanban-items`, 'title'],
    ['/api/kanban-items', 'title'],
  ]
  for (const [path, field = ''] of lists) {
    for (const sign of ['', '-']) {
      const wanted = sign === '' ? sorted : sorted.toReversed()
      const url = `${path}?sort=${sign}${field}`
      const all = await send(app, 'GET', url)
      t.strictSame(
        all.body.map((record: Record<string, string>) => record[field]),
        wanted,
        url,
      )
      const paged: unknown[] = []
      let next: string | undefined = `${url}&limit=3`
      while (next !== undefined) {
        const page = await send(app, 'GET', next)
        paged.push(...page.body.map((record: Record<string, string>) => record[field]))
        next = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1]
      }
      t.strictSame(paged, wanted, `${url}, in pages`)
    }
  }
})
