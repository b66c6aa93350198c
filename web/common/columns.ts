/** The columns of projects that are not open. They are needed to move cards there, and to know which cards are done. */
import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, isPassing, type KanbanColumn } from './api.ts'
import { onAccess, onChange, onConnected, onReset } from './live.ts'
import { read } from './session.ts'
import { together } from './together.ts'

type Columns = readonly KanbanColumn[] | undefined

const known = new Map<string, Signal<Columns>>()
/** The projects whose columns could not be loaded for want of the service. */
const failed = new Set<string>()

async function load(projectId: string, columns: Signal<Columns>): Promise<void> {
  failed.delete(projectId)
  try {
    columns.value = await read(() =>
      api.get('/api/projects/{id}/kanban-columns', { path: { id: projectId } }),
    )
  } catch (error) {
    if (isPassing(error)) failed.add(projectId)
    // The project may have been deleted with its items. Nothing uses the columns then.
    columns.value ??= []
  }
}

/** The columns of a project; undefined until they are read. Subscribes to them. */
export function columnsOf(projectId: string): Columns {
  let columns = known.get(projectId)
  if (columns === undefined) {
    columns = signal<Columns>(undefined)
    known.set(projectId, columns)
    void load(projectId, columns)
  }
  return columns.value
}

export const isDoneColumn = (columns: Columns, name: string): boolean =>
  columns?.some((column) => column.name === name && column.stage === 'done') ?? false

/** The column that completed cards go to: the first done one; undefined if the board has none. */
export const doneColumn = (columns: Columns): KanbanColumn | undefined =>
  columns?.find(({ stage }) => stage === 'done')

/** Keeps the columns current while a component is mounted. */
export function useColumns(): void {
  useEffect(() => {
    return together(
      onChange(({ kind, projectId }) => {
        const columns = kind === 'kanban-column' && projectId ? known.get(projectId) : undefined
        if (projectId && columns) void load(projectId, columns)
      }),
      onAccess(({ projectId, visible }) => {
        const columns = known.get(projectId)
        if (columns && visible) void load(projectId, columns)
        else if (columns) columns.value = []
      }),
      onReset(() => {
        for (const [projectId, columns] of known) void load(projectId, columns)
      }),
      onConnected(() => {
        for (const projectId of failed) {
          const columns = known.get(projectId)
          if (columns) void load(projectId, columns)
        }
      }),
      () => {
        // Nothing keeps them current from now on.
        known.clear()
        failed.clear()
      },
    )
  }, [])
}
