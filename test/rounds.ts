/** How many cases property tests try: few in each run of the suite, more with `TEST_ROUNDS` (`npm run test:long`). */
const FACTOR = Number(process.env.TEST_ROUNDS ?? 1)

/** @param usual the number of cases in a normal run of the suite @returns the number in this run */
export const rounds = (usual: number): number => Math.ceil(usual * FACTOR)

/** Whether this run also tries all combinations of dimensions that the code does not tell apart. Other runs share them out. */
export const isThorough = FACTOR > 1

/** For properties that count their cases: in few of them, chance would decide whether there are enough of each kind. */
export const steady: { seed?: number } = isThorough ? {} : { seed: 1 }

/** One of several alternatives in turn. With `TEST_ROUNDS`, all of them. */
export const inTurn = <T>(all: readonly T[], turn: number): readonly T[] =>
  isThorough || all.length === 0 ? all : [all[turn % all.length] as T]
