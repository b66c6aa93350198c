/** The entries of the command palette: the commands of the current page, projects, and cards. */
import { fold } from '../../src/folding.ts'
import { hasKey, pressKey } from '../common/keys.ts'
import { isAdmin } from '../common/session.ts'
import { chooseTheme, THEMES, themeNow } from '../common/theme.ts'
import { later } from '../later-texts.ts'
import { go, paths } from '../router.ts'
import { texts } from '../texts.ts'

const words = later.palette

export interface Command {
  id: string
  label: string
  /** The card that it is about. */
  note?: string
  key?: string
  run: () => void
}

/** The keys that are commands too, in their order. Only those that do something on the current page are offered. */
const KEYS = ['n', 'f', 'e', 'a', 'l', 'd', 'p', 'm', 'c', 's', 'x', 'Ctrl+z', '/', '?'] as const

/** Those of {@link KEYS} that are about a card. */
const OF_CARD: ReadonlySet<string> = new Set(['e', 'a', 'l', 'd', 'p', 'm', 'c', 's', 'x'])

const toPage = (label: string, path: string, key?: string): Command => ({
  id: `go ${path}`,
  label: words.goTo(label),
  ...(key !== undefined && { key }),
  run: () => go(path),
})

/** All commands now. @param projectId of the open project; empty without one @param card the title of the current card, if any */
export function commandsNow(projectId: string, card: string | undefined): Command[] {
  const ofKeys = KEYS.filter(hasKey).map((key) => ({
    id: `key ${key}`,
    label: words.keys[key],
    key: key.replace('z', 'Z'),
    ...(card !== undefined && OF_CARD.has(key) && { note: card }),
    run: () => pressKey(key),
  }))
  const { board, overview, flow, trash } = paths
  const ofProject =
    projectId === ''
      ? []
      : [
          toPage(texts.project.board, board(projectId), 'g b'),
          toPage(texts.project.overview, overview(projectId)),
          toPage(texts.project.flow, flow(projectId), 'g f'),
          toPage(words.projectTrash, trash(projectId)),
        ]
  const everywhere = [
    toPage(texts.projects, '/', 'g p'),
    toPage(texts.mine, '/mine', 'g m'),
    toPage(texts.inbox, '/notifications', 'g n'),
    toPage(texts.ideas, '/ideas', 'g i'),
    toPage(texts.search, '/search'),
    toPage(texts.account, '/account'),
    toPage(texts.trash, '/trash'),
  ]
  const forAdmins = isAdmin.peek()
    ? [
        toPage(texts.members, '/admin/members'),
        toPage(texts.teams, '/admin/teams'),
        toPage(texts.webhooks, '/admin/webhooks'),
        toPage(texts.audit, '/admin/audit'),
      ]
    : []
  const themes = THEMES.filter((theme) => theme !== themeNow()).map((theme) => ({
    id: `theme ${theme}`,
    label: words.theme(texts.appearance.themes[theme]),
    run: () => chooseTheme(theme),
  }))
  return [...ofKeys, ...ofProject, ...everywhere, ...forAdmins, ...themes]
}

/** How well a text matches the typed text: 0 at its beginning, 1 at that of a word, 2 elsewhere; undefined if not. */
function rankOf(text: string, typed: string): number | undefined {
  const [all, wanted] = [fold(text), fold(typed.trim())]
  const at = all.indexOf(wanted)
  if (at === -1) return undefined
  if (at === 0) return 0
  return /[\s(“]/.test(all[at - 1] ?? '') ? 1 : 2
}

/** Those that match, the best first. The order stays among equals. */
export function ranked<T>(all: readonly T[], textOf: (one: T) => string, typed: string): T[] {
  return all
    .map((one) => ({ one, rank: rankOf(textOf(one), typed) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ one }) => one)
}
