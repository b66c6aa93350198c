/** The items assigned to the user in all projects, by due date. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { followAccess } from '../common/access.ts'
import { api, type KanbanItem } from '../common/api.ts'
import { columnsOf, isDoneColumn, useColumns } from '../common/columns.ts'
import { currentDay } from '../common/dates.ts'
import { LiveList, useLiveList } from '../common/live-list.ts'
import { byId } from '../common/order.ts'
import { projectList } from '../common/projects.ts'
import { Failed, Loading, Page } from '../common/ui/page.tsx'
import { texts } from '../texts.ts'
import { byDue, type DueGroup } from './due-groups.ts'
import { MineItem } from './mine-item.tsx'

const mine = new LiveList<KanbanItem>(
  () => api.get('/api/kanban-items', { query: { assigneeId: 'me' } }),
  ({ kind }) => kind === 'kanban-item' || kind === 'project',
)

followAccess(mine, ({ projectId }) => projectId)

/** The items that the user has completed here, with their former columns. They stay until the user leaves the page. */
const ticked = signal<ReadonlyMap<string, string>>(new Map())

function Group({ name, items }: DueGroup<KanbanItem>) {
  const title = texts.minePage.groups[name]
  return (
    <section class="mine-group">
      <h2 class={name === 'overdue' ? 'danger' : undefined}>
        {title} <span class="meta">{items.length}</span>
      </h2>
      <ul aria-label={title}>
        {items.map((item) => (
          <MineItem key={item.id} item={item} records={mine.records} ticked={ticked} />
        ))}
      </ul>
    </section>
  )
}

function Items() {
  const items = mine.records.list(byId).filter(({ id, projectId, column }) => {
    const columns = columnsOf(projectId)
    return ticked.value.has(id) || (columns !== undefined && !isDoneColumn(columns, column))
  })
  if (items.length === 0) return <p class="notice">{texts.minePage.none}</p>
  return (
    <>
      {byDue(items, currentDay.value).map((group) => (
        <Group key={group.name} {...group} />
      ))}
    </>
  )
}

export default function MinePage() {
  useLiveList(mine)
  useLiveList(projectList)
  useColumns()
  useEffect(() => {
    ticked.value = new Map()
  }, [])
  const state = mine.state.value
  return (
    <Page title={texts.mine} class="mine">
      {state.step === 'loading' && <Loading />}
      {state.step === 'failed' && <Failed error={state.error} retry={() => mine.refresh()} />}
      {state.step === 'ready' && <Items />}
    </Page>
  )
}
