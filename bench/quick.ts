/** The short form of the benchmarks, `--quick`. It shows that everything works; its results mean nothing. */
import { Command } from 'commander'

/** Whether the command line asks for the short form. */
export const isQuick = process.argv.includes('--quick')

/** The command line of a benchmark. */
export const commandLine = (name: string, description: string) =>
  new Command(`npm run ${name} --`)
    .description(description)
    .option('--quick', 'only see that everything works')

/** A size in the normal or the short form. */
export const sized = <T>(usual: T, quick: T): T => (isQuick ? quick : usual)
