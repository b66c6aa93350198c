import { LRUCache } from 'lru-cache'

/**
 * A cache of the most recently used entries. It grows with its entries: the library's own option `max` allocates the places of
 * all at once.
 * @param ttl how long an entry is valid, in milliseconds; for ever by default
 */
export const createCache = <Key extends {}, Value extends {}>(
  max: number,
  ttl?: number,
): LRUCache<Key, Value> => new LRUCache({ maxSize: max, sizeCalculation: () => 1, ...(ttl && { ttl }) })
