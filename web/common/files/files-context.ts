/** The files of the card that is shown, for the texts in it. Texts elsewhere have none, and load nothing for them. */
import { signal } from '@preact/signals'
import { createContext } from 'preact'

export interface TextFiles {
  /** Which of the files that a rendered text names exist, as a value to compare. Subscribes. */
  existingIn: (nodes: ParentNode) => string
  /** Shows the files of a rendered text. It can be repeated when files change. */
  fill: (element: ParentNode) => void
  /**
   * Lets a field take files, which are uploaded.
   * @param onLate called with the placeholder and its text if no field has it when the upload ends
   * @returns stops
   */
  takeInto: (field: HTMLTextAreaElement, onLate: OnLate) => () => void
}

/** Replaces a placeholder in a text that is in no field any more. */
export type OnLate = (placeholder: string, text: string) => void

/** The placeholders of the files that are being uploaded into texts. */
export const uploading = signal<ReadonlySet<string>>(new Set())

/** Whether files are being uploaded into a text. Subscribes. */
export const isUploadingInto = (text: string): boolean =>
  [...uploading.value].some((placeholder) => text.includes(placeholder))

export const FilesContext = createContext<TextFiles | undefined>(undefined)
