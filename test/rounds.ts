/** How often tests of properties try: few times in each run of the suite, more with `TEST_ROUNDS` (`npm run test:long`). */
const FACTOR = Number(process.env.TEST_ROUNDS ?? 1)

/** @param usual how many cases to try in a usual run of the suite @returns how many to try in this run */
export const rounds = (usual: number): number => Math.ceil(usual * FACTOR)
