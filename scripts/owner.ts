import type { Owner } from '../test/process.ts'

/** Creates the owner of what a drill starts, as a test is elsewhere, with the function that ends all of it, the latest first. */
export function createOwner(): { owner: Owner; end: () => Promise<void> } {
  const endings: (() => unknown)[] = []
  return {
    owner: { teardown: (one) => endings.push(one) },
    async end() {
      for (const one of endings.toReversed()) await one()
    },
  }
}
