/** The names of the files of attachments in an archive. */

export interface ArchivedContent {
  /** Hexadecimal. */
  sha256: string
  /** In bytes. */
  size: number
}

export const CONTENTS_FOLDER = 'files'

/** Most contents of an archive: their names are in memory. */
export const CONTENTS_LIMIT = 100_000

/** A SHA-256, and the name of a content in an archive. */
export const CONTENT_HASH = /^[0-9a-f]{64}$/
export const CONTENT_NAME = /^files\/[0-9a-f]{64}$/

export const contentName = ({ sha256 }: Pick<ArchivedContent, 'sha256'>): string =>
  `${CONTENTS_FOLDER}/${sha256}`
