/** The audit log, for admins, newest first, page by page. */
import { useState } from 'preact/hooks'
import { type AuditEntry, api } from '../common/api.ts'
import { atMoment } from '../common/dates.ts'
import { LIMIT, usePages } from '../common/paging.ts'
import { personName } from '../common/people.ts'
import { Failed, Loading } from '../common/ui/page.tsx'
import { Select } from '../common/ui/select.tsx'
import { auditActions } from '../later-audit-texts.ts'
import { texts } from '../texts.ts'
import { AdminPage } from './admin-page.tsx'
import { actionName, actorOf, detailsOf, ofAction, subjectOf } from './audit.ts'
import { Table } from './table.tsx'

const words = texts.people
function Row({ entry }: { entry: AuditEntry }) {
  return (
    <tr>
      <td>
        <time dateTime={entry.createdAt}>{atMoment(entry.createdAt)}</time>
      </td>
      <td>
        <bdi>{actorOf(entry, personName, words)}</bdi>
      </td>
      <td>{actionName(entry.action, auditActions)}</td>
      <td>
        <bdi>{subjectOf(entry, personName)}</bdi>
      </td>
      <td>
        <bdi>{detailsOf(entry).join(', ')}</bdi>
      </td>
      <td>{entry.address}</td>
    </tr>
  )
}

function AuditLog() {
  const {
    records: entries,
    state,
    readOn,
  } = usePages(() => api.pages('/api/audit-log', { query: { limit: LIMIT } }))
  const [action, setAction] = useState('')
  const actions = [...new Set(entries.map((entry) => entry.action))].sort()
  if (typeof state === 'object') return <Failed error={state.error} retry={() => void readOn()} />
  return (
    <div class="stack">
      <div class="audit-filter">
        <Select
          label={words.onlyAction}
          value={action}
          options={[
            ['', words.allActions],
            ...actions.map((one) => [one, actionName(one, auditActions)] as const),
          ]}
          onChoose={setAction}
        />
      </div>
      <Table label={texts.audit} columns={words.auditColumns}>
        {ofAction(entries, action).map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </Table>
      {state === 'reading' && <Loading />}
      {state === 'more' && (
        <div class="row">
          <button type="button" class="button" onClick={() => void readOn()}>
            {words.older}
          </button>
          <span class="meta">{words.filterHint}</span>
        </div>
      )}
    </div>
  )
}

export default function AuditPage() {
  return <AdminPage title={texts.audit}>{() => <AuditLog />}</AdminPage>
}
