/** Records with references to nothing, and records whose project is still being written. */
import t from 'tap'
import { orphansIn } from '../../src/db/orphans.ts'
import { openTestDatabase } from '../database.ts'

t.test('records of an import in progress are no orphans', (t) => {
  const db = openTestDatabase(t)
  const { $client: client } = db
  client.pragma('foreign_keys = off')
  client.exec(`insert into kanban_items (id, project_id, title) values ('item', 'p', 'Card');
    insert into kanban_labels (id, project_id, name) values ('label', 'p', 'Bug');
    insert into kanban_item_labels (item_id, label_id) values ('item', 'other')`)
  t.equal(orphansIn(client), 3)
  client.exec(`insert into large_writes (number, task) values (1, '');
    insert into hidden_projects (project_id, "write") values ('p', 1)`)
  t.equal(orphansIn(client), 0)
  client.exec("insert into kanban_item_labels (item_id, label_id) values ('nothing', 'label')")
  t.equal(orphansIn(client), 1)
  t.end()
})
