/** What the bundler takes besides scripts. */
declare module '*.css'

/** A script by itself, for a worker: its address, relative to that of the script which imports it. */
declare module '*?worker' {
  const address: string
  export default address
}

/** Trusted Types (W3C), as far as the page uses them. */
declare interface TrustedTypesOfWindow {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL: (url: string) => string },
    ): { createScriptURL(url: string): unknown }
  }
}
