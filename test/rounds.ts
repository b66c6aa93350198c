/** How many cases property tests try: few in each run of the suite, more with `TEST_ROUNDS` (`npm run test:long`). */
const FACTOR = Number(process.env.TEST_ROUNDS ?? 1)

/** @param usual the number of cases in a normal run of the suite @returns the number in this run */
export const rounds = (usual: number): number => Math.ceil(usual * FACTOR)

/** Whether this is a long run, which also tries what takes many cases to go wrong. Each has a small sibling in every run. */
export const isLong = FACTOR > 1

/** The seed of fast-check where few cases might miss a branch that the test must have seen. Long runs draw new cases each time. */
export const FEW = isLong ? {} : { seed: 1 }
