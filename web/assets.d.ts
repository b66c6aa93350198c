/** The types of files other than scripts that the bundler imports. */
declare module '*.css'

/** The URL of a worker script, relative to the script that imports it. */
declare module '*?worker' {
  const address: string
  export default address
}

/** The part of the Trusted Types API (W3C) that the page uses. */
declare interface TrustedTypesOfWindow {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL: (url: string) => string },
    ): { createScriptURL(url: string): unknown }
  }
}

/** Whether this is a build of `npm run dev`. The bundler replaces it, and drops what is for development only. */
declare const DEVELOPMENT: boolean
