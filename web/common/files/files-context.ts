/** The files of the card that is shown, for the texts in it. Texts elsewhere have none, and load nothing for them. */
import { createContext } from 'preact'

export interface TextFiles {
  /** Which of the files that a rendered text names exist, as a value to compare. Subscribes. */
  existingIn: (nodes: ParentNode) => string
  /** Shows the files of a rendered text. It can be repeated when files change. */
  fill: (element: ParentNode) => void
  /**
   * Lets a field take files, which are uploaded.
   * @param onBusy called when uploads into the text begin and end: until they are done, it has placeholders
   * @returns stops
   */
  takeInto: (field: HTMLTextAreaElement, onBusy: (isBusy: boolean) => void) => () => void
}

export const FilesContext = createContext<TextFiles | undefined>(undefined)
