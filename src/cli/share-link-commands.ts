/** The commands for share links. They use the same rules as requests, and may run beside the service. */
import { writeAs } from '../db/client.ts'
import { BY_COMMAND } from '../db/current-write.ts'
import { COMMAND_LINE } from '../members/audit-log.ts'
import { createRules } from '../requests/rules.ts'
import type { WithDatabase } from './member-commands.ts'
import { alignColumns, say } from './terminal.ts'

/** `share-link list`: a line for each link, without its secret, which is not stored. */
export async function listShareLinks(withDatabase: WithDatabase, projectId?: string): Promise<void> {
  const links = await withDatabase((db) => createRules(db).projects.shareLinks.all(projectId))
  const rows = links.map(({ id, createdAt, expiresAt, project, name }) => [
    id,
    createdAt,
    expiresAt ?? 'never',
    project,
    name || '-',
  ])
  for (const row of alignColumns(rows)) say(row)
}

/** `share-link revoke`. */
export async function revokeShareLink(withDatabase: WithDatabase, id: string): Promise<void> {
  await withDatabase((db) => {
    const { shareLinks } = createRules(db).projects
    writeAs(db, BY_COMMAND, () => shareLinks.revoke(id, COMMAND_LINE))
  })
  say(`the share link ${id} is revoked`)
}
