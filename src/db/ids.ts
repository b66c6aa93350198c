import { v7 } from 'uuid'

/** A new record id: UUIDv7 (RFC 9562), so that ids sort by creation, also within one millisecond. */
export const newId = (): string => v7()
