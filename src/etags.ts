/** Entity tags (RFC 9110, section 8.8.3). */
import { createHash, hash } from 'node:crypto'

const LENGTH = 22

/** The strong ETag of a body. */
export const etagOf = (content: string | Uint8Array) =>
  `"${hash('sha256', content, 'base64url').slice(0, LENGTH)}"`

/** The same for a body in parts. */
export function createEtag() {
  const sum = createHash('sha256')
  return {
    update: (part: Uint8Array) => void sum.update(part),
    end: () => `"${sum.digest('base64url').slice(0, LENGTH)}"`,
  }
}

/** A content coding of responses (RFC 9110, section 8.4.1). */
export type Coding = 'zstd' | 'br' | 'gzip'

/** The ETag of a compressed response: other bytes need another strong ETag. Hashes have no dot. */
export const encoded = (etag: string, coding: Coding): string => `${etag.slice(0, -1)}.${coding}"`

const CODED = /\.(?:zstd|br|gzip)"$/

const WATCHED = '.watching"'

/**
 * The ETag of an item in a response to a member who watches it. That response differs, because it has `watching: true`. In
 * a precondition it is equivalent to the item's own ETag.
 */
export const watched = (etag: string): string => `${etag.slice(0, -1)}${WATCHED}`

/** The ETag of a record, without the suffix for a watching member. */
const ofRecord = (etag: string): string =>
  etag.endsWith(WATCHED) ? `${etag.slice(0, -WATCHED.length)}"` : etag

/** The ETag of a response before it was compressed. */
const withoutCoding = (etag: string | undefined): string | undefined => etag?.replace(CODED, '"')

/** A list of entity tags: empty elements are skipped (RFC 9110, section 5.6.1), and a malformed one ends it. */
const TAG = /[\s,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

function isAmong(
  header: string,
  etag: string | undefined,
  isWeakOne: boolean,
  isSame = (one: string | undefined) => one === etag,
): boolean {
  if (header.trim() === '*') return true
  TAG.lastIndex = 0
  for (let tag = TAG.exec(header); tag !== null; tag = TAG.exec(header)) {
    if ((isWeakOne || tag[1] === undefined) && isSame(withoutCoding(tag[2]))) return true
    if (TAG.lastIndex === header.length) return false
  }
  return false
}

/** Whether an `If-Match` header matches, also with the ETag of the compressed response; weak tags never do (section 8.8.3.2). @param etag the current strong ETag; undefined for none */
export function isMatch(ifMatch: string, etag: string | undefined): boolean {
  const record = etag === undefined ? undefined : ofRecord(etag)
  return isAmong(ifMatch, etag, false, (one) => one !== undefined && ofRecord(one) === record)
}

/** Whether an `If-None-Match` header matches; weak tags match, too. @param etag the current strong ETag */
export const isNamed = (ifNoneMatch: string, etag: string): boolean => isAmong(ifNoneMatch, etag, true)

/** The ETag of a page with a next page: the same records with and without a `Link` header are different responses. */
export const followed = (etag: string): string => etagOf(`${etag} and more`)
