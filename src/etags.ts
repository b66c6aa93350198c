/** Entity tags (RFC 9110, section 8.8.3). */
import { createHash, hash } from 'node:crypto'

const LENGTH = 22

/** The strong ETag of a body. */
export const etagOf = (content: string | Uint8Array) =>
  `"${hash('sha256', content, 'base64url').slice(0, LENGTH)}"`

/** The same of a body that comes in parts. */
export function createEtag() {
  const sum = createHash('sha256')
  return {
    update: (part: Uint8Array) => void sum.update(part),
    end: () => `"${sum.digest('base64url').slice(0, LENGTH)}"`,
  }
}

/** A list of entity tags: empty elements are passed over (RFC 9110, section 5.6.1), and what is malformed ends it. */
const TAG = /[\s,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

function isAmong(header: string, etag: string | undefined, isWeakOne: boolean): boolean {
  if (header.trim() === '*') return true
  TAG.lastIndex = 0
  for (let tag = TAG.exec(header); tag !== null; tag = TAG.exec(header)) {
    if ((isWeakOne || tag[1] === undefined) && tag[2] === etag) return true
    if (TAG.lastIndex === header.length) return false
  }
  return false
}

/** Whether an `If-Match` header names what is there: weak tags never match (section 8.8.3.2). @param etag its strong ETag; undefined where it has none */
export const isMatch = (ifMatch: string, etag: string | undefined): boolean => isAmong(ifMatch, etag, false)

/** Whether an `If-None-Match` header names what is there: weak tags match, too. @param etag its strong ETag */
export const isNamed = (ifNoneMatch: string, etag: string): boolean => isAmong(ifNoneMatch, etag, true)

/** The ETag of a page that is followed by another: the same records with and without a `Link` header are different responses. */
export const followed = (etag: string): string => etagOf(`${etag} and more`)
