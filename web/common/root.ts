/**
 * The root path of the service, with a trailing slash. It follows from the address of one of the page's scripts,
 * `<root>assets/<name>.js`, so the build contains no prefix.
 */
export const rootOf = (scriptUrl: string): string => new URL('..', scriptUrl).pathname
