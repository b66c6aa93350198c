import SQLite from 'better-sqlite3'
import t from 'tap'
import { NOTHING } from '../../src/maintenance/checks.ts'
import { CONTENT_CHECKS, DEEP_CONTENT_CHECKS } from '../../src/maintenance/content-checks.ts'
import { MAIL_CHECKS } from '../../src/maintenance/mail-checks.ts'

t.test('checks of tables that an older version did not have find nothing', async (t) => {
  const client = new SQLite(':memory:')
  t.teardown(() => client.close())
  for (const { name, find } of [...CONTENT_CHECKS, ...DEEP_CONTENT_CHECKS, ...MAIL_CHECKS]) {
    t.strictSame(find({ client, path: ':memory:' }), NOTHING, name)
  }
})
