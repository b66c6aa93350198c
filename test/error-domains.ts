/**
 * What tap gets in place of `async-hook-domain`, which watches the creation and collection of every promise to know whose error nothing
 * has caught: a quarter of the processor time of tests that use the application. `together.ts` knows it without.
 */
export class Domain {
  readonly onerror: (error: unknown, origin: string) => void

  constructor(onerror: (error: unknown, origin: string) => void) {
    this.onerror = onerror
  }

  destroy(): void {
    // Nothing was watched.
  }
}
