/**
 * What tap gets in place of `async-hook-domain`, which watches every promise to know whose error nothing has caught
 * (docs/decisions/084-tests-of-every-day.md). `together.ts` knows it without.
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
