/** Titles and names as they are shown. */
import { texts } from '../texts.ts'

/** A title that can be seen, and chosen: other tools may have stored nothing but white space. */
export const shownTitle = (title: string): string => (title.trim() === '' ? texts.untitled : title)
