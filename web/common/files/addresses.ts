/** The addresses of the bytes of attachments. */
import { root } from '../api.ts'

/** The file itself. */
export const contentOf = (id: string): string => `${root}api/attachments/${encodeURIComponent(id)}/content`

/** The small image of a file, which not every file has. */
export const thumbnailOf = (id: string): string =>
  `${root}api/attachments/${encodeURIComponent(id)}/thumbnail`
