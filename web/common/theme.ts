/** The colour scheme of the page: the system's, or the one that the user has chosen in this browser. */
import { effect } from '@preact/signals'
import { store, stored } from './stored.ts'

const KEY = 'phaseboard:theme'

export const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

/** The chosen theme. Subscribes to it. */
export const themeNow = (): Theme => THEMES.find((theme) => theme === stored(KEY).value) ?? 'system'

/** Chooses a theme, in this browser. */
export const chooseTheme = (theme: Theme): void => store(KEY, theme === 'system' ? '' : theme)

/** Shows the chosen theme. */
export function followTheme(): void {
  effect(() => {
    const theme = themeNow()
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  })
}
