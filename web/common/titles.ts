/** Display texts for titles and names. */
import { texts } from '../texts.ts'

/** A title that is visible and can be clicked. Other tools may have stored only white space. */
export const shownTitle = (title: string): string => (title.trim() === '' ? texts.untitled : title)
