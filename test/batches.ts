/** Sends batches, and compares them with the same requests sent one by one. */
import { type Answer, type App, send } from './helper.ts'
import { insertions } from './kinds.ts'
import { RECORDS as RECORDS_OF_ALL } from './operations.ts'

/** A request in a batch. */
export interface Batched {
  method: string
  path: string
  body?: unknown
  ifMatch?: string
  as?: string
}

export const sendBatch = (
  app: App,
  requests: readonly Batched[],
  headers: Record<string, string> = {},
  more: object = {},
): Promise<Answer> => send(app, 'POST', '/api/batch', { requests, ...more }, headers)

/** Tables that the service fills after a write: the index of changes, and what it makes of changes for members. */
const FOLLOWING = [
  'change_subjects',
  'consumers',
  'item_watches',
  'item_times',
  'notifications',
  'mails',
  'mail_queue',
]

/** All rows of all tables, except those that follow a write. */
export function dump(app: App): Record<string, unknown[]> {
  const { $client } = app.db
  const names = $client
    .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
    .pluck()
    .all()
    .filter((name) => !FOLLOWING.includes(name))
  return Object.fromEntries(names.map((name) => [name, $client.prepare(`select * from "${name}"`).all()]))
}

/** Records of every kind with descriptive ids. `owner` owns the private ones. */
export const seeding = (owner: string) => `
  insert into projects (id, name, phase) values ('project', 'Apollo', 'Planning'), ('other', 'Gemini', 'Planning');
  insert into kanban_columns (id, project_id, name, sort_order) values ('column', 'project', 'To Do', 1),
    ('done', 'project', 'Done', 2), ('full', 'project', 'Full', 3);
  update kanban_columns set wip_limit = 1, wip_policy = 'block' where id = 'full';
  insert into kanban_items (id, project_id, title, "column", sort_order) values ('item', 'project', 'Card', 'To Do', 1),
    ('second', 'project', 'Second', 'To Do', 2), ('third', 'project', 'Third', 'Full', 1);
  ${insertions(owner, 'kanban-column', 'kanban-item', 'kanban-item-label', 'kanban-activity')}
  insert into kanban_comments (id, item_id, author_id, content) values ('foreign', 'item', 'somebody', 'Well');
  insert into personal_ideas (id, owner_id, title) values ('idea', '${owner}', 'Fly'), ('secret', 'somebody', 'Dive');
  insert into teams (id, name) values ('team', 'Crew');
  insert into people (id, name, kind) values ('person', 'Bob Builder', 'host');
  insert into member_links (id, kind, token_hash, expires_at)
    values ('link', 'invitation', 'hash', '9999-12-31T00:00:00.000Z');
  insert into share_links (id, project_id, secret_hash) values ('share', 'project', 'hash');
  insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test');`

/** Deletes the records of every kind, except members who can sign in. */
export const EMPTYING = `
  delete from projects; delete from personal_ideas; delete from teams; delete from audit_log; delete from webhooks;
  delete from member_links; delete from people;
  delete from card_numbers; delete from former_card_numbers; delete from former_project_keys;
  delete from changes; delete from change_subjects; delete from idempotency_keys;
  delete from members where email = 'ada@example.test' or email = 'bob@example.test'
    or id not in (select member_id from sessions);`

/** The id for a collection in a path, also for a subtask below its item. The member is not the caller. */
export const RECORDS: Record<string, string> = { ...RECORDS_OF_ALL, subtasks: 'subtask', members: 'ada' }

/** A value without what differs between services: generated ids, times, and positions in the sequence. */
export function comparable(value: unknown): unknown {
  const names = new Map<string, string>()
  const text = (JSON.stringify(value) ?? 'null')
    .replaceAll(/"(seq|group|last)":\d+/g, '"$1":0')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'T')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!names.has(id)) names.set(id, `id ${names.size}`)
      return String(names.get(id))
    })
  return JSON.parse(text)
}

/** The error of a batch with one request, without the index. */
export function errorOf({ status, body }: Answer): unknown {
  const { details, ...rest } = body
  const { request, ...own } = details ?? {}
  return { status, ...rest, ...(Object.keys(own).length > 0 && { details: own }) }
}
