/** How long an import holds the write lock, said beforehand. */

/** Records that an import writes in a second, at least. */
const RECORDS_PER_SECOND = 20_000

/** How many whole seconds the writes of others wait for an import. */
export const secondsOfWriting = (records: number): number => Math.floor(records / RECORDS_PER_SECOND)
