/** The command palette, opened by Ctrl+K: commands, projects and cards in one list. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, type Person, type SearchResult } from '../common/api.ts'
import { useLiveList } from '../common/live-list.ts'
import { openProject } from '../common/open-project.ts'
import { findPeople } from '../common/people.ts'
import { projectList } from '../common/projects.ts'
import { me, read } from '../common/session.ts'
import { shownTitle } from '../common/titles.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { type ListOption, OptionList, useTyped } from '../common/ui/option-list.tsx'
import { later } from '../later-texts.ts'
import { go, paths, place, routeOf } from '../router.ts'
import { texts } from '../texts.ts'
import { commandsNow, ranked } from './commands.ts'

const words = later.palette

/** The number of options of each kind. */
const MOST = 8
/** The debounce of the search in other projects, in milliseconds. */
const AFTER = 150

/** Cards of other projects, which the service finds. */
function useFoundCards(typed: string): readonly SearchResult[] {
  const [found, setFound] = useState<readonly SearchResult[]>([])
  const q = typed.trim()
  useEffect(() => {
    const giveUp = new AbortController()
    const query = { q, kind: 'kanban-item', limit: MOST } as const
    const ask = () =>
      read(() => api.get('/api/search', { query, signal: giveUp.signal })).then(
        ({ results }) => setFound(results),
        // The commands are there without it.
        () => undefined,
      )
    if (q === '') setFound([])
    const timer = q === '' ? undefined : setTimeout(() => void ask(), AFTER)
    return () => {
      clearTimeout(timer)
      giveUp.abort()
    }
  }, [q])
  return found
}

interface Act extends ListOption {
  run: () => void
}

export default function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useTyped()
  const { id: projectId } = routeOf(place.peek().path)
  useLiveList(projectList)
  const commands = useMemo(() => commandsNow(projectId, currentCard()), [projectId])
  const cards = useCards(projectId, typed)
  const people = usePeople(projectId, typed)
  const q = typed.trim()
  const projects = projectList.records.list((a, b) => a.name.localeCompare(b.name))

  const options: Act[] = [
    ...ranked(commands, ({ label }) => label, typed).map(({ id, label, note, key, run }) => ({
      value: id,
      label,
      note,
      key,
      run,
    })),
    ...ranked(projects, ({ name }) => name, typed)
      .slice(0, MOST)
      .map(({ id, name }) => ({
        value: `project ${id}`,
        label: shownTitle(name),
        note: texts.fields.project,
        mark: <Icon name="project" />,
        run: () => go(paths.board(id)),
      })),
    ...cards,
    ...people,
    ...(q === ''
      ? []
      : [
          {
            value: 'search',
            label: words.searchFor(q),
            mark: <Icon name="search" />,
            run: () => go(`/search?q=${encodeURIComponent(q)}`),
          },
        ]),
  ]
  return (
    <Dialog title={words.title} onClose={onClose}>
      <div class="stack palette">
        <OptionList
          label={words.label}
          options={options}
          typed={typed}
          onType={setTyped}
          none={words.none}
          onChoose={({ value }) => {
            const chosen = options.find((option) => option.value === value)
            onClose()
            // By then the dialog is closed, and the focus is back on the target of the command.
            if (chosen) requestAnimationFrame(chosen.run)
          }}
        />
      </div>
    </Dialog>
  )
}

/** The title of the open card, or of the one that has the focus. */
function currentCard(): string | undefined {
  const { id: projectId, item } = routeOf(place.peek().path)
  const focused = document.activeElement?.closest<HTMLElement>('[data-card]')?.dataset.card
  const found =
    projectId === '' ? undefined : openProject(projectId).store.items.peek(item || (focused ?? ''))
  return found && shownTitle(found.title)
}

/** People whose cards the open board can show. */
function usePeople(projectId: string, typed: string): Act[] {
  const [found, setFound] = useState<readonly Person[]>([])
  const q = projectId === '' ? '' : typed.trim()
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(async () => {
      const people = q === '' ? [] : await findPeople(q, MOST).catch(() => [])
      if (!isOver) setFound(people)
    }, AFTER)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [q])
  // In open mode, the user is not among them.
  const all = me.value && !found.some(({ id }) => id === me.value?.id) ? [...found, me.value] : found
  return q === ''
    ? []
    : ranked(all, ({ name }) => name, q).map(({ id, name }) => ({
        value: `person ${id}`,
        label: words.cardsOf(name),
        mark: <Icon name="person" />,
        run: () => go(`${paths.board(projectId)}?assignee=${encodeURIComponent(id)}`),
      }))
}

/** The cards that match: those of the open board first, then those that the service finds elsewhere. */
function useCards(projectId: string, typed: string): Act[] {
  const found = useFoundCards(typed)
  if (typed.trim() === '') return []
  const act = (id: string, title: string, project: string, note: string | undefined): Act => ({
    value: `card ${id}`,
    label: shownTitle(title),
    note,
    mark: <Icon name="board" />,
    run: () => go(paths.card(project, id)),
  })
  const { items } = projectId === '' ? { items: undefined } : openProject(projectId).store
  const here = items?.ids().flatMap((id) => items.peek(id) ?? []) ?? []
  const own = ranked(here, ({ title }) => title, typed).slice(0, MOST)
  const known = new Set(own.map(({ id }) => id))
  const others = found.filter(({ id, projectId: other }) => !known.has(id) && other !== null)
  return [
    ...own.map(({ id, title, column }) => act(id, title, projectId, column)),
    ...others.map(({ id, title, projectId: other }) =>
      act(id, title, other ?? '', projectList.records.get(other ?? '')?.name),
    ),
  ]
}
