/** The members and teams by their ids. Ids may be of another system: then they are shown as they are. */
import { computed, signal } from '@preact/signals'
import { api, type Member, type Team } from './api.ts'
import { onChange } from './live.ts'

/** Pause before the lists are read again after a change, in milliseconds. */
const SETTLED = 500

export const members = signal<readonly Member[]>([])
export const teams = signal<readonly Team[]>([])

const memberNames = computed(() => new Map(members.value.map(({ id, name }) => [id, name])))
const teamNames = computed(() => new Map(teams.value.map(({ id, name }) => [id, name])))

/** The name of a member; of one that the service does not know, the id. */
export const memberName = (id: string): string => memberNames.value.get(id) ?? id

/** The name of a team; of one that the service does not know, the id. */
export const teamName = (id: string): string => teamNames.value.get(id) ?? id

/** The members that can be chosen, by name. */
export const activeMembers = computed(() =>
  members.value.filter(({ disabled }) => !disabled).toSorted((a, b) => a.name.localeCompare(b.name)),
)

let loading: Promise<void> | undefined

/** Reads the members and teams, once; later calls wait for the same. Where it fails, ids are shown. */
export function loadPeople(): Promise<void> {
  loading ??= (async () => {
    let timer: ReturnType<typeof setTimeout> | undefined
    onChange(({ kind }) => {
      if (kind !== 'member' && kind !== 'team') return
      clearTimeout(timer)
      timer = setTimeout(() => void readPeople(), SETTLED)
    })
    await readPeople()
  })()
  return loading
}

/** Reads them again. */
export async function readPeople(): Promise<void> {
  try {
    const [foundMembers, foundTeams] = await Promise.all([api.get('/api/members'), api.get('/api/teams')])
    members.value = foundMembers
    teams.value = foundTeams
  } catch {
    // Names are a help: the page works with ids.
  }
}

/** One or two letters for a person. */
export const initials = (name: string): string =>
  name
    .split(/[\s@._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
