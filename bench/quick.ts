/** The short form of what is measured, `--quick`: it shows that everything works, and its figures mean nothing. */

/** Whether the command line asks for the short form. */
export const isQuick = process.argv.includes('--quick')

/** A size in the usual form, or in the short one. */
export const sized = <T>(usual: T, quick: T): T => (isQuick ? quick : usual)
