/** The short form of the benchmarks, `--quick`. It shows that everything works; its results mean nothing. */

/** Whether the command line asks for the short form. */
export const isQuick = process.argv.includes('--quick')

/** A size in the normal or the short form. */
export const sized = <T>(usual: T, quick: T): T => (isQuick ? quick : usual)
