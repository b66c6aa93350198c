/** The tables of the file. */
import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../src/db/schema.ts'

/** All tables, by name. */
export const ALL_TABLES = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map((table) => getTableName(table))
  .toSorted()

/** The service's own tables: credentials, temporary data, and derived data. They are in no archive and in no change. */
export const TABLES_OF_THE_SERVICE = [
  'api_tokens',
  'card_numbers',
  'change_subjects',
  'consumers',
  'former_card_numbers',
  'former_project_keys',
  'item_times',
  'item_watches',
  'kanban_item_assignees',
  'mail_queue',
  'mail_state',
  'mails',
  'member_preferences',
  'notifications',
  'project_watches',
  'quiet_changes',
  'changes_pending',
  'file_chunks',
  'file_contents',
  'idempotency_keys',
  'imports',
  'member_identities',
  'member_links',
  'restrictions',
  'sessions',
  'share_links',
  'webhook_deliveries',
  'webhooks',
]
