/** Where records stand among their siblings: `sortOrder` ascending, then `id`. */

/**
 * The place after all siblings.
 * @param last the largest `sortOrder` among them; null or undefined when there is none
 */
export const afterLast = (last: number | null | undefined): number => (last ?? 0) + 1
