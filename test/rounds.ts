/** How many cases property tests try: few in each run of the suite, more with `TEST_ROUNDS` (`npm run test:long`). */
const FACTOR = Number(process.env.TEST_ROUNDS ?? 1)

/** @param usual the number of cases in a normal run of the suite @returns the number in this run */
export const rounds = (usual: number): number => Math.ceil(usual * FACTOR)
