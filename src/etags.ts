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

/** The ETag of a response before it was compressed. */
const withoutCoding = (etag: string | undefined): string | undefined => etag?.replace(CODED, '"')

/** A list of entity tags: empty elements are skipped (RFC 9110, section 5.6.1), and a malformed one ends it. */
const TAG = /[\s,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

function isAmong(header: string, etag: string | undefined, isWeakOne: boolean): boolean {
  if (header.trim() === '*') return true
  TAG.lastIndex = 0
  for (let tag = TAG.exec(header); tag !== null; tag = TAG.exec(header)) {
    if ((isWeakOne || tag[1] === undefined) && withoutCoding(tag[2]) === etag) return true
    if (TAG.lastIndex === header.length) return false
  }
  return false
}

/** Whether an `If-Match` header matches, also with the ETag of the compressed response; weak tags never do (section 8.8.3.2). @param etag the current strong ETag; undefined for none */
export const isMatch = (ifMatch: string, etag: string | undefined): boolean => isAmong(ifMatch, etag, false)

/** Whether an `If-None-Match` header matches; weak tags match, too. @param etag the current strong ETag */
export const isNamed = (ifNoneMatch: string, etag: string): boolean => isAmong(ifNoneMatch, etag, true)

/** The ETag of a page with a next page: the same records with and without a `Link` header are different responses. */
export const followed = (etag: string): string => etagOf(`${etag} and more`)
