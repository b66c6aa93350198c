/** The teams by id. An id may come from another system, and is then shown as it is. */
import { computed, signal } from '@preact/signals'
import { api, type Team } from './api.ts'
import { onChange, onConnected, onReset } from './live.ts'

/** The debounce before the list is reloaded after a change, in milliseconds. */
const SETTLED = 500

export const teams = signal<readonly Team[]>([])

let hasFailed = false

const names = computed(() => new Map(teams.value.map(({ id, name }) => [id, name])))

/** The name of a team; the id if the service does not know it. */
export const teamName = (id: string): string => names.value.get(id) ?? id

/** Loads the teams, and reloads them when they change. */
export function followTeams(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  onChange(({ kind }) => {
    if (kind !== 'team') return
    clearTimeout(timer)
    timer = setTimeout(() => void readTeams(), SETTLED)
  })
  onConnected(() => hasFailed && void readTeams())
  onReset(() => void readTeams())
  void readTeams()
}

/** Reloads the teams. */
export async function readTeams(): Promise<void> {
  try {
    teams.value = await api.get('/api/teams')
    hasFailed = false
  } catch {
    hasFailed = true
    // Names are optional: the page works with ids.
  }
}
