/** The files of a card, as its texts show them and add to them. */
import type { Attachment } from '../api.ts'

export interface ItemFiles {
  /** An attachment of the card; undefined for one of another card, or a deleted one. Subscribes. */
  find: (id: string) => Attachment | undefined
  /** Shows a picture in the viewer. */
  view: (id: string) => void
  /** Whether files can be attached. */
  canAttach: () => boolean
  /** Attaches a file. @returns undefined if that failed, after a message, or was cancelled */
  attach: (file: File) => Promise<Attachment | undefined>
}
