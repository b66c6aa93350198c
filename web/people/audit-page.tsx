/** The audit log, for admins: page by page, newest first. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type AuditEntry, api } from '../common/api.ts'
import { atMoment } from '../common/dates.ts'
import { memberName } from '../common/people.ts'
import { read } from '../common/session.ts'
import { Failed, Loading } from '../common/ui/page.tsx'
import { Select } from '../common/ui/select.tsx'
import { texts } from '../texts.ts'
import { AdminPage } from './admin-page.tsx'
import { actionName, actorOf, detailsOf, ofAction, subjectOf } from './audit.ts'
import { Table } from './table.tsx'

const words = texts.people
const LIMIT = 100

/** The log as far as it is read, and what reads on. */
function useLog() {
  const pages = useRef(api.pages('/api/audit-log', { query: { limit: LIMIT } }))
  const [entries, setEntries] = useState<readonly AuditEntry[]>([])
  const [state, setState] = useState<'reading' | 'more' | 'end' | { error: unknown }>('reading')
  const readOn = async () => {
    setState('reading')
    const found: AuditEntry[] = []
    try {
      while (found.length < LIMIT) {
        const { done, value } = await read(() => pages.current.next())
        if (done) break
        found.push(value)
      }
      setState(found.length < LIMIT ? 'end' : 'more')
    } catch (error) {
      // What has failed is over: from the beginning.
      pages.current = api.pages('/api/audit-log', { query: { limit: LIMIT } })
      setState({ error })
      setEntries([])
      return
    }
    setEntries((before) => [...before, ...found])
  }
  useEffect(() => void readOn(), [])
  return { entries, state, readOn }
}

function Row({ entry }: { entry: AuditEntry }) {
  return (
    <tr>
      <td>
        <time dateTime={entry.createdAt}>{atMoment(entry.createdAt)}</time>
      </td>
      <td dir="auto">{actorOf(entry, memberName, words)}</td>
      <td>{actionName(entry.action, words.actions)}</td>
      <td dir="auto">{subjectOf(entry, memberName)}</td>
      <td dir="auto">{detailsOf(entry).join(', ')}</td>
      <td>{entry.address}</td>
    </tr>
  )
}

function AuditLog() {
  const { entries, state, readOn } = useLog()
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
            ...actions.map((one) => [one, actionName(one, words.actions)] as const),
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
