/** Display texts for titles and names. */
import { texts } from '../texts.ts'

/** A title that is visible and can be clicked. Other tools may have stored only white space. */
export const shownTitle = (title: string): string => (title.trim() === '' ? texts.untitled : title)

/** One or two letters for an avatar. */
export const initials = (name: string): string =>
  name
    .split(/[\s@._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
