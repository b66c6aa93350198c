/** The teams by their ids. Ids may be of another system: then they are shown as they are. */
import { computed, signal } from '@preact/signals'
import { api, type Team } from './api.ts'
import { onChange } from './live.ts'

/** Pause before the list is read again after a change, in milliseconds. */
const SETTLED = 500

export const teams = signal<readonly Team[]>([])

const names = computed(() => new Map(teams.value.map(({ id, name }) => [id, name])))

/** The name of a team; of one that the service does not know, the id. */
export const teamName = (id: string): string => names.value.get(id) ?? id

/** Reads the teams, and again when they change. */
export function followTeams(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  onChange(({ kind }) => {
    if (kind !== 'team') return
    clearTimeout(timer)
    timer = setTimeout(() => void readTeams(), SETTLED)
  })
  void readTeams()
}

/** Reads them again. */
export async function readTeams(): Promise<void> {
  try {
    teams.value = await api.get('/api/teams')
  } catch {
    // Names are a help: the page works with ids.
  }
}
