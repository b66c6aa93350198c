import t from 'tap'
import { Notifications } from '../../src/attention/notifications.ts'
import { type Scope, secureHandle, withinScope } from '../../src/db/row-security.ts'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { openFewAndMany } from '../few-and-many.ts'

const SCOPE: Scope = {
  number: 1,
  projects: new Map([['few', 'read']]),
  hasIdeas: true,
  isGuest: false,
  memberId: 'ada',
  isByAssignment: true,
  followsAccess: true,
}

t.test('the worker thread scans many notifications, of which some are skipped', async (t) => {
  const db = openFewAndMany(t)
  db.$client.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5001)
    insert into notifications (id, member_id, kind, project_id, title, seq) select printf('n%05d', i), 'ada', 'moved', 'many', 'Card', i from n;
    insert into notifications (id, member_id, kind, project_id, title, seq) values
      ('first', 'ada', 'due', 'few', 'Card', 5002), ('own', 'bob', 'due', 'few', 'Card', 1)`)
  const all = new Notifications(db)
  const secured = new Notifications(secureHandle(db))
  const inScope = <T>(work: () => T) => withinScope(db, SCOPE, work)
  const idsOf = ({ body }: { body: unknown }) => JSON.parse(String(body)).map(({ id }: { id: string }) => id)
  t.strictSame(
    inScope(() => secured.count('ada')),
    { unread: 1 },
  )
  limitWork(db)
  const reads: Record<string, () => unknown> = {
    'a page in a scope': () => inScope(() => secured.page('ada', {})),
    'a page of some kinds': () => all.page('ada', { kinds: ['due'] }),
    'a count in a scope': () => inScope(() => secured.count('ada')),
    'reading in a scope': () => inScope(() => secured.readUpTo('first', 'ada')),
  }
  for (const [name, read] of Object.entries(reads)) t.throws(read, TooMuchWork, name)
  t.strictSame(idsOf(all.page('ada', { limit: 1 })), ['n05001'], 'an index has what is not filtered')
  t.strictSame(all.count('ada'), { unread: 1000 })
  t.strictSame(idsOf(all.page('bob', { kinds: ['due'] })), ['own'])
  t.strictSame(
    inScope(() => secured.count('bob')),
    { unread: 1 },
  )
  t.strictSame(
    inScope(() => secured.readUpTo('own', 'bob')),
    { unread: 0 },
  )
})
